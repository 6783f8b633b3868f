// Rule 5, feedback: Type Ia and Type II, to clauses that fire. Type Ib, to clauses that do not, is deferred (defer.inl).
// Both begin with what was deferred: one sweep over the row applies it and the feedback.

// Type Ia: clause j is to fire on these literals again. True ones move strongly up, false ones weakly down.
template <class States, class Weak>
bool Learner<States, Weak>::type_ia(uint32_t j, const uint64_t* literals) {
    const States floor = States::splat(low), ceiling = States::splat(high);
    const Element jump = step_size(j);
    const uint64_t u = now(j), coins = toss(j, u);
    const uint64_t* skips = scratch.skips;
    const typename Weak::Update update = Weak(job, j).update(u);
    uint64_t strong = 0, weak = 0;  // moves made
    const bool changed = catch_up(j, 1, [&](uint32_t block, States v) {
        const uint64_t on = literals[block];
        uint64_t up = on & valid(block) & update.strong(block), down = ~on & valid(block) & update.weak(block);
        if (coins != 0) up &= ~skips[block], down &= ~skips[block];
        strong += count_bits(up);
        weak += count_bits(down);
        v = v.adds(States::select(up, jump)).min(ceiling);
        return v.subs(States::select(down, 1)).max(floor);
    });
    const uint64_t half = n / 2;  // of x and not x exactly one is true
    job.ledger.type_ia_strong_offered += half;
    job.ledger.type_ia_strong_skipped += half - strong;
    job.ledger.type_ia_weak_offered += half;
    job.ledger.type_ia_weak_skipped += half - weak;
    job.ledger.coins += coins + update.draws(n);
    return changed;
}

// Type II: clause j fires and should not. Its excluded false literals move strongly towards inclusion.
template <class States, class Weak>
bool Learner<States, Weak>::type_ii(uint32_t j, const uint64_t* literals) {
    const States ceiling = States::splat(high);
    const Element jump = step_size(j);
    const uint64_t* include = include_row(j);
    const uint64_t coins = toss(j, now(j));
    const uint64_t *tosses = scratch.tosses, *skips = scratch.skips;
    uint64_t offered = 0, skipped = 0, tossed = 0;
    const bool changed = catch_up(j, 1, [&](uint32_t block, States v) {
        uint64_t up = ~literals[block] & ~include[block] & valid(block);
        offered += count_bits(up);
        if (coins != 0) {
            tossed += count_bits(up & tosses[block]);
            skipped += count_bits(up & skips[block]);
            up &= ~skips[block];
        }
        return v.adds(States::select(up, jump)).min(ceiling);
    });
    job.ledger.type_ii_offered += offered;
    job.ledger.type_ii_skipped += skipped;
    job.ledger.coins += tossed;
    return changed;
}
