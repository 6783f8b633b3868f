// Rule 1 with tolerance: a clause casts up to F votes, one less for each included literal that is false. A byte has the
// votes for each of the 64 steps of a window; where F > 255, a 16-bit word has them. The other rules only ask whether a
// clause fires, that is, casts any vote.
#pragma once
#include "../simd/misses.hpp"
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// The votes of a clause that includes c literals, where none fails.
template <class Kind> uint32_t Learner<Kind>::most_votes(uint32_t c) const {
    return c == 0 || c > set.most_votes ? set.most_votes : c;
}

template <class Kind> uint32_t Learner<Kind>::included(uint32_t j) const {
    const List<States> list(job, j);
    if (list.exists()) return list.size();
    uint32_t count = 0;
    for (uint32_t block = 0; block < blocks; ++block) count += count_bits(include_row(j)[block]);
    return count;
}

// Calls visit(eight columns) for the included literals of clause j, until it returns false. The column of ones, which
// never fails, fills the last eight.
template <class Kind> template <class Visit>
void Learner<Kind>::for_each_eight(uint32_t j, Visit visit) const {
    const List<States> list(job, j);
    uint64_t eight[8];
    if (list.exists()) {
        const uint16_t* literal = list.entries;
        for (const uint16_t* end = literal + list.size(); literal < end; literal += 8) {
            for (uint32_t k = 0; k < 8; ++k) eight[k] = columns[literal[k]];
            if (!visit(eight)) return;
        }
        return;
    }
    uint32_t held = 0;
    for (uint32_t block = 0; block < blocks; ++block)
        for (uint64_t rest = include_row(j)[block]; rest != 0; rest &= rest - 1) {
            eight[held++] = columns[64 * block + lowest_bit(rest)];
            if (held < 8) continue;
            if (!visit(eight)) return;
            held = 0;
        }
    if (held == 0) return;
    while (held < 8) eight[held++] = ~uint64_t{0};
    visit(eight);
}

// The failed literals of clause j at the steps of the window.
template <class Kind> template <class Missed>
Missed Learner<Kind>::missed(uint32_t j, uint32_t c, uint32_t most) const {
    Missed misses(c);
    uint32_t seen = 0;  // eights; a long clause often fails everywhere after a few
    for_each_eight(j, [&](const uint64_t* eight) {
        Word64 failed[8];
        for (uint32_t k = 0; k < 8; ++k) failed[k].v = ~eight[k];
        misses.add(failed);
        return ++seen % 8 != 0 || !misses.all_at_least(most);
    });
    return misses;
}

// As count_clause, for more votes than a byte holds.
template <class Kind> uint64_t Learner<Kind>::count_widely(uint32_t j) const {
    const uint32_t c = included(j), most = most_votes(c);
    Word64 planes[16];
    missed<Misses<Word64, 16>>(j, c, most).left(most, planes);
    uint64_t fires = 0;
    Count* const counts_of_j = counts(j);
    for (uint32_t i = 0; i < kWindow; ++i) counts_of_j[i] = 0;
    for (uint32_t p = 0; most >> p != 0; ++p) {
        fires |= planes[p].v;
        for (uint32_t i = 0; i < kWindow; ++i)
            counts_of_j[i] = static_cast<Count>(counts_of_j[i] | (planes[p].v >> i & 1) << p);
    }
    return fires;
}

// The votes of clause j at the steps of the window.
template <class Kind> U8x64 Learner<Kind>::count_votes(uint32_t j) const {
    const uint32_t c = included(j), most = most_votes(c);
    if constexpr (kCheapSelect) {
        uint32_t seen = 0;  // eights; a long clause often fails everywhere after a few
        U8x64 left = U8x64::splat(static_cast<uint8_t>(most));
        for_each_eight(j, [&](const uint64_t* eight) {
            for (uint32_t k = 0; k < 8; ++k) left = left.subs(U8x64::select(~eight[k], 1));
            return ++seen % 8 != 0 || zeros(left) != ~uint64_t{0};
        });
        return left;
    } else {
        Word64 planes[8];
        missed<Misses<Word64>>(j, c, most).left(most, planes);
        U8x64 left = U8x64::splat(0);
        for (uint32_t p = 0; most >> p != 0; ++p)
            if (planes[p].v != 0) left = left.adds(U8x64::select(planes[p].v, static_cast<uint8_t>(1u << p)));
        return left;
    }
}

// Evaluate clause j for the window; returns the steps at which it fires.
template <class Kind> uint64_t Learner<Kind>::count_clause(uint32_t j) const {
    if constexpr (wide) {
        return count_widely(j);
    } else {
        const U8x64 votes_of_j = count_votes(j);
        votes_of_j.store(counts(j));
        return ~zeros(votes_of_j);
    }
}

// Add the votes of a block of clauses, which count_clause has counted.
template <class Kind> void Learner<Kind>::add_counted_votes(uint32_t block) {
    const uint32_t end = last_clause < 64 * (block + 1) ? last_clause : 64 * (block + 1);
    if (!wide && set.n_outputs == 1 && bank.unit[block] != 0) {
        U16x64 plus = U16x64::splat(0), minus = plus;  // at most 64 * 255
        for (uint32_t j = 64 * block; j < end; ++j) {
            const U16x64 more = U16x64::from_bytes(reinterpret_cast<const uint8_t*>(counts(j)));
            if ((bank.positive[block] >> (j % 64) & 1) != 0) plus = plus.adds(more);
            else minus = minus.adds(more);
        }
        uint16_t up[64], down[64];
        plus.store(up);
        minus.store(down);
        for (uint32_t i = 0; i < kWindow; ++i) votes[i] += up[i] - down[i];
        return;
    }
    for (uint32_t j = 64 * block; j < end; ++j) {
        const Count* said = counts(j);
        for (uint32_t i = 0; i < size; ++i) votes[i] += weight(i, j) * said[i];
    }
}

// The actions of clause j changed: evaluate it again, correct the votes, return the steps at which it fires. The votes
// of earlier steps change too, but nobody reads them again.
template <class Kind> uint64_t Learner<Kind>::recount(uint32_t j) {
    Count before[kWindow];
    const Count* said = counts(j);
    for (uint32_t i = 0; i < kWindow; ++i) before[i] = said[i];
    const uint64_t fires = count_clause(j);
    if (set.n_outputs == 1) {
        const int32_t w = bank.weights[j];
        for (uint32_t i = 0; i < kWindow; ++i) votes[i] += w * (said[i] - before[i]);
    } else {
        for (uint32_t i = 0; i < size; ++i) votes[i] += weight(i, j) * (said[i] - before[i]);
    }
    return fires;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
