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

static void vote_batch(const VoteJob& job, uint64_t first, uint32_t size) {
    const Compiled& model = *job.model;
    batch_columns(job, first, size);
    for (uint32_t bank = 0; bank < model.n_banks; ++bank) {
        Counter positive, negative;
        for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
            const uint32_t* literal = model.clause_literals + model.clause_start[j];
            const uint32_t* end = model.clause_literals + model.clause_start[j + 1];
            Row512 fires = Row512::load(job.columns + static_cast<size_t>(*literal) * (kBatch / 64));
            while (++literal != end && !fires.is_zero())
                fires = fires & Row512::load(job.columns + static_cast<size_t>(*literal) * (kBatch / 64));
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
        for (uint64_t j = model.bank_start[bank]; j < model.bank_start[bank + 1]; ++j) {
            bool fires = true;
            for (uint64_t k = model.clause_start[j]; fires && k < model.clause_start[j + 1]; ++k)
                fires = (row[model.clause_literals[k] / 64] >> (model.clause_literals[k] % 64) & 1) != 0;
            if (fires) vote += model.polarity[j];
        }
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
