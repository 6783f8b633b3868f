"""The energy model: the paper's power table, the constants behind it, and the join with a ledger."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

import adtm
from adtm.energy import PAPER, Conditions, Profile, estimate, paper_power_table
from adtm.energy.measured import PICOJOULES, measured_saving
from adtm.machine.ledger import Ledger


def test_the_model_reproduces_four_of_the_five_cells_at_d_5000_as_printed():
    cells = {cell.data_set: cell for cell in paper_power_table() if cell.d == 5000}
    assert [name for name, cell in cells.items() if cell.agrees] == [
        "bankruptcy",
        "breast_cancer",
        "balance_scale",
        "heart",
    ]
    assert cells["liver_disorders"].printed_mw == 11.8
    assert cells["liver_disorders"].model_mw == pytest.approx(11.72, abs=0.005)


def test_the_cells_at_d_1_are_the_models_own_starting_point():
    for cell in paper_power_table():
        if cell.d == 1:
            assert cell.agrees
            assert cell.model_mw == cell.printed_mw


def test_the_table_holds_every_printed_number_once():
    printed = {(cell.data_set, cell.d): cell.printed_mw for cell in paper_power_table()}
    assert printed == {
        ("bankruptcy", 1): 6.94,
        ("bankruptcy", 5000): 6.45,
        ("breast_cancer", 1): 15.8,
        ("breast_cancer", 5000): 14.7,
        ("balance_scale", 1): 7.7,
        ("balance_scale", 5000): 7.2,
        ("liver_disorders", 1): 12.6,
        ("liver_disorders", 5000): 11.8,
        ("heart", 1): 148.0,
        ("heart", 5000): 137.6,
    }


def test_the_shares_are_the_papers():
    assert PAPER.switching_share(1) == 0.07
    assert PAPER.switching_share(100) == pytest.approx(0.0007)  # "0.07 %"
    assert PAPER.switching_share(5000) == pytest.approx(0.000014)  # 0.0014 %, which the paper prints as 0.001 %
    assert PAPER.switching_share(math.inf) == 0
    assert PAPER.saving_share(1) == 0
    assert PAPER.saving_share(math.inf) == pytest.approx(0.39)


def test_the_eleven_milliwatts_of_the_abstract_are_ten_point_four_by_its_own_table():
    cells = {cell.d: cell.printed_mw for cell in paper_power_table() if cell.data_set == "heart"}
    assert cells[1] - cells[5000] == pytest.approx(10.4)
    assert PAPER.power_mw("heart", 1) - PAPER.power_mw("heart", 5000) == pytest.approx(10.36, abs=0.01)


def test_power_falls_with_d_and_jumps_down_once_the_generators_are_gone():
    powers = [PAPER.power_mw("heart", d) for d in (1, 2, 10, 100, 5000, math.inf)]
    assert powers == sorted(powers, reverse=True)
    assert powers[-1] == pytest.approx(148 * 0.61)
    assert powers[-2] - powers[-1] > 0.3 * 148


def test_the_power_table_is_that_of_its_profile():
    free = dataclasses.replace(PAPER, prng_switching_share=0.0)
    table = paper_power_table(free)
    assert [cell.model_mw for cell in table] == [free.power_mw(cell.data_set, 1) for cell in table]
    assert {cell.d for cell in table if cell.agrees} == {1}


def test_a_ledger_takes_the_place_of_d():
    for d in (1, 10, 500):
        run = Ledger(type_ia_strong_offered=400_000, type_ii_offered=600_000, coins=1_000_000 // d)
        result = estimate(run, "breast_cancer")
        assert result.coins_per_update == 1 / d
        assert result.power_mw == pytest.approx(PAPER.power_mw("breast_cancer", d))
        assert result.power_mw + result.saved_mw == pytest.approx(15.8)


def test_updates_that_a_coin_skipped_count_as_offered():
    run = Ledger(type_ib_offered=1000, type_ib_skipped=400, coins=800)
    assert estimate(run, "heart").coins_per_update == 0.8


def test_an_estimate_carries_every_random_number_of_the_run():
    run = Ledger(
        type_ib_offered=100,
        coins=1,
        selection_draws=20,
        other_class_draws=300,
        start_draws=4_000,
        shuffle_draws=50_000,
    )
    result = estimate(run, "heart")
    assert (result.coins, result.selection_draws, result.other_draws) == (1, 20, 54_300)


def test_generators_stay_until_they_are_said_to_be_removed():
    run = Ledger(type_ib_offered=1000, selection_draws=50)  # d = infinity: no coin, and still draws for selection
    kept, removed = estimate(run, "heart"), estimate(run, "heart", prngs_removed=True)
    assert kept.power_mw == pytest.approx(148 * 0.93)
    assert removed.power_mw == pytest.approx(PAPER.power_mw("heart", math.inf))
    assert removed.selection_draws == 50


def test_users_can_bring_a_profile_of_their_own():
    mine = Profile(
        "shared generator",
        "our own measurement",
        prng_switching_share=0.2,
        prng_leakage_share=0.0,
        power_at_d1_mw={"mine": 10.0},
        conditions=Conditions(cell_library="in house", clock="1 MHz"),
    )
    assert mine.power_mw("mine", 4) == pytest.approx(10 * (1 - 0.2 * 0.75))
    result = estimate(Ledger(type_ib_offered=8, coins=2), "mine", profile=mine)
    assert result.profile == "shared generator"
    assert result.power_mw == pytest.approx(8.5)


def test_a_profile_names_its_source_and_what_it_does_not_state():
    assert "Effects of Determinism on Energy Consumption" in PAPER.source
    stated = {name for name, value in dataclasses.asdict(PAPER.conditions).items() if value != "not stated"}
    assert stated == {"workload"}


def test_a_profile_cannot_be_changed_behind_its_back():
    powers = {"mine": 1.0}
    mine = Profile("mine", "here", 0.1, 0.1, power_at_d1_mw=powers)
    powers["mine"] = 2.0
    assert mine.power_mw("mine", 1) == 1.0
    assert pickle.loads(pickle.dumps(mine)) == mine
    with pytest.raises(dataclasses.FrozenInstanceError):
        mine.name = "other"


def test_generators_may_take_all_of_the_power():
    assert Profile("p", "s", 0.75, 0.25, {"x": 2.0}).power_mw("x", math.inf) == 0


@pytest.mark.parametrize(("d", "measured"), [(3, "d = 1"), (4, "d = 10"), (40, "d = 100"), (2**32, "d = 5000")])
def test_between_two_measured_d_the_nearer_one_counts_by_their_ratio(d, measured):
    settings = adtm.ADTMClassifier(**adtm.PAPER, n_clauses=4, T=2, s=3, d=d).check_parameters()
    first, spent = PICOJOULES["d = 1"], PICOJOULES[measured]
    assert measured_saving(settings) == {source: 1 - spent[source] / first[source] for source in ("each", "shared")}


@pytest.mark.parametrize(
    ("parameters", "measured"),
    [
        ({"weak": "every", "tolerance": 0, "d": math.inf}, "d = infinity"),
        ({"weak": "rota", "tolerance": 0, "d": math.inf}, "no random number"),
        ({"weak": "rota", "tolerance": 1, "d": math.inf}, "no random number, tolerant"),
        ({"patch": (2, 2)}, None),
    ],
)
def test_a_machine_is_compared_with_the_measured_one_that_learns_like_it(parameters, measured):
    machine = adtm.ADTMClassifier(n_clauses=4, T=2, booleanizer=None, choose=False, **parameters)
    images = np.zeros((2, 3, 3) if "patch" in parameters else (2, 9), bool)
    settings = machine.fit(images, [0, 1]).model_.settings
    first = PICOJOULES["d = 1"]
    expected = measured and {source: 1 - PICOJOULES[measured]["none"] / first[source] for source in ("each", "shared")}
    assert measured_saving(settings) == expected


@pytest.mark.parametrize("d", [0, -1, 2.5, math.nan, -math.inf])
def test_an_impossible_d_is_refused(d):
    with pytest.raises(ValueError, match=r"d must be a whole number >= 1 \(at most 2\*\*32\) or math\.inf, got "):
        PAPER.power_mw("heart", d)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Profile("p", "s", 1.5, 0.0), "prng_switching_share must be a share from 0 to 1, got 1.5"),
        (lambda: Profile("p", "s", 0.0, math.nan), "prng_leakage_share must be a share from 0 to 1, got nan"),
        (lambda: Profile("p", "s", 0.7, 0.4), "together must be at most 1, got 0.7"),
        (lambda: Profile("p", "s", 0.1, 0.1, {"x": -1.0}), "power_at_d1_mw.*must be a positive number of milliwatts"),
        (lambda: Profile("p", "s", 0.1, 0.1, {"x": 0.0}), "must be a positive number of milliwatts, got 0.0"),
        (
            lambda: PAPER.power_mw("iris", 1),
            r"data_set must be one that profile 'paper' knows "
            r"\(balance_scale, bankruptcy, breast_cancer, heart, liver_disorders\), got 'iris'$",
        ),
        (lambda: Profile("p", "s", 0.1, 0.1).power_mw("x", 1), r"that profile 'p' knows \(none\), got 'x'$"),
        (lambda: estimate(Ledger(), "heart"), "ledger must hold automaton updates, got 0 offered"),
        (
            lambda: estimate(Ledger(type_ib_offered=9, coins=3), "heart", prngs_removed=True),
            "prngs_removed must be False for a run that tossed coins, got True with 3 coins$",
        ),
        (lambda: estimate(Ledger(type_ib_offered=9, coins=1), "heart", prngs_removed=True), "got True with 1 coin$"),
        (lambda: Profile("p", "s", 0.1, 0.1, {"x": math.inf}), "must be a positive number of milliwatts, got inf"),
    ],
)
def test_bad_input_is_named_with_its_expectation(make, message):
    with pytest.raises(ValueError, match=message):
        make()
