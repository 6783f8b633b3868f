"""The progress bar of a fit: one step per epoch with its accuracies, and nothing when it is hidden."""

from __future__ import annotations

import numpy as np
import pytest

import adtm
from adtm.learning.fitting import epoch_progress

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
Y = X[:, 0]


def records() -> list[object]:
    machine = adtm.ADTMClassifier(n_clauses=4, T=2, epochs=3, random_state=0)
    return list(machine.fit(X, Y, eval_set=(X, Y)).history_)


def test_the_bar_counts_epochs_and_shows_both_accuracies(capsys: pytest.CaptureFixture[str]) -> None:
    with epoch_progress(3, show=True) as show_record:
        for record in records():
            show_record(record)  # type: ignore[arg-type]
    captured = capsys.readouterr()
    assert captured.out == ""
    text = captured.err
    assert "3/3" in text
    last = records()[-1]
    assert f"train {last.train_accuracy:.4f}  eval {last.eval_accuracy:.4f}" in text  # type: ignore[attr-defined]


def test_of_a_value_the_bar_shows_both_errors(capsys: pytest.CaptureFixture[str]) -> None:
    machine = adtm.ADTMRegressor(n_clauses=4, T=2, epochs=1, random_state=0)
    (record,) = machine.fit(X, Y * 3.0, eval_set=(X, Y + 0.5)).history_
    with epoch_progress(1, show=True) as show_record:
        show_record(record)
    assert f"train ±{record.train_error:.4g}  eval ±{record.eval_error:.4g}" in capsys.readouterr().err
    assert record.train_error != record.eval_error


def test_a_hidden_bar_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with epoch_progress(3, show=False) as show_record:
        show_record(records()[0])  # type: ignore[arg-type]
    assert capsys.readouterr() == ("", "")
