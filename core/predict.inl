// Votes of many samples: 512 samples become one row of bits per literal, a clause is the AND of its included literals'
// rows (stopping when no sample is left), and the votes add up in bit-sliced counters (simd/counter.inl). Only included
// literals are touched. Empty clauses are not here: they do not vote.

static void batch_columns(const VoteJob* job) {
    const uint32_t blocks = (job->model->n_literals + 63) / 64;
    for (uint32_t word = 0; word < kBatch / 64; ++word) {
        const uint32_t base = 64 * word;
        const uint32_t here = job->n_samples > base ? (job->n_samples - base < 64 ? job->n_samples - base : 64) : 0;
        for (uint32_t block = 0; block < blocks; ++block) {
            uint64_t tile[64];
            for (uint32_t i = 0; i < here; ++i)
                tile[i] = job->literals[static_cast<size_t>(base + i) * job->row_words + block];
            for (uint32_t i = here; i < 64; ++i) tile[i] = 0;
            if (here != 0) transpose64(tile);
            for (uint32_t k = 0; k < 64; ++k) job->columns[(64 * block + k) * (kBatch / 64) + word] = tile[k];
        }
    }
}

// The AND of the columns of a clause's literals, or as much of it as it takes to become zero.
static Row512 fires_for_batch(const Compiled& model, uint64_t j, const uint64_t* columns) {
    const uint32_t* at = model.clause_literals + model.clause_start[j];
    const uint64_t size = model.clause_start[j + 1] - model.clause_start[j];
    const auto column = [columns](uint32_t k) {
        return Row512::load(columns + static_cast<size_t>(k) * (kBatch / 64));
    };
    if (size < model.dense_words) {
        Row512 fires = column(at[0]);
        for (uint64_t i = 1; i < size && !fires.is_zero(); ++i) fires = fires & column(at[i]);
        return fires;
    }
    uint32_t w = 0;
    while (at[w] == 0) ++w;  // no clause is empty here
    Row512 fires = column(32 * w + lowest_bit(at[w]));
    for (uint32_t rest = at[w] & (at[w] - 1);;) {
        for (; rest != 0 && !fires.is_zero(); rest &= rest - 1) fires = fires & column(32 * w + lowest_bit(rest));
        if (++w == size || fires.is_zero()) return fires;
        rest = at[w];
    }
}

// The same for one sample, straight from its row of literals.
static bool fires_for_one(const Compiled& model, uint64_t j, const uint64_t* row) {
    const uint32_t* at = model.clause_literals + model.clause_start[j];
    const uint64_t size = model.clause_start[j + 1] - model.clause_start[j];
    if (size < model.dense_words) {
        for (uint64_t i = 0; i < size; ++i)
            if ((row[at[i] / 64] >> (at[i] % 64) & 1) == 0) return false;
        return true;
    }
    for (uint64_t w = 0; w < size; ++w)
        if ((at[w] & ~static_cast<uint32_t>(row[w / 2] >> (w % 2 * 32))) != 0) return false;
    return true;
}

// Votes of a batch in one bank, from its columns, for one output: weights of 1 and -1 are counted, others added one by one.
static void vote_in_bank(const VoteJob& job, uint32_t bank, uint32_t output) {
    const Compiled& model = *job.model;
    const int32_t* weights = model.weights + output * model.n_clauses;
    int32_t votes[kBatch] = {};
    Counter plus, minus;
    for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
        const int32_t weight = weights[j];
        if (weight == 0) continue;
        const Row512 fires = fires_for_batch(model, j, job.columns);
        if (fires.is_zero()) continue;
        if ((weight == 1 || weight == -1) && j - model.bank_start[bank] < Counter::kMost) {
            (weight > 0 ? plus : minus).add(fires);
            continue;
        }
        uint64_t bits[8];
        fires.store(bits);
        for (uint32_t word = 0; word < 8; ++word)
            for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) votes[64 * word + lowest_bit(rest)] += weight;
    }
    uint16_t ups[kBatch], downs[kBatch];
    plus.store<U16x64>(ups);
    minus.store<U16x64>(downs);
    int32_t* out = job.votes + static_cast<size_t>(bank) * model.n_outputs + output;
    const size_t stride = static_cast<size_t>(model.n_banks) * model.n_outputs;
    for (uint32_t i = 0; i < job.n_samples; ++i) out[i * stride] = votes[i] + ups[i] - downs[i];
}

// A few samples: read each clause's literals straight from the sample's row.
static void vote_one(const VoteJob& job, uint32_t sample) {
    const Compiled& model = *job.model;
    const uint64_t* row = job.literals + static_cast<size_t>(sample) * job.row_words;
    int32_t* out = job.votes + static_cast<size_t>(sample) * model.n_banks * model.n_outputs;
    for (uint32_t bank = job.first_bank; bank < job.last_bank; ++bank) {
        int32_t* votes = out + static_cast<size_t>(bank) * model.n_outputs;
        for (uint32_t o = 0; o < model.n_outputs; ++o) votes[o] = 0;
        for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j)
            if (fires_for_one(model, j, row))
                for (uint32_t o = 0; o < model.n_outputs; ++o) votes[o] += model.weights[o * model.n_clauses + j];
    }
}

static void vote(const VoteJob* job) {
    if (job->n_samples <= kFew) {
        for (uint32_t i = 0; i < job->n_samples; ++i) vote_one(*job, i);
        return;
    }
    for (uint32_t bank = job->first_bank; bank < job->last_bank; ++bank)
        for (uint32_t output = 0; output < job->model->n_outputs; ++output) vote_in_bank(*job, bank, output);
}

// Images: all patches of one at a time, for every clause of every bank.
static void vote_on_patches(const VoteJob* job) {
    const Compiled& model = *job->model;
    const size_t n_votes = static_cast<size_t>(model.n_banks) * model.n_outputs;
    PatchColumns columns(*model.grid, job->patches);
    columns.fill_places((model.n_literals + 63) / 64 * 64);
    for (uint32_t i = 0; i < job->n_samples; ++i) {
        columns.fill_pixels(job->literals + static_cast<size_t>(i) * job->row_words);
        for (uint32_t bank = job->first_bank; bank < job->last_bank; ++bank) {
            int32_t* votes = job->votes + i * n_votes + static_cast<size_t>(bank) * model.n_outputs;
            for (uint32_t o = 0; o < model.n_outputs; ++o) votes[o] = 0;
            for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
                const uint64_t start = model.clause_start[j];
                const uint32_t size = static_cast<uint32_t>(model.clause_start[j + 1] - start);
                const uint32_t misses =
                    fewest_misses(*model.grid, job->patches.columns, model.clause_literals + start, size, 1, job->best);
                if (misses >= 1) continue;
                for (uint32_t o = 0; o < model.n_outputs; ++o) votes[o] += model.weights[o * model.n_clauses + j];
            }
        }
    }
}
