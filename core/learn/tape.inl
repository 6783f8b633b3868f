// The coins of a clause (common/tape.h), for all automata of an update or for the listed ones of several.

// Rota with coins: how many updates of a cycle there are up to the toss of each automaton.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::fill_at_toss() {
    if (set.weak != adtm::Weak::rota || set.determinism == 0) return;
    for (uint32_t k = 0; k < n; ++k)
        scratch.at_toss[k] = static_cast<uint32_t>(adtm_toss_of(k, set.determinism, n) + 1);
}

// The tape of clause j for updates u .. u + q - 1: fills `scratch.tape`, returns the number of stretches.
template <class States, class Weak, class Clause>
uint32_t Learner<States, Weak, Clause>::read_tape(uint32_t j, uint64_t u, uint32_t q) {
    const uint64_t d = set.determinism;
    if (d == 0) return 0;
    const uint64_t key = adtm_absorb(coin_key, j);
    uint32_t stretches = 0;
    for (uint64_t rest = q; rest != 0;) {
        const adtm_stretch piece = adtm_tape(u, rest, d, n);
        u += piece.updates;
        rest -= piece.updates;
        if (piece.from == piece.to) continue;
        scratch.tape[stretches++] = {adtm_absorb(key, piece.cycle), piece.from, piece.to,
                                     adtm_rota_ahead(piece.cycle * d, job.clauses.weak_rates[j])};
    }
    return stretches;
}

// Automaton k has bit k mod 32 of word k / 32 of its cycle; 0 says no. Calls say(block, tossed, no) with bit masks for
// the blocks of one group of 512 automata that toss.
template <class Say>
static void read_coins(const Stretch& stretch, uint32_t group, Say say) {
    if (stretch.from >= group + 512 || stretch.to <= group) return;
    uint64_t coin[8];
    words16(stretch.key, group / 32).store(coin);
    const uint32_t from = stretch.from > group ? (stretch.from - group) / 64 : 0;
    const uint32_t to = stretch.to - group < 512 ? (stretch.to - group + 63) / 64 : 8;
    for (uint32_t k = from; k < to; ++k) {
        const uint32_t start = group + 64 * k;
        uint64_t tossed = ~uint64_t{0};
        if (stretch.from > start) tossed &= bit_range(stretch.from - start, 64);
        if (stretch.to < start + 64) tossed &= bit_range(0, stretch.to - start);
        say(k, tossed, tossed & ~coin[k]);
    }
}

// Coins of one update: sets `tosses` and `skips` where there are any, returns their number.
template <class States, class Weak, class Clause>
uint64_t Learner<States, Weak, Clause>::toss(uint32_t j, uint64_t u) {
    if (!Weak::defers || read_tape(j, u, 1) == 0) return 0;
    const Stretch& stretch = scratch.tape[0];
    for (uint32_t group = 0; group < 64 * blocks; group += 512) {
        uint64_t *tosses = scratch.tosses + group / 64, *skips = scratch.skips + group / 64;
        for (uint32_t k = 0; k < 8; ++k) tosses[k] = skips[k] = 0;
        read_coins(stretch, group,
                   [&](uint32_t k, uint64_t tossed, uint64_t no) { tosses[k] = tossed, skips[k] = no; });
    }
    return stretch.to - stretch.from;
}

// The automata from .. to - 1 as bits of the group of 512 that starts at `group`.
static inline Row512 lanes(uint32_t from, uint32_t to, uint32_t group) {
    uint64_t mask[8];
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t start = group + 64 * k;
        const auto inside = [start](uint32_t x) { return x < start ? 0 : x - start < 64 ? x - start : 64; };
        mask[k] = bit_range(inside(from), inside(to));
    }
    return Row512::load(mask);
}

// Coins of several updates: counts in `skipped` the moves that each automaton loses. Lanes past the last automaton
// may count anything: they stay at the lowest state.
template <class States, class Weak, class Clause>
void Learner<States, Weak, Clause>::count_skips(const Weak& weak, uint32_t stretches) {
    uint64_t coins = 0, lost = 0;
    for (uint32_t s = 0; s < stretches; ++s) coins += scratch.tape[s].to - scratch.tape[s].from;
    const uint32_t n_all = n;
    for (uint32_t group = 0; group < n_all; group += 512) {
        Counter counter;
        for (uint32_t s = 0; s < stretches; ++s) {
            const Stretch& stretch = scratch.tape[s];
            if (stretch.from >= group + 512 || stretch.to <= group) continue;
            const Row512 no = (words16(stretch.key, group / 32) ^ U32x16::splat(~0u)).row();
            const bool whole = stretch.from <= group && (stretch.to >= group + 512 || stretch.to == n_all);
            counter.add_dense(weak.lost(stretch, whole ? no : no & lanes(stretch.from, stretch.to, group), group));
        }
        counter.template store<U8x64>(scratch.skipped + group);
        const Row512 real = group + 512 <= n_all ? Row512::zero() : lanes(0, n_all, group);
        lost += counter.sum(group + 512 <= n_all ? nullptr : &real);
    }
    job.ledger.coins += coins;
    job.ledger.type_ib_skipped += lost;
}

// The coins of up to 64 listed literals in one stretch: bit k is set when entry k tosses and its coin says no.
template <class States, class Weak, class Clause>
uint64_t Learner<States, Weak, Clause>::said_no(const Stretch& stretch, const uint16_t* entries, uint32_t count) {
    uint32_t* coin = reinterpret_cast<uint32_t*>(scratch.skips);
    for (uint32_t group = stretch.from / 512 * 512; group < stretch.to; group += 512)
        words16(stretch.key, group / 32).store(coin + group / 32);
    const U32x16 minus_from = U32x16::splat(0u - stretch.from), length = U32x16::splat(stretch.to - stretch.from);
    uint64_t no = 0;
    for (uint32_t k = 0; k < count; k += 16) {
        const U32x16 literal = U32x16::from_u16(entries + k);
        const uint32_t said = (literal + minus_from).less(length) & ~static_cast<uint32_t>(literal.bits_of(coin));
        no |= static_cast<uint64_t>(said) << k;
    }
    return no;
}
