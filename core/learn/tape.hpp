// The coins of a clause (common/tape.h), for all automata of one update or for the listed automata of several.
#pragma once
#include "../common/rota.h"
#include "../common/tape.h"
#include "../simd/counter.hpp"
#include "../simd/words.hpp"
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Rota with coins: the updates of a cycle up to the toss of each automaton.
template <class Kind> void Learner<Kind>::fill_at_toss() {
    if (set.weak != adtm::Weak::rota || set.d == 0) return;
    for (uint32_t k = 0; k < n; ++k) scratch.at_toss[k] = static_cast<uint32_t>(adtm_toss_of(k, set.d, n) + 1);
}

// The tape of clause j for updates u .. u + q - 1: fills `scratch.tape`, returns the number of stretches.
template <class Kind> uint32_t Learner<Kind>::read_tape(uint32_t j, uint64_t u, uint32_t q) {
    const uint64_t d = set.d;
    if (d == 0) return 0;
    const uint64_t key = adtm_absorb(coin_key, j);
    const uint32_t rate = job.clauses.weak_rates[j];
    Stretch* const tape = scratch.tape;
    const auto stretch = [=](uint64_t cycle, uint32_t from, uint32_t to) {
        return Stretch{adtm_absorb(key, cycle), from, to, adtm_rota_ahead(cycle * d, rate)};
    };
    uint32_t stretches = 0;
    if (d == 1) {  // every update is a cycle, in which all toss
        for (const uint32_t n_all = n; stretches < q; ++stretches) tape[stretches] = stretch(u + stretches, 0, n_all);
        return stretches;
    }
    for (uint64_t rest = q; rest != 0;) {
        const adtm_stretch piece = adtm_tape(u, rest, d, n);
        u += piece.updates;
        rest -= piece.updates;
        if (piece.from != piece.to) tape[stretches++] = stretch(piece.cycle, piece.from, piece.to);
    }
    return stretches;
}

// A group of 512 automata of a clause with n, a bit each. The last group may have fewer.
class Group {
  public:
    // Whether any automaton of the group that begins with `first` tosses.
    static bool meets(uint32_t first, const Stretch& stretch) {
        return stretch.from < first + 512 && stretch.to > first;
    }
    Group(uint32_t first, uint32_t n) : first_(first), n_(n), all_(~Row512::zero()) {
        if (n - first < 512) all_ = lanes(0, n);
    }
    uint32_t n_blocks() const { return n_ - first_ < 512 ? (n_ - first_ + 63) / 64 : 8; }
    Row512 tossed(const Stretch& stretch) const {
        const bool all = stretch.from <= first_ && (stretch.to >= first_ + 512 || stretch.to == n_);
        return all ? all_ : lanes(stretch.from, stretch.to);
    }
    // Automaton k has bit k mod 32 of word k / 32 of its cycle; 0 says no.
    Row512 said_no(const Stretch& stretch, Row512 tossed) const {
        return ~words16(stretch.key, first_ / 32).row() & tossed;
    }

  private:
    Row512 lanes(uint32_t from, uint32_t to) const {
        uint64_t mask[8] = {};
        const uint32_t begin = from > first_ ? from - first_ : 0, end = to - first_ < 512 ? to - first_ : 512;
        for (uint32_t bit = begin; bit < end; bit = bit / 64 * 64 + 64)
            mask[bit / 64] = bit_range(bit % 64, end - bit / 64 * 64 < 64 ? end % 64 : 64);
        return Row512::load(mask);
    }

    uint32_t first_, n_;
    Row512 all_;
};

// The coins of one update: returns their number, and sets `tosses` and `skips` if there are any.
template <class Kind> uint64_t Learner<Kind>::toss(uint32_t j, uint64_t u) {
    if (!Weak::defers || set.d == 0 || read_tape(j, u, 1) == 0) return 0;
    const Stretch stretch = scratch.tape[0];
    const uint32_t n_all = n;
    uint64_t *tosses = scratch.tosses, *skips = scratch.skips;
    for (uint32_t first = 0; first < n_all; first += 512, tosses += 8, skips += 8) {
        Row512 tossed = Row512::zero(), no = Row512::zero();
        if (Group::meets(first, stretch)) {
            const Group group(first, n_all);
            tossed = group.tossed(stretch);
            no = group.said_no(stretch, tossed);
        }
        tossed.store(tosses);
        no.store(skips);
    }
    return stretch.to - stretch.from;
}

// The coins of several updates: writes to `skipped` how many moves each automaton loses.
template <class Kind> void Learner<Kind>::count_skips(const Weak& weak, uint32_t stretches) {
    uint64_t coins = 0, lost = 0;
    const Stretch* const tape = scratch.tape;
    for (uint32_t s = 0; s < stretches; ++s) coins += tape[s].to - tape[s].from;
    const uint32_t n_all = n;
    for (uint32_t first = 0; first < n_all; first += 512) {
        const Group group(first, n_all);
        Counter counter;
        for (uint32_t s = 0; s < stretches;) {
            Row512 rows[4];
            uint32_t n_rows = 0;
            for (; n_rows < 4 && s < stretches; ++s) {
                if (!Group::meets(first, tape[s])) continue;
                rows[n_rows++] = weak.lost(tape[s], group.said_no(tape[s], group.tossed(tape[s])), first);
            }
            for (uint32_t k = n_rows; k < 4; ++k) rows[k] = Row512::zero();
            if (n_rows != 0) counter.add_dense(rows, n_rows);
        }
        counter.template store<U8x64>(scratch.skipped + first, group.n_blocks());
        lost += counter.sum(group.n_blocks());
    }
    job.ledger.coins += coins;
    job.ledger.type_ib_skipped += lost;
}

// The coins of up to 64 listed literals in one stretch: bit k is set when entry k tosses and its coin says no.
inline uint64_t said_no(const Stretch& stretch, const uint16_t* entries, uint32_t count) {
    const U32x16 minus_from = U32x16::splat(0u - stretch.from), length = U32x16::splat(stretch.to - stretch.from);
    uint64_t no = 0;
    for (uint32_t k = 0; k < count; k += 16) {
        const U32x16 literal = U32x16::from_u16(entries + k);
        const uint32_t tossed = (literal + minus_from).less(length);
        if (tossed == 0) continue;  // as it often is where d is large
        const uint32_t yes = words_at(stretch.key, literal.shr<5>()).bits_at(literal);
        no |= static_cast<uint64_t>(tossed & ~yes) << k;
    }
    return no;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
