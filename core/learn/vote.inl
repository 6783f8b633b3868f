// Rule 2, vote: the sum of the weights of the clauses that fire. Each member of a team keeps the votes of its own clauses;
// the vote of the bank at a step is their sum, made when the step is reached.

template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::add_votes(uint32_t block, const uint64_t* fired) {
    if (set.n_outputs == 1 && bank.unit[block] != 0) {
        const uint64_t plus = bank.positive[block];
        for (uint32_t i = 0; i < size; ++i)
            votes[i] +=
                static_cast<int32_t>(2 * count_bits(fired[i] & plus)) - static_cast<int32_t>(count_bits(fired[i]));
        return;
    }
    for (uint32_t i = 0; i < size; ++i) {
        const int32_t* weights = bank.weights + static_cast<size_t>(output(i)) * set.n_clauses + 64 * block;
        int32_t sum = 0;
        for (uint64_t rest = fired[i]; rest != 0; rest &= rest - 1) sum += weights[lowest_bit(rest)];
        votes[i] += sum;
    }
}

// Meet the other members after this one's work on a window's columns (k = 0), its evaluation (k = 1) or a step.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::meet(uint32_t k) {
    if (alone()) return;
    const auto meanwhile = [](void* learner) { return static_cast<Learner*>(learner)->catch_up_one(); };
    job.team->meet(job.team, job.member, job.share.n_members, 128 * job.share.window + k, meanwhile, this);
}

// Let the others see this member's votes for the next `reach` steps, and wait for theirs.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::publish_votes(uint32_t from) {
    if (alone()) return;
    ++meetings;
    shown_from = from;
    shown_to = from + reach;
    seats = job.team->seats + static_cast<size_t>(meetings % 2) * job.team->capacity;
    Seat& mine = seats[job.member];
    for (uint32_t i = from; i < size && i < shown_to; ++i) mine.votes[i - from] = votes[i];
    prefetch(literals(from), blocks * sizeof(uint64_t));  // for the next step, while waiting
    meet(meetings);
}

template <class States, class Weak, class Clause>
int32_t Learner<States, Weak, Clause>::total(uint32_t i) const {
    if (alone()) return votes[i];
    int32_t sum = 0;
    for (uint32_t member = 0; member < job.share.n_members; ++member) sum += seats[member].votes[i - shown_from];
    return sum;
}
