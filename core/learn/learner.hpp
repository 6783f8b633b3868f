// One member of a team that trains a bank. It computes what adtm/machine/backends/reference defines, in another order.
// This class is the table of contents: each file of this folder has the methods of one rule of the step, or of one
// trick. The tricks:
//   window      the next 64 steps are evaluated together: a clause is the AND of its included literals' 64-bit columns
//   step        a step whose vote has reached its goal is skipped; draws are pure functions, so nothing is lost
//   deferral    Type Ib is only counted as long as it cannot change an action, then one sweep applies it (defer.hpp)
//   refresh     a clause is evaluated again only if its actions changed, for the rest of the window
//   team        members meet before all feedback is given: some of it cannot change the next votes (team.hpp)
// With patches a step is evaluated when it comes, all its patches together (patches.hpp).
#pragma once
#include "../common/draws.h"
#include "../common/goal.h"
#include "../simd/bits.hpp"
#include "../types.hpp"
#include "lists.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// What a learner is compiled for: the type of 64 states, the rule of weak feedback, and whether clauses are an AND or
// count the literals that fail, in one byte or two.
template <class States_, class Weak_, Counting counting>
struct LearnerKind {
    using States = States_;
    using Weak = Weak_;
    static constexpr bool tolerant = counting != Counting::none;
    static constexpr bool wide = counting == Counting::words;
};

template <bool wide> struct CountOf {
    using type = uint8_t;
};
template <> struct CountOf<true> {
    using type = uint16_t;
};

template <class Kind>
class Learner {
  public:
    explicit Learner(TrainJob* job_);
    void prepare();  // set include masks, lists and limits from the states
    void train();  // learn from window after window

  private:
    using States = typename Kind::States;
    using Weak = typename Kind::Weak;
    using Element = typename States::Element;
    static constexpr bool tolerant = Kind::tolerant, wide = Kind::wide;
    using Count = typename CountOf<wide>::type;  // votes of a tolerant clause at one step
    // An entry of the work list: the number of a clause, the kind of feedback, the step.
    static constexpr uint32_t kIb = 0, kIa = 1u << 16, kII = 2u << 16, kKind = 3u << 16, kStep = 18;
    static constexpr Element kBoundary = List<States>::kBoundary;

    TrainJob& job;
    const Settings& set;
    const Shape& shape;
    const Bank& bank;
    const Scratch& scratch;
    const uint32_t n, blocks;  // literals, and blocks of 64 of them
    const Element low, high;  // states 1 and 2N, as they are stored
    const uint64_t select_key, coin_key, patch_key;
    const uint64_t* columns = nullptr;  // of the window
    uint64_t first = 0;  // step of the stream at which the window begins
    uint32_t size = 0;  // steps of the window; the last window may be short
    uint32_t first_clause = 0, last_clause = 0;  // of this member
    uint32_t n_work = 0;  // entries of the work list
    int32_t votes[kWindow];  // of this member's clauses, at each step of the window
    // team.hpp
    uint32_t meetings = 0;  // number of the last meeting in this window; members hand clauses over at meeting 0
    uint32_t shown_from = 0, shown_to = 0;  // steps whose votes the last meeting showed
    uint32_t known_to = 0;  // the votes shown for earlier steps are final
    int32_t total[kShown];  // votes of the bank at the steps shown

    // step.hpp
    void window();
    adtm_goal goal(uint32_t i) const;
    void step(uint32_t i, adtm_goal goal);
    void list(uint32_t i, uint32_t block, uint64_t clauses, uint32_t kind);
    void work_off();
    void prefetch_clause(uint32_t j, bool fired) const;
    // outputs.hpp
    void fill_columns(uint64_t window);
    void evaluate();
    uint64_t conjunction(uint32_t j, uint64_t steps) const;
    uint64_t dense_conjunction(const uint64_t* include, uint64_t steps) const;
    void refresh(uint32_t j, uint32_t i);
    // tolerance.hpp
    uint32_t most_votes(uint32_t c) const;
    uint32_t included(uint32_t j) const;
    template <class Visit> void for_each_eight(uint32_t j, Visit visit) const;
    Count* counts(uint32_t j) const { return static_cast<Count*>(scratch.counts) + static_cast<size_t>(kWindow) * j; }
    U8x64 count_votes(uint32_t j) const;
    template <class Missed> Missed missed(uint32_t j, uint32_t c, uint32_t most) const;
    uint64_t count_widely(uint32_t j) const;
    uint64_t count_clause(uint32_t j) const;
    void add_counted_votes(uint32_t block);
    uint64_t recount(uint32_t j);
    // patches.hpp
    void slide();
    void evaluate_patches(uint32_t i);
    uint32_t best_votes(uint32_t j);
    const uint64_t* literals_for(uint32_t i, uint32_t j);
    uint32_t choose_patch(uint32_t j);
    // late.hpp
    void put_off(uint32_t i, uint32_t block, uint64_t clauses, uint32_t kind);
    void list_late(uint32_t block, uint64_t clauses);
    void list_within_reach(uint32_t from);
    bool catch_up_one();
    // vote.hpp
    void add_votes(uint32_t block, const uint64_t* fired);
    // team.hpp
    void meet(const int32_t* shown);
    void show_votes(uint32_t from);
    uint32_t likely_gap(uint32_t from) const;
    void publish_votes(uint32_t from);
    // selection.hpp
    template <class Take> void select(uint32_t i, adtm_goal goal, Take take);
    // feedback.hpp
    bool type_ia(uint32_t j, const uint64_t* literals);
    template <bool grows> bool type_ia(uint32_t j, const uint64_t* literals);
    bool type_ii(uint32_t j, const uint64_t* literals);
    // weights.hpp
    uint32_t output(uint32_t i) const;
    int32_t weight(uint32_t i, uint32_t j) const;
    uint64_t positive(uint32_t i, uint32_t block) const;
    void move_weights(uint32_t i, bool up, uint32_t block, uint64_t clauses);
    int32_t moved_weight(int32_t weight, bool up) const;
    // defer.hpp
    uint64_t defer(uint32_t block, uint64_t clauses);
    bool look(uint32_t j);
    bool settle(uint32_t j);
    template <class Move> bool catch_up(uint32_t j, uint32_t own, Move move);
    template <class Move> bool sweep(uint32_t j, Move move);
    template <bool due> bool move_listed(uint32_t j);
    bool foresee_one();
    uint32_t deferred(uint32_t j) const;
    uint64_t now(uint32_t j) const;
    uint8_t limit(uint32_t j, uint32_t depth) const;
    // tape.hpp
    void fill_at_toss();
    uint32_t read_tape(uint32_t j, uint64_t u, uint32_t q);
    uint64_t toss(uint32_t j, uint64_t u);
    void count_skips(const Weak& weak, uint32_t stretches);

    // The strong step of clause j.
    Element step_size(uint32_t j) const { return static_cast<Element>(job.clauses.steps[j]); }
    Element* row(uint32_t j) const {
        return static_cast<Element*>(bank.states) + static_cast<size_t>(j) * shape.n_padded;
    }
    uint64_t* include_row(uint32_t j) const { return bank.includes + static_cast<size_t>(j) * blocks; }
    uint64_t valid(uint32_t block) const {
        return block + 1 < blocks ? ~uint64_t{0} : bit_range(0, n - 64 * (blocks - 1));
    }
    uint64_t clauses_in(uint32_t block) const {
        return block + 1 < shape.clause_blocks ? ~uint64_t{0}
                                               : bit_range(0, set.n_clauses - 64 * (shape.clause_blocks - 1));
    }
    const uint64_t* sample(uint64_t step) const {
        return job.stream.literals + static_cast<size_t>(job.stream.rows[step]) * shape.sample_words;
    }
    const uint64_t* literals(uint32_t i) const { return sample(first + i); }
    uint32_t steps_of(uint64_t window) const {
        const uint64_t begin = kWindow * window, left = job.stream.n_steps > begin ? job.stream.n_steps - begin : 0;
        return left < kWindow ? static_cast<uint32_t>(left) : kWindow;
    }
    uint64_t* columns_of(uint64_t window) const { return job.team->columns[alone() ? 0 : window % 2]; }
    bool alone() const { return job.share.n_members == 1; }
    bool sees_patches() const { return set.grid.n_patches != 0; }
    void take_share();
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
