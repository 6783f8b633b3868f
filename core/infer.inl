// Votes of many samples: 512 samples become one row of bits per literal, a clause is the AND of its included literals'
// rows (stopping when no sample is left), and the votes add up in bit-sliced counters (counter.inl). Only included literals are touched.

static void batch_columns(const VoteJob& job, uint64_t first, uint32_t size) {
    const uint32_t blocks = (job.model->n_literals + 63) / 64;
    for (uint32_t word = 0; word < kBatch / 64; ++word) {
        const uint32_t base = 64 * word;
        const uint32_t here = size > base ? (size - base < 64 ? size - base : 64) : 0;
        for (uint32_t block = 0; block < blocks; ++block) {
            uint64_t tile[64];
            for (uint32_t i = 0; i < here; ++i) tile[i] = job.literals[(first + base + i) * job.row_words + block];
            for (uint32_t i = here; i < 64; ++i) tile[i] = 0;
            if (here != 0) transpose64(tile);
            for (uint32_t k = 0; k < 64; ++k) job.columns[(64 * block + k) * (kBatch / 64) + word] = tile[k];
        }
    }
}

// The AND of the columns of a clause's literals, or as much of it as it takes to become zero.
static Row512 fires_for_batch(const Compiled& model, uint64_t j, const uint64_t* columns) {
    const uint32_t* at = model.clause_literals + model.clause_start[j];
    const uint64_t size = model.clause_start[j + 1] - model.clause_start[j];
    const auto column = [columns](uint32_t k) { return Row512::load(columns + static_cast<size_t>(k) * (kBatch / 64)); };
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

static void vote_batch(const VoteJob& job, uint64_t first, uint32_t size) {
    const Compiled& model = *job.model;
    batch_columns(job, first, size);
    for (uint32_t bank = 0; bank < model.n_banks; ++bank) {
        Counter positive, negative;
        for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
            const Row512 fires = fires_for_batch(model, j, job.columns);
            if (fires.is_zero()) continue;
            (model.polarity[j] > 0 ? positive : negative).add(fires);
        }
        uint16_t plus[kBatch], minus[kBatch];
        positive.store<U16x64>(plus);
        negative.store<U16x64>(minus);
        for (uint32_t i = 0; i < size; ++i)
            job.votes[(first + i) * model.n_banks + bank] = static_cast<int32_t>(plus[i]) - static_cast<int32_t>(minus[i]);
    }
}

// A few samples: read each clause's literals straight from the sample's row.
static void vote_one(const VoteJob& job, uint64_t sample) {
    const Compiled& model = *job.model;
    const uint64_t* row = job.literals + sample * job.row_words;
    for (uint32_t bank = 0; bank < model.n_banks; ++bank) {
        int32_t vote = 0;
        for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j)
            if (fires_for_one(model, j, row)) vote += model.polarity[j];
        job.votes[sample * model.n_banks + bank] = vote;
    }
}

static void vote(const VoteJob* job) {
    for (uint64_t first = 0; first < job->n_samples; first += kBatch) {
        const uint64_t left = job->n_samples - first;
        if (left <= kFew)
            for (uint64_t i = first; i < job->n_samples; ++i) vote_one(*job, i);
        else
            vote_batch(*job, first, left < kBatch ? static_cast<uint32_t>(left) : kBatch);
    }
}
