"""The faults study: what is run, and the claim that stuck-at faults are masked, judged in both directions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from adtm.faults import Faults, faulty
from adtm.paper.plan import Plan
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.verdicts import FAILS, HOLDS, OPEN
from adtm.paper.results import Results
from adtm.paper.running.raw import fold, load
from adtm.paper.running.records import Record
from adtm.paper.running.runner import run
from adtm.paper.running.trial import machine_of, perform
from adtm.paper.studies import faults as reading
from adtm.paper.studies import faults as study
from adtm.paper.studies.faults import DRAWN, FAULTS, TOLERANT, Fault
from made_records import made_record


def made(losses: dict[Fault, float], repeats: int = 4, spread: float = 0.002) -> list[Record]:
    """Runs of the paper's machine and of the tolerant one, which loses nothing, with these losses of the first."""
    records = []
    for machine in (DRAWN, TOLERANT):
        for fault in (None, *FAULTS):
            for repeat in range(repeats):
                task: Any = study.task("bankruptcy", machine, fault, repeat)
                lost = losses.get(fault, 0.0) if fault is not None and machine == DRAWN else 0.0
                noise = 0.0 if fault is None else spread * (-1) ** repeat
                records.append(made_record(test=(0.95 - lost + noise,), repeat=repeat, task=task))
    return records


def judged(losses: dict[Fault, float], **amount: Any) -> Any:
    (claim,) = Results.of(made(losses, **amount)).claims
    return claim


def test_faults_that_cost_nothing_are_masked_completely() -> None:
    claim = judged({})
    assert (claim.verdict, claim.new_rows) == (HOLDS, HOLDS)
    assert "18 hold, 0 do not, 0 are open of 18 parts" in claim.note
    assert len(claim.parts) == 18


def test_one_fault_that_costs_accuracy_refutes_that_all_are_masked() -> None:
    fault = Fault("include", study.SHARES[0], 1, "relearned")
    claim = judged({fault: 0.1})
    assert claim.verdict == FAILS
    (refuted,) = [part for part in claim.parts if part.holds is False]
    assert refuted.text.startswith("Bankruptcy, include bits at 1, after it, learned again −0.1")


def test_a_larger_share_than_the_judged_one_is_shown_and_judges_nothing() -> None:
    fault = Fault("include", study.SHARES[1], 1, "after")
    results = Results.of(made({fault: 0.3}))
    assert results.claims[0].verdict == HOLDS
    (table,) = reading.tables(Runs(made({fault: 0.3})))
    assert [row[3] for row in table.texts() if row[0] == "include bits at 1, 20 %, after it"] == ["−0.300 ± 0.004"]


def test_wide_intervals_and_few_repeats_leave_the_claim_open() -> None:
    assert judged({}, spread=0.05).verdict == OPEN
    assert judged({}, repeats=2).verdict == OPEN
    assert reading.claims(Runs([])) == []


def test_repeats_beyond_the_folds_are_other_folds_of_the_same_rows() -> None:
    X, y = load("bankruptcy")
    for number, seed, at in ((0, 0, 0), (1, 0, 1), (4, 0, 4), (6, 1, 1), (13, 2, 3)):
        found = fold("bankruptcy", 5, number, coded=False)
        train, test = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))[at]
        for part, rows in ((found.X_train, train), (found.X_test, test)):
            np.testing.assert_array_equal(part, X[rows])


@pytest.mark.parametrize("when", study.WHEN_WORDS)
def test_a_run_has_the_fault_that_is_drawn_by_its_seed(when: str) -> None:
    task = study.task("bankruptcy", TOLERANT, Fault("state", 0.2, 1, when), repeat=3, epochs=1)
    data = fold("bankruptcy", 5, 3, coded=False)
    machine: Any = machine_of(task, "native").fit(data.X_train, data.y_train)
    stuck = Faults.drawn(machine.model_, kind="state", share=0.2, stuck_at=1, seed=3)
    broken = faulty(machine, stuck, when, data.X_train, data.y_train)
    loss = log_loss(data.y_test, broken.predict_proba(data.X_test))
    assert (
        perform(task)["test_log_loss"]
        == round(loss, 6)
        != round(log_loss(data.y_test, machine.predict_proba(data.X_test)), 6)
    )


def test_the_study_measures_faults_and_names_them_in_its_tasks(tmp_path: Path) -> None:
    tasks = study.tasks(Plan(repeats=1, epochs=1, quick=True))
    kept = [task for task in tasks if task["variant"].get("fault", {}).get("when") in (None, "after", "relearned")][:4]
    records = run(kept, tmp_path, jobs=1, progress=False)
    assert [record["task"]["variant"].get("fault", {}).get("stuck_at") for record in records].count(None) == 1
    assert all(0.4 < record["test_accuracy"][-1] <= 1 for record in records)
    with pytest.raises(ValueError, match="kind must be one of"):
        run([{**kept[1], "variant": {**kept[1]["variant"], "fault": {**kept[1]["variant"]["fault"], "kind": "w"}}}],
            tmp_path / "w", jobs=1, progress=False)  # fmt: skip


def test_without_the_papers_machine_there_is_no_table() -> None:
    records = [made_record(test=[0.8], repeat=k, task=study.task(study.DATASETS[0], TOLERANT, None)) for k in range(2)]
    assert reading.tables(Runs(records)) == []
    assert [claim.verdict for claim in reading.claims(Runs(records))] == [OPEN]
