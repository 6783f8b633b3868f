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

// Meet the other members after this one's work on the columns of a window, its evaluation or a step.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::meet(const int32_t* shown) {
    if (alone()) return;
    const auto meanwhile = [](void* who) {
        Learner* const learner = static_cast<Learner*>(who);
        // Some clauses may still be another member's.
        if (learner->meetings == 0) return false;
        return learner->catch_up_one() || learner->foresee_one();
    };
    const uint64_t number = 128 * job.share.window + meetings;
    job.team->meet(job.team, job.member, job.share.n_members, {number, shown, total, meanwhile, this});
}

// Give the feedback that decides the next votes, let the others see this member's, and wait for theirs.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::show_votes(uint32_t from) {
    if (!alone()) {
        known_to = likely_gap(from) + 1;
        list_within_reach(from);
    }
    work_off();
    if (from < size) publish_votes(from);
}

// The first step from `from` on whose vote, as far as it has been shown, has not reached its goal. Everyone finds the same.
template <class States, class Weak, class Clause>
uint32_t Learner<States, Weak, Clause>::likely_gap(uint32_t from) const {
    if (from >= shown_to) return from + kShown - 1;
    while (from + 1 < shown_to && goal(from).gap == 0) ++from;
    return from;
}

// Let the others see this member's votes for the next steps, and wait for theirs. What is late can still change the votes at
// steps from `known_to` on.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::publish_votes(uint32_t from) {
    if (alone()) return;
    ++meetings;
    int32_t shown[kShown];
    for (uint32_t k = 0; k < kShown; ++k) shown[k] = from + k < size ? votes[from + k] : 0;
    prefetch(literals(from), blocks * sizeof(uint64_t));  // for the next step, while waiting
    meet(shown);
    shown_from = from;
    shown_to = from + kShown < size ? from + kShown : size;
}
