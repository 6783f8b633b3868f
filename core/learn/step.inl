// The window, and the six lines of a step in it: outputs, vote, goal, selection, feedback, weights.

template <class States, class Weak, class Clause>
Learner<States, Weak, Clause>::Learner(TrainJob* job_)
    : job(*job_),
      set(*job.settings),
      shape(job.shape),
      bank(job.bank),
      scratch(job.scratch),
      n(set.n_literals),
      blocks(shape.n_padded / 64),
      low(static_cast<Element>(kBoundary - set.n_states)),
      high(static_cast<Element>(kBoundary - 1 + set.n_states)),
      select_key(adtm_absorb(adtm_absorb(set.seed, ADTM_SELECT), bank.number)),
      coin_key(adtm_absorb(adtm_absorb(set.seed, ADTM_COIN), bank.number)),
      patch_key(adtm_absorb(adtm_absorb(set.seed, ADTM_PATCH), bank.number)) {
    take_share();
}

template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::take_share() {
    const Share& share = job.share;
    first_clause = 64 * share.first_block;
    last_clause = 64 * share.last_block < set.n_clauses ? 64 * share.last_block : set.n_clauses;
    first = kWindow * share.window;
    const uint64_t left = job.stream.n_steps - first;
    size = left < kWindow ? static_cast<uint32_t>(left) : kWindow;
}

template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::prepare() {
    for (uint32_t j = first_clause; j < last_clause; ++j) {
        List<States>(job, j).clear();
        sweep(j, [](uint32_t, States v) { return v; });
    }
}

template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::train() {
    fill_at_toss();
    if (sees_patches()) PatchColumns(set.grid, scratch.patches).fill_places();
    do {
        take_share();
        if (sees_patches()) slide();
        else window();
    } while (job.team->next(job.team, job.member, &job.share));
    for (uint32_t j = first_clause; j < last_clause; ++j) settle(j);
}

template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::window() {
    fill_columns();
    evaluate();
    uint32_t fed = 0;  // steps that gave feedback
    reach = kShown;
    publish_votes(0);
    for (uint32_t i = 0; i < size; ++i) {
        if (i == shown_to) publish_votes(i);
        const adtm_goal wanted = goal(i);
        if (wanted.gap == 0) continue;
        // About twice as far as the next step with feedback is likely to be. Everyone counts the same.
        reach = 2 * (i + 1) / ++fed - 1;
        if (reach > kShown) reach = kShown;
        step(i, wanted);
        if (i + 1 < size) publish_votes(i + 1);
    }
    while (catch_up_one()) {}
}

// Rule 3, goal (common/goal.h).
template <class States, class Weak, class Clause>
adtm_goal Learner<States, Weak, Clause>::goal(uint32_t i) const {
    const int32_t vote = total(i), target = job.stream.targets[first + i];
    return set.goal == Goal::to_class ? adtm_class_goal(vote, target, set.vote_target)
                                      : adtm_value_goal(vote, target, set.vote_target);
}

// Selection, feedback and weights of step i. The clauses to be updated are listed first, so that what the update of one will read
// can be fetched while others are updated: a bank outgrows the nearest caches.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::step(uint32_t i, adtm_goal goal) {
    constexpr uint32_t kAhead = 3;
    uint32_t* const work = scratch.work;
    uint32_t n_work = 0;
    const auto list = [&](uint64_t clauses, uint32_t block, uint32_t kind) {
        for (; clauses != 0; clauses &= clauses - 1) work[n_work++] = kind | (64 * block + lowest_bit(clauses));
    };
    select(i, goal, [&](uint32_t block, uint64_t selected) {
        const uint64_t fired = scratch.fires[i * shape.clause_blocks + block];
        const uint64_t type_i = goal.up ? positive(i, block) : ~positive(i, block);
        list(selected & fired & type_i, block, kIa);
        list(selected & fired & ~type_i, block, kII);
        const uint64_t type_ib = selected & type_i & ~fired;
        if (type_ib == 0) return;
        if (!alone() && (type_ib & scratch.late[block]) != 0) catch_up_late(block, type_ib & scratch.late[block]);
        list(defer(block, type_ib), block, kIb);
    });
    for (uint32_t k = 0; k < n_work; ++k) {
        if (k + kAhead < n_work) prefetch_clause(work[k + kAhead] & 0xFFFF, work[k + kAhead] > 0xFFFF);
        const uint32_t j = work[k] & 0xFFFF, kind = work[k] & ~0xFFFFu;
        if (kind == kIb) learn(i, j, kind);
        else learn_in_time(i, j, kind);
    }
    if (set.weights != Weights::fixed) move_weights(i, goal.up != 0, n_work);
}

// Clause j learns from step i.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::learn(uint32_t i, uint32_t j, uint32_t kind) {
    const bool changed = kind == kIa   ? type_ia(j, literals_for(i, j))
                         : kind == kII ? type_ii(j, literals_for(i, j))
                                       : look(j);
    if (changed && !sees_patches()) refresh(j, i);
}

template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::prefetch_clause(uint32_t j, bool fired) const {
    if (fired || !Weak::defers) {
        prefetch(row(j), shape.n_padded * sizeof(Element));
    } else {
        const List<States> list(job, j);
        prefetch(list.entries, 64);
        prefetch(list.depths, 64);
    }
}

template <class States, class Weak>
static void prepare_bank(TrainJob* job) {
    Learner<States, Weak, Strict>(job).prepare();
}

template <class States, class Weak, class Clause>
static void train_bank(TrainJob* job) {
    Learner<States, Weak, Clause>(job).train();
}
