#include "program.hpp"

#include <vector>

#include "common/draws.h"
#include "common/goal.h"

namespace adtm {
namespace {

constexpr uint64_t kCounter = 16;  // Purpose.COUNTER of adtm/machine/draws.py

uint64_t key_of(const Program& program, uint64_t purpose) {
    return adtm_absorb(adtm_absorb(program.seed, purpose), program.bank);
}

enum Coin : uint8_t { none, yes, no };  // of an automaton at an update

// The counter ticks once or twice for each pair of a literal and its negation; at a multiple of d they toss.
void toss(const Program& program, uint64_t before, uint32_t ticks, uint64_t key, Coin* coins) {
    const uint32_t half = program.n_literals / 2;
    for (uint32_t k = 0; k < program.n_literals; ++k) coins[k] = none;
    if (program.d == 0) return;
    const auto coin = [&](uint64_t k) { coins[k] = adtm_coin(key, static_cast<uint32_t>(k)) ? yes : no; };
    for (uint64_t tick = program.d - before % program.d; tick <= uint64_t{ticks} * half; tick += program.d) {
        const uint64_t pair = (tick - 1) / ticks;
        if (ticks == 1 || tick % 2 == 1) coin(pair);
        if (ticks == 1 || tick % 2 == 0) coin(half + pair);
    }
}

template <class Element>
void jump(const Program& program, Element* state) {
    if (*state + program.step <= 2 * program.n_states - 1) *state = static_cast<Element>(*state + program.step);
}

template <class Element>
void type_i(const Program& program, const uint8_t* sample, bool fires, const Coin* coins, Element* states,
            Ledger* ledger) {
    for (uint32_t k = 0; k < program.n_literals; ++k) {
        const bool up = fires && sample[k], skipped = coins[k] == no;
        ledger->coins += coins[k] != none;
        (up ? ledger->type_ia_strong_offered : fires ? ledger->type_ia_weak_offered : ledger->type_ib_offered) += 1;
        (up      ? ledger->type_ia_strong_skipped
         : fires ? ledger->type_ia_weak_skipped
                 : ledger->type_ib_skipped) += skipped;
        if (skipped) continue;
        if (up) jump(program, &states[k]);
        else if (states[k] > 0) --states[k];
    }
}

template <class Element>
void type_ii(const Program& program, const uint8_t* sample, const Coin* coins, Element* states, Ledger* ledger) {
    for (uint32_t k = 0; k < program.n_literals; ++k) {
        if (sample[k] || states[k] >= program.n_states) continue;
        const bool skipped = coins[k] == no;
        ledger->coins += coins[k] != none;
        ledger->type_ii_offered += 1;
        ledger->type_ii_skipped += skipped;
        if (!skipped) jump(program, &states[k]);
    }
}

}  // namespace

template <class Element>
Ledger learn_as_program(const Program& program, const uint8_t* literals, const uint32_t* rows, const int32_t* targets,
                        uint64_t n_steps, uint64_t first_step, const int32_t* weights, Element* states,
                        uint64_t* updates) {
    const uint32_t m = program.n_clauses, n = program.n_literals;
    const uint64_t select = key_of(program, ADTM_SELECT), counter = key_of(program, kCounter);
    const uint64_t of_coins = key_of(program, ADTM_COIN);
    std::vector<uint8_t> fires(m);
    std::vector<Coin> coins(n);
    Ledger ledger{};
    for (uint64_t i = 0; i < n_steps; ++i) {
        const uint8_t* sample = literals + size_t{rows[i]} * n;
        int32_t vote = 0;
        for (uint32_t j = 0; j < m; ++j) {
            const Element* clause = states + size_t{j} * n;
            uint32_t k = 0;
            while (k < n && (sample[k] || clause[k] < program.n_states)) ++k;
            fires[j] = k == n;
            vote += fires[j] * weights[j];
        }
        const adtm_goal goal = adtm_class_goal(vote, targets[i], program.T);
        const uint64_t draw = adtm_absorb(select, first_step + i);
        const bool some = goal.gap > 0 && goal.gap < goal.span;
        if (some) ledger.selection_draws += m;
        uint64_t before = adtm_word(adtm_absorb(counter, first_step + i), 0);
        for (uint32_t j = 0; j < m; ++j) {
            if (some ? adtm_word(draw, j) >= adtm_threshold(goal) : goal.gap == 0) continue;
            const bool grows = (weights[j] >= 0) == (goal.up != 0);
            if (!grows && !fires[j]) continue;
            const uint32_t ticks = grows ? 2 : 1;
            toss(program, before, ticks, adtm_absorb(adtm_absorb(of_coins, j), updates[j]), coins.data());
            Element* clause = states + size_t{j} * n;
            if (grows) type_i(program, sample, fires[j], coins.data(), clause, &ledger);
            else type_ii(program, sample, coins.data(), clause, &ledger);
            before += uint64_t{ticks} * (n / 2);
            ++updates[j];
        }
    }
    return ledger;
}

template Ledger learn_as_program(const Program&, const uint8_t*, const uint32_t*, const int32_t*, uint64_t, uint64_t,
                                 const int32_t*, uint8_t*, uint64_t*);
template Ledger learn_as_program(const Program&, const uint8_t*, const uint32_t*, const int32_t*, uint64_t, uint64_t,
                                 const int32_t*, uint16_t*, uint64_t*);

}  // namespace adtm
