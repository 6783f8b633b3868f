// Rule 6, weights: what a clause adds to a vote when it fires, for each output of the bank. Rule "fixed": they never
// change, so there is nothing to do after feedback; polarity is their sign.

// The output that step i of the window is about.
template <class States, class Weak, class Clause>
uint32_t Learner<States, Weak, Clause>::output(uint32_t i) const {
    return set.n_outputs == 1 ? 0 : job.stream.outputs[first + i];
}

template <class States, class Weak, class Clause>
int32_t Learner<States, Weak, Clause>::weight(uint32_t i, uint32_t j) const {
    return bank.weights[static_cast<size_t>(output(i)) * set.n_clauses + j];
}

// The clauses of a block that vote for that output.
template <class States, class Weak, class Clause>
uint64_t Learner<States, Weak, Clause>::positive(uint32_t i, uint32_t block) const {
    return bank.positive[static_cast<size_t>(output(i)) * shape.clause_blocks + block];
}
