"""The automata of the paper's section 2: rules, graphs as data, and the convergence that the paper describes."""

import json
import math
from collections import Counter
from dataclasses import astuple
from functools import partial

import numpy as np
import pytest

from adtm.automata import MVFLA, Environment, Krinsky, Krylov, Tsetlin, long_run_shares, simulate, transition_matrix

EASY = Environment((0.2, 0.9))
EASY_FOR_1 = Environment((0.9, 0.2))
CLOSE = Environment((0.6, 0.7))
SURE = Environment((1e-12, 1 - 1e-12))  # one step in the long run's ratios is a factor of 1e12
POOR = Environment((0.1, 0.3))  # even the better action is mostly penalised
EVERY_AUTOMATON = [
    Tsetlin(5),
    Krinsky(5),
    Krylov(5),
    MVFLA(5, s=3, d=1),
    MVFLA(5, s=3, d=4),
    MVFLA(5, s=7),
    MVFLA(5, s=3, d=2, strong="include"),
]


def share_of_action_2(automaton, environment):
    return long_run_shares(automaton, environment)[automaton.n_states :].sum()


def follow(automaton, state, *feedbacks):
    for feedback in feedbacks:
        state = automaton.next_state(state, feedback)
    return state


def test_of_two_equal_actions_the_first_is_called_the_best():
    assert [Environment(p).best_action for p in ((0.5, 0.5), (0.4, 0.5), (0.5, 0.4))] == [1, 2, 1]


# --- the rules, state by state ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("automaton", EVERY_AUTOMATON, ids=repr)
def test_the_first_n_states_are_action_1_and_the_rest_action_2(automaton):
    assert [automaton.action(state) for state in range(1, 11)] == [1] * 5 + [2] * 5


def test_tsetlin_goes_deeper_on_reward_and_towards_the_middle_on_penalty():
    automaton = Tsetlin(3)
    assert [automaton.next_state(state, "reward") for state in range(1, 7)] == [1, 1, 2, 5, 6, 6]
    assert [automaton.next_state(state, "penalty") for state in range(1, 7)] == [2, 3, 4, 3, 4, 5]


def test_krinsky_jumps_to_the_deepest_state_on_reward_and_is_a_tsetlin_on_penalty():
    automaton = Krinsky(3)
    assert [automaton.next_state(state, "reward") for state in range(1, 7)] == [1, 1, 1, 6, 6, 6]
    assert [automaton.next_state(state, "penalty") for state in range(1, 7)] == [2, 3, 4, 3, 4, 5]


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("action", [1, 2])
def test_exactly_n_penalties_offset_one_krinsky_reward(n, action):
    automaton = Krinsky(n)
    state = n if action == 1 else n + 1
    rewarded = automaton.next_state(state, "reward")
    before_last = follow(automaton, rewarded, *["penalty"] * (n - 1))
    assert automaton.action(before_last) == automaton.action(state)
    assert automaton.action(automaton.next_state(before_last, "penalty")) != automaton.action(state)


def test_krylov_moves_like_tsetlin_but_tosses_a_coin_on_penalty_only():
    krylov, tsetlin = Krylov(4), Tsetlin(4)
    for state in range(1, 9):
        for feedback in ("reward", "penalty"):
            assert krylov.next_state(state, feedback) == tsetlin.next_state(state, feedback)
    assert krylov.probability("reward") == 1.0
    assert krylov.probability("penalty") == 0.5


@pytest.mark.parametrize("s", [1, 3, 20])
def test_one_strong_feedback_is_offset_by_s_weak_ones(s):
    automaton = MVFLA(100, s=s)
    assert follow(automaton, 90, "strong include", *["weak exclude"] * s) == 90
    assert follow(automaton, 110, "strong exclude", *["weak include"] * s) == 110


def test_mvfla_jumps_are_clamped_not_refused():
    automaton = MVFLA(10, s=7)
    assert automaton.next_state(18, "strong include") == 20
    assert automaton.next_state(3, "strong exclude") == 1
    assert automaton.next_state(20, "weak include") == 20
    assert automaton.next_state(1, "weak exclude") == 1


def test_every_dth_update_is_stochastic_and_no_other():
    assert [MVFLA(5, d=3).structure(u) for u in range(1, 8)] == ["deterministic", "deterministic", "stochastic"] * 2 + [
        "deterministic"
    ]
    assert {MVFLA(5, d=1).structure(u) for u in range(1, 100)} == {"stochastic"}
    assert {MVFLA(5, d=math.inf).structure(u) for u in range(1, 100)} == {"deterministic"}


def test_an_action_is_reinforced_by_its_reward_or_by_the_penalty_of_the_other():
    by_reward, by_include = MVFLA(5, strong="reward"), MVFLA(5, strong="include")
    cases = [(2, True), (1, False), (1, True), (2, False)]
    assert [by_reward.hears(*case) for case in cases] == [
        "strong include",
        "weak include",
        "strong exclude",
        "weak exclude",
    ]
    assert [by_include.hears(*case) for case in cases] == ["strong include"] * 2 + ["weak exclude"] * 2


# --- graphs as data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("structure", ["deterministic", "stochastic"])
@pytest.mark.parametrize("automaton", EVERY_AUTOMATON, ids=repr)
def test_arrows_of_one_state_and_feedback_sum_to_one(automaton, structure):
    total = Counter()
    for t in automaton.graph(structure).transitions:
        total[t.from_state, t.feedback] += t.probability
    assert total == {(state, feedback): 1.0 for state in range(1, 11) for feedback in automaton.feedbacks}


def test_the_tsetlin_graph_is_the_figure_of_the_paper():
    arrows = {(t.from_state, t.to_state, t.feedback) for t in Tsetlin(2).graph().transitions}
    assert arrows == {
        (1, 1, "reward"),
        (2, 1, "reward"),
        (3, 4, "reward"),
        (4, 4, "reward"),
        (1, 2, "penalty"),
        (2, 3, "penalty"),
        (3, 2, "penalty"),
        (4, 3, "penalty"),
    }


def test_the_stochastic_structure_halves_every_arrow_that_moves():
    steady, tossing = (MVFLA(4, s=2, d=5).graph(structure) for structure in ("deterministic", "stochastic"))
    moves = {(t.from_state, t.to_state, t.feedback) for t in steady.transitions if t.from_state != t.to_state}
    halved = {(t.from_state, t.to_state, t.feedback): t.probability for t in tossing.transitions}
    assert {t.probability for t in steady.transitions} == {1.0}
    assert all(halved[arrow] == 0.5 for arrow in moves)


@pytest.mark.parametrize("automaton", EVERY_AUTOMATON, ids=repr)
def test_a_walk_uses_the_arrows_of_the_graph_and_all_of_them_as_often_as_they_say(automaton):
    n = 20_000
    walk = simulate(automaton, CLOSE, n, random_state=3)
    seen = Counter()
    for i in range(n):
        feedback = automaton.hears(int(walk.actions[i]), bool(walk.rewards[i]))
        seen[automaton.structure(i + 1), int(walk.states[i]), feedback, int(walk.states[i + 1])] += 1
    for structure in {key[0] for key in seen}:
        arrows = {(t.from_state, t.feedback, t.to_state): t.probability for t in automaton.graph(structure).transitions}
        for (_, state, feedback, to), count in [item for item in seen.items() if item[0][0] == structure]:
            tried = sum(c for k, c in seen.items() if k[:3] == (structure, state, feedback))
            p = arrows[state, feedback, to]  # KeyError: the walk took an arrow that the graph does not have
            assert abs(count - p * tried) <= 5 * math.sqrt(p * (1 - p) * tried)


DRAWN = """\
digraph "MVF-LA, stochastic structure" {
  rankdir=LR;
  subgraph cluster_1 { label="exclude"; 1; 2; }
  subgraph cluster_2 { label="include"; 3; 4; }
  1 -> 3 [label="strong include (0.5)"];
  1 -> 1 [label="strong include (0.5)"];
  1 -> 2 [label="weak include (0.5)"];
  1 -> 1 [label="weak include (0.5)"];
  1 -> 1 [label="strong exclude"];
  1 -> 1 [label="weak exclude"];
  2 -> 4 [label="strong include (0.5)"];
  2 -> 2 [label="strong include (0.5)"];
  2 -> 3 [label="weak include (0.5)"];
  2 -> 2 [label="weak include (0.5)"];
  2 -> 1 [label="strong exclude (0.5)"];
  2 -> 2 [label="strong exclude (0.5)"];
  2 -> 1 [label="weak exclude (0.5)"];
  2 -> 2 [label="weak exclude (0.5)"];
  3 -> 4 [label="strong include (0.5)"];
  3 -> 3 [label="strong include (0.5)"];
  3 -> 4 [label="weak include (0.5)"];
  3 -> 3 [label="weak include (0.5)"];
  3 -> 1 [label="strong exclude (0.5)"];
  3 -> 3 [label="strong exclude (0.5)"];
  3 -> 2 [label="weak exclude (0.5)"];
  3 -> 3 [label="weak exclude (0.5)"];
  4 -> 4 [label="strong include"];
  4 -> 4 [label="weak include"];
  4 -> 2 [label="strong exclude (0.5)"];
  4 -> 4 [label="strong exclude (0.5)"];
  4 -> 3 [label="weak exclude (0.5)"];
  4 -> 4 [label="weak exclude (0.5)"];
}"""


def test_a_graph_can_be_drawn_from_plain_values():
    graph = MVFLA(2, s=2).graph("stochastic")
    assert graph.to_dot() == DRAWN
    plain = json.loads(json.dumps(graph.as_dict()))
    assert list(plain) == ["name", "nodes", "edges"]
    assert plain["name"] == "MVF-LA, stochastic structure"
    assert plain["nodes"] == [
        {"state": 1, "action": "exclude"},
        {"state": 2, "action": "exclude"},
        {"state": 3, "action": "include"},
        {"state": 4, "action": "include"},
    ]
    parts = ("from", "to", "feedback", "probability")
    assert plain["edges"] == [dict(zip(parts, astuple(arrow), strict=True)) for arrow in graph.transitions]


def test_a_graph_has_the_name_of_its_automaton():
    named = [automaton.graph("stochastic").name for automaton in (Tsetlin(2), Krinsky(2), Krylov(2))]
    assert [*named, MVFLA(2).graph().name] == ["Tsetlin", "Krinsky", "Krylov", "MVF-LA, deterministic structure"]


# --- the long run ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("automaton", EVERY_AUTOMATON, ids=repr)
@pytest.mark.parametrize("environment", [EASY, CLOSE, POOR])
def test_long_run_shares_are_left_unchanged_by_both_structures(automaton, environment):
    # So d changes the pace of an MVF-LA in a fixed environment, and not where it ends.
    shares = long_run_shares(automaton, environment)
    assert shares.sum() == pytest.approx(1)
    for structure in ("deterministic", "stochastic"):
        matrix = transition_matrix(automaton, environment, structure)
        np.testing.assert_allclose(matrix.sum(axis=1), 1)
        np.testing.assert_allclose(shares @ matrix, shares, atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 10, 300])  # the ratios of 300 end beyond the range of a float
@pytest.mark.parametrize("environment", [EASY, EASY_FOR_1, CLOSE, POOR, SURE])
def test_tsetlin_shares_follow_the_closed_form_of_a_birth_and_death_chain(n, environment):
    r1, r2 = environment.reward_probabilities
    c1, c2 = 1 - r1, 1 - r2
    ratios = [c1 / r1] * (n - 1) + [c1 / c2] + [r2 / c2] * (n - 1)  # detailed balance between neighbours
    logs = np.cumsum(np.log([1.0, *ratios]))
    weights = np.exp(logs - logs.max())
    np.testing.assert_allclose(
        long_run_shares(Tsetlin(n), environment), weights / weights.sum(), rtol=1e-9, atol=1e-300
    )


@pytest.mark.parametrize("make", [Krinsky, Krylov, partial(MVFLA, s=3), partial(MVFLA, s=3, strong="include")])
def test_shares_of_deep_automata_are_numbers_however_sure_they_are(make):
    for probabilities in ((0.01, 0.99), (0.99, 0.01)):
        automaton, environment = make(300), Environment(probabilities)
        shares = long_run_shares(automaton, environment)
        assert shares.sum() == pytest.approx(1)
        assert share_of_action_2(automaton, environment) == pytest.approx(environment.best_action - 1)
        np.testing.assert_allclose(shares @ transition_matrix(automaton, environment), shares, atol=1e-14)


@pytest.mark.parametrize("automaton", EVERY_AUTOMATON, ids=repr)
def test_walks_spend_their_time_as_the_markov_chain_says(automaton):
    walk = simulate(automaton, CLOSE, 60_000, random_state=11)
    seen = np.bincount(walk.states - 1, minlength=10) / len(walk.states)
    # A walk's steps hang together, so it settles more slowly than independent draws; 0.05 is far above its noise here.
    assert np.abs(seen - long_run_shares(automaton, CLOSE)).max() < 0.05


@pytest.mark.parametrize("make", [Tsetlin, Krinsky, Krylov, lambda n: MVFLA(n, s=3, d=10)])
@pytest.mark.parametrize("environment", [EASY, CLOSE])
def test_with_enough_states_the_better_action_is_taken_almost_always(make, environment):
    shares = [share_of_action_2(make(n), environment) for n in (1, 4, 16, 64)]
    assert shares == sorted(shares)
    assert shares[-1] > 1 - 1e-6
    mirrored = Environment(environment.reward_probabilities[::-1])
    assert share_of_action_2(make(64), mirrored) < 1e-6


def test_where_even_the_better_action_is_mostly_penalised_single_steps_do_not_settle():
    assert share_of_action_2(Tsetlin(100), POOR) == pytest.approx(2 / 3, abs=1e-6)
    assert share_of_action_2(Krylov(100), POOR) == pytest.approx(7 / 8, abs=1e-6)
    assert share_of_action_2(Krinsky(100), POOR) > 1 - 1e-6
    assert share_of_action_2(MVFLA(100, s=5), POOR) > 1 - 1e-6


def test_krylov_settles_where_tsetlin_does_not_once_a_third_of_the_answers_are_rewards():
    environment = Environment((0.1, 0.4))
    assert share_of_action_2(Krylov(60), environment) > 1 - 1e-6
    assert share_of_action_2(Tsetlin(60), environment) < 0.8


def updates_until_action_changes(automaton, first_state, penalised):
    """Expected number, by solving the chain that stops at the first state of the other action."""
    n = automaton.n_states
    matrix = transition_matrix(automaton, Environment((1 - penalised, 0.5)))[:n, :n]
    return np.linalg.solve(np.eye(n) - matrix, np.ones(n))[first_state - 1]


def test_krylov_takes_twice_as_many_penalties_as_tsetlin_to_give_an_action_up():
    assert updates_until_action_changes(Tsetlin(8), 1, penalised=1.0) == pytest.approx(8)
    assert updates_until_action_changes(Krylov(8), 1, penalised=1.0) == pytest.approx(16)
    assert updates_until_action_changes(Krylov(8), 1, penalised=0.7) > 2 * updates_until_action_changes(
        Tsetlin(8), 1, penalised=0.7
    )


def test_s_equal_to_one_makes_the_mvfla_a_tsetlin_automaton():
    np.testing.assert_allclose(
        transition_matrix(MVFLA(6, s=1), CLOSE), transition_matrix(Tsetlin(6), CLOSE), atol=1e-15
    )


def test_a_jump_as_long_as_an_action_is_deep_makes_the_mvfla_a_krinsky_automaton():
    np.testing.assert_allclose(
        transition_matrix(MVFLA(6, s=6), CLOSE), transition_matrix(Krinsky(6), CLOSE), atol=1e-15
    )


def test_inside_a_clause_a_literal_is_included_once_strong_feedback_outweighs_weak():
    # s states up with probability p against one state down: the balance is at p = 1 / (s + 1).
    for s in (2, 5):
        for p, included in ((1 / (s + 1) - 0.08, False), (1 / (s + 1) + 0.08, True)):
            share = share_of_action_2(MVFLA(100, s=s, strong="include"), Environment((1 - p, p)))
            assert (share > 0.99) == included
            assert (share < 0.01) != included


# --- walks -----------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_walk_and_another_seed_another():
    first, again, other = (simulate(Krylov(5), CLOSE, 300, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.states, again.states)
    np.testing.assert_array_equal(first.rewards, again.rewards)
    assert (first.states != other.states).any()


@pytest.mark.parametrize(("d", "coins"), [(1, 1000), (3, 333), (7, 142), (1000, 1), (1001, 0), (math.inf, 0)])
def test_one_update_in_d_tosses_a_coin(d, coins):
    assert simulate(MVFLA(10, d=d), CLOSE, 1000, random_state=0).coins == coins


def test_only_krylov_among_the_fixed_structures_tosses_coins_one_per_penalty():
    for automaton in (Tsetlin(5), Krinsky(5)):
        assert simulate(automaton, CLOSE, 500, random_state=0).coins == 0
    walk = simulate(Krylov(5), CLOSE, 500, random_state=0)
    assert walk.coins == np.count_nonzero(~walk.rewards) > 0


def test_a_deterministic_automaton_in_a_sure_environment_is_predictable():
    walk = simulate(MVFLA(5, s=2), Environment((0.0, 1.0)), 5, first_state=4, random_state=9)
    assert walk.states.tolist() == [4, 5, 6, 8, 10, 10]
    assert walk.actions.tolist() == [1, 1, 2, 2, 2]
    assert walk.rewards.tolist() == [False, False, True, True, True]


def test_a_seed_gives_the_walk_that_it_always_gave():
    walks = [simulate(Krylov(2), CLOSE, 8, random_state=seed) for seed in (0, 1)]
    assert [walk.states.tolist() for walk in walks] == [[3, 4, 4, 4, 4, 4, 4, 4, 4], [2, 3, 2, 1, 2, 1, 1, 1, 1]]
    assert [walk.coins for walk in walks] == [3, 4]


@pytest.mark.parametrize("first", [1, 10])
def test_a_walk_may_begin_at_either_end(first):
    assert simulate(Tsetlin(5), Environment((1.0, 1.0)), 2, first_state=first).states.tolist() == [first] * 3


def test_a_walk_of_no_updates_stays_at_the_middle():
    assert set(simulate(Tsetlin(5), EASY, 0, random_state=0).states) <= {5, 6}


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tsetlin(0), "n_states must be a whole number >= 1, got 0"),
        (lambda: Tsetlin(2.5), "n_states must be a whole number >= 1, got 2.5"),
        (lambda: MVFLA(5, s=0), "s must be a whole number >= 1, got 0"),
        (lambda: MVFLA(5, s=True), "s must be a whole number >= 1, got True"),
        (lambda: MVFLA(5, d=0), r"d must be a whole number >= 1 .* or math\.inf, got 0"),
        (lambda: MVFLA(5, d=2.5), r"d must be a whole number >= 1 .* or math\.inf, got 2.5"),
        (lambda: MVFLA(5, strong="weak"), "strong must be 'reward' or 'include', got 'weak'"),
        (lambda: MVFLA(5, strong="exclude"), "strong must be 'reward' or 'include', got 'exclude'"),
        (lambda: Environment((0.5, 1.5)), r"must be two numbers from 0 to 1, got \(0\.5, 1\.5\)$"),
        (lambda: Environment((0.1, 0.2, 0.3)), r"must be two numbers from 0 to 1, got \(0\.1, 0\.2, 0\.3\)$"),
        (lambda: Environment((-0.1, 0.5)), r"must be two numbers from 0 to 1, got \(-0\.1, 0\.5\)$"),
        (lambda: Environment((0.5, math.nan)), "reward_probabilities must be two numbers from 0 to 1"),
        (lambda: Environment((0.5,)), r"^reward_probabilities must be two numbers from 0 to 1, got \(0\.5,\)$"),
        (
            lambda: long_run_shares(Tsetlin(3), Environment((0.5, 1.0))),
            r"^reward_probabilities must lie strictly between 0 and 1, got \(0\.5, 1\.0\)$",
        ),
        (lambda: long_run_shares(Tsetlin(3), Environment((0.0, 0.5))), "must lie strictly between 0 and 1"),
        (lambda: Tsetlin(2).graph("random"), "structure must be 'deterministic' or 'stochastic', got 'random'"),
        (lambda: simulate(Tsetlin(2), EASY, -1), "n_updates must be a whole number >= 0, got -1"),
        (lambda: simulate(Tsetlin(2), EASY, 1, first_state=5), r"first_state must be a whole number in 1\.\.4, got 5"),
        (lambda: simulate(Tsetlin(2), EASY, 1, first_state=0), r"first_state must be a whole number in 1\.\.4, got 0"),
        (
            lambda: simulate(Tsetlin(2), EASY, 1, first_state=1.5),
            r"first_state must be a whole number in 1\.\.4, got 1",
        ),
        (lambda: Tsetlin(2).next_state(3, "rewrad"), "feedback must be one of 'reward', 'penalty', got 'rewrad'$"),
        (lambda: MVFLA(2).next_state(3, "strong"), "feedback must be one of 'strong include', .*, got 'strong'$"),
        (lambda: Krinsky(2).next_state(5, "reward"), r"state must be a whole number in 1\.\.4, got 5"),
        (lambda: long_run_shares(Tsetlin(2), Environment((0, 1))), "must lie strictly between 0 and 1"),
    ],
)
def test_bad_input_is_named_with_its_expectation(make, message):
    with pytest.raises(ValueError, match=message):
        make()
