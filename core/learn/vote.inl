// Rule 2, vote: the sum of the weights of the clauses that fire. Each member of a team keeps the votes of its own clauses;
// the vote of the bank at a step is their sum, made when the step is reached.

template <class States, class Weak>
void Learner<States, Weak>::add_votes(uint32_t block, const uint64_t* fired) {
    if (set.n_outputs == 1 && bank.unit[block] != 0) {
        const uint64_t plus = bank.positive[block];
        for (uint32_t i = 0; i < size; ++i)
            votes[i] += static_cast<int32_t>(2 * count_bits(fired[i] & plus)) - static_cast<int32_t>(count_bits(fired[i]));
        return;
    }
    for (uint32_t i = 0; i < size; ++i)
        for (uint64_t rest = fired[i]; rest != 0; rest &= rest - 1) votes[i] += weight(i, 64 * block + lowest_bit(rest));
}

// Let the others see this member's votes for the steps from .. size - 1, and wait for theirs. A member is at most one sync
// ahead, so two buffers are enough; between the last votes of a window and the first of the next, fill_columns syncs.
template <class States, class Weak>
void Learner<States, Weak>::publish_votes(uint32_t from) {
    if (job.share.n_members == 1) return;
    buffer = from == 0 ? 0 : buffer ^ 1;
    int32_t* mine = job.team->votes + static_cast<size_t>(buffer * job.team->capacity + job.member) * kWindow;
    for (uint32_t i = from; i < size; ++i) mine[i] = votes[i];
    job.team->sync(job.team, job.share.n_members);
}

template <class States, class Weak>
int32_t Learner<States, Weak>::total(uint32_t i) const {
    if (job.share.n_members == 1) return votes[i];
    const int32_t* at = job.team->votes + static_cast<size_t>(buffer) * job.team->capacity * kWindow + i;
    int32_t sum = 0;
    for (uint32_t member = 0; member < job.share.n_members; ++member) sum += at[member * kWindow];
    return sum;
}
