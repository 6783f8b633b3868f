"""The page of a model: it answers as the machine does, sorts, searches, and keeps out nobody."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import adtm
from adtm import inspection
from adtm.explain import flips, importance, spans
from adtm.inspection import write_page
from adtm.rules import Outputs, RuleSet, TableColumn, mean_values, small
from adtm.rules.simplify import Features, simplified
from adtm.tables.csvfile import read_csv
from adtm.tables.table import Frame, Values
from browsing import Visit, browser
from commands import refusal, run, there, trained
from inspected import open_page, said, said_of_rows

__all__ = ["browser", "there", "trained"]
HOSTILE = "</script><script>window.broken=1</script><img src=x onerror='window.broken=1'>"


def made_table() -> tuple[Frame, Any]:
    """All kinds of columns with gaps, three classes, and a name that would like to run."""
    rng = np.random.default_rng(1)
    n = 300
    number = rng.normal(size=n).round(2)
    number[rng.random(n) < 0.1] = np.nan
    colour = rng.integers(-1, 3, n).astype(np.int32)
    member = rng.random(n) < 0.5
    columns = (
        Values("numeric", number, np.isnan(number)),
        Values("category", colour, colour < 0, ("blue", "green", HOSTILE)),
        Values("boolean", member),
    )
    y = np.where(np.nan_to_num(number) > 0.5, "high", np.where((colour == 1) | member, "low", HOSTILE))
    return Frame((HOSTILE, "colour", "member"), columns), y


def heart() -> tuple[Frame, Any]:
    from commands import HEART

    frame = read_csv(HEART)
    names = [name for name in frame.names if name != "class"]
    return frame.select(names), frame["class"].data.astype(int)


def made_value() -> tuple[Frame, Any]:
    """The same columns, and a number."""
    X, y = made_table()
    return X, 1000.5 * (y == "high") + 10.25 * X["member"].data + np.arange(len(y)) / 8


def made_labels() -> tuple[Frame, Any]:
    """The same columns, and three labels."""
    X, y = made_table()
    return X, np.column_stack([y == "high", X["member"].data, y == "low"]).astype(int)


TABLES = {"heart": heart, "made": made_table, "value": made_value, "labels": made_labels}


def fitted(X: Frame, y: Any, **parameters: Any) -> Any:
    booleanizer = adtm.Booleanizer(max_bits=10, missing="indicator")
    if y.dtype.kind == "f":
        return adtm.ADTMRegressor(n_clauses=40, T=60, epochs=5, booleanizer=booleanizer, random_state=0).fit(X, y)
    plain = {"n_clauses": 20, "T": 5, "s": 3, "epochs": 10, "tolerance": 0, "max_literals": None}
    settings = {**plain, "booleanizer": booleanizer, **parameters}
    return adtm.ADTMClassifier(**adtm.DETERMINISTIC, **settings).fit(X, y)


def type_row(visit: Visit, X: Frame, row: int) -> None:
    """Fill the form by hand."""
    for j, values in enumerate(X.take(slice(row, row + 1)).columns):
        field = visit.page.locator(f"#value-{j}")
        if not field.count():
            continue  # no rule asks for this column
        missing = values.missing is not None and bool(values.missing[0])
        if values.kind == "numeric":
            field.fill("" if missing else repr(float(values.data[0])))
        elif values.kind == "category":
            field.select_option(label="missing" if missing else str(values.categories[values.data[0]]))
        else:
            field.select_option(str(int(values.data[0])))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_typed_sample_gets_the_answer_and_the_votes_of_the_machine(browser: Any, tmp_path: Path, table: Any) -> None:
    X, y = table()
    machine = fitted(X, y)
    votes, answers = machine.rules().votes(X), machine.predict(X).tolist()
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        for row in range(0, len(y), 60):
            type_row(visit, X, row)
            assert said(visit) == (answers[row], votes[row].tolist())
        assert visit.errors == []


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_rows_of_the_data_can_be_chosen_and_all_get_the_votes_of_the_machine(
    browser: Any, tmp_path: Path, table: Any
) -> None:
    X, y = table()
    machine = fitted(X, y)
    votes, answers = machine.rules().votes(X), machine.predict(X).tolist()
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        shown = said_of_rows(visit, 200)
        assert shown == [[answers[row], votes[row].tolist()] for row in range(200)]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_page_of_few_short_rules_answers_with_them(browser: Any, tmp_path: Path, table: Any) -> None:
    X, y = table()
    machine = fitted(X, y)
    few = small(machine.rules(), X, y).rules
    votes, answers = few.votes(X), few.predict(X).tolist()
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y, rules=few)) as visit:
        assert said_of_rows(visit, 20) == [[answers[row], votes[row].tolist()] for row in range(20)]
        assert visit.page.locator("#body tr").count() == min(len(few), 25)
        assert visit.errors == []


def test_rules_that_fire_are_those_of_the_machine(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y)
    fires = np.flatnonzero(machine.rules().cast(X)[0]) + 1
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        marked = visit.page.eval_on_selector_all("tr.fires", "rows => rows.map(row => Number(row.dataset.rule) + 1)")
        assert sorted(marked) == fires.tolist()
        listed = visit.page.locator("#firing li a").all_inner_texts()
        strength = machine.rules().cast(X)[0] * np.abs(machine.rules().weights).max(axis=1)
        strongest = sorted(fires.tolist(), key=lambda rule: -strength[rule - 1])
        assert [int(text.removeprefix("rule ")) for text in listed] == strongest


def test_a_rule_that_fires_can_be_looked_up_wherever_it_stands_in_the_table(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y, n_clauses=100)
    n_rules = len(machine.rules())
    last = int(np.flatnonzero(machine.rules().cast(X)[0])[-1]) + 1
    assert last > 25
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        page = visit.page
        assert page.locator("#body tr").count() == 25
        page.locator("#search").fill("oldpeak")
        page.get_by_role("link", name=f"rule {last}", exact=True).click()
        assert page.locator(f"#rule-{last}").is_visible()
        assert page.locator("#search").input_value() == ""
        page.locator("#more").click()
        assert page.locator("#body tr").count() == n_rules
        assert not page.locator("#more").is_visible()
        page.locator("#search").fill(" ")  # another search begins with the first of them
        assert page.locator("#body tr").count() == 25


@pytest.mark.parametrize("table", [made_value, made_labels], ids=["value", "labels"])
def test_a_change_of_a_value_or_of_labels_keeps_its_promise(browser: Any, tmp_path: Path, table: Any) -> None:
    X, y = table()
    machine = fitted(X, y)
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        page = visit.page
        before, _ = said(visit)
        proposed = page.locator("#changes li").first.inner_text()
        page.locator("#changes button").first.click()
        assert said(visit)[0] != before
        assert page.locator("#verdict").inner_text().splitlines()[0] == "Answer: " + proposed.split(" gives ")[1]


def test_the_page_of_a_value_shows_its_range_its_error_and_means(browser: Any, tmp_path: Path) -> None:
    X, y = made_value()
    machine = fitted(X, y)
    means = mean_values(machine.rules(), X, y)
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        page = visit.page
        assert "0.375 to 1,048" in page.locator("#facts").inner_text()
        assert "Mean absolute error after each epoch" in page.locator("#history p").inner_text()
        assert f"its value: {y[0]:,.4g}" in page.locator("#truth").inner_text()
        added = {entry["strength"].replace("-", "−") for entry in machine.rules().to_records()}
        assert set(page.locator("#body td:nth-child(3)").all_inner_texts()) <= added
        page.get_by_role("button", name="mean").click()
        page.get_by_role("button", name=f"Show {len(means) - 25} more").click()
        shown = [float(text.replace(",", "")) for text in page.locator("#body td:last-child").all_inner_texts()]
        np.testing.assert_allclose(shown, sorted(means, reverse=True), rtol=1e-3)


def test_values_whose_sum_is_too_large_for_a_number_have_a_page(browser: Any, tmp_path: Path) -> None:
    X = pd.DataFrame({"x": np.arange(60) % 7})
    y = np.where(X["x"] > 3, 1.79e308, 0.0)
    machine = adtm.ADTMRegressor(n_clauses=10, T=10, epochs=3, random_state=0).fit(X, y)
    assert machine.history_[0].train_error == math.inf
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        assert [answer for answer, _ in said_of_rows(visit, 7)] == machine.predict(X[:7]).tolist()
        assert "mean, that of their values, 7.16e+307 over all rows" in visit.page.locator("#reading").inner_text()
        assert visit.errors == []


def test_the_columns_that_move_a_value_farthest_come_first(browser: Any, tmp_path: Path) -> None:
    X, y = made_value()
    machine = fitted(X, y)
    rules, row = machine.rules(), int(np.argmax(y))
    one = X.take(slice(row, row + 1))
    now = machine.predict(one)[0]
    moved = [max((span.low, span.high), key=lambda end: abs(end - now)) for span in spans(rules, one)]
    assert len(moved) > 1
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        visit.page.locator("#row").fill(str(row + 1))
        told = [text.split(" gives ")[1] for text in visit.page.locator("#changes li").all_inner_texts()]
    assert [float(text.replace(",", "")) for text in told] == pytest.approx(
        sorted(moved, key=lambda end: -abs(end - now)), rel=1e-3
    )


def test_the_page_of_labels_names_those_that_are_there(browser: Any, tmp_path: Path) -> None:
    X, y = made_labels()
    named = Frame(("high", "member", HOSTILE), tuple(Values("numeric", column.astype(float)) for column in y.T))
    machine = adtm.ADTMClassifier(n_clauses=20, epochs=5).fit(X, named)
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        for row in (1, 2, 3, 4):
            visit.page.locator("#row").fill(str(row))
            there = [name for name, flag in zip(named.names, y[row - 1], strict=True) if flag]
            expected = f"its labels: {', '.join(there) or 'none of the labels'}"
            assert visit.page.locator("#truth").text_content() == expected
        assert "labels" in visit.page.locator("#facts").inner_text()
        assert visit.page.evaluate("window.broken") is None
        assert visit.errors == []


def test_a_change_that_the_page_proposes_changes_the_answer(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y)
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        for row in range(1, 200):
            visit.page.locator("#row").fill(str(row))
            if visit.page.locator("#changes button").count():
                break
        before, _ = said(visit)
        visit.page.locator("#changes button").first.click()
        after, votes = said(visit)
        assert after != before
        row = [float(visit.page.input_value(f"#value-{j}")) for j in range(len(X.names))]
        changed = Frame(X.names, tuple(Values("numeric", np.array([value])) for value in row))
        assert machine.predict(changed)[0] == after
        assert machine.rules().votes(changed)[0].tolist() == votes


def test_a_change_beyond_the_last_threshold_is_filled_in_beyond_it(browser: Any, tmp_path: Path) -> None:
    X = np.array([[1000.0], [2000.0], [3000.0]] * 20)
    machine = adtm.ADTMClassifier(n_clauses=10, epochs=10).fit(X, X[:, 0] > 2500)
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        assert said(visit)[0] is False
        visit.page.locator("#changes button").first.click()
        assert visit.page.input_value("#value-0") == "2020"  # the last threshold and a hundredth of it
        assert said(visit)[0] is True


def test_importance_is_told_in_percent(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y)
    expected = [
        [name, f"{share:.1%}".replace("%", " %")] for name, share in importance(machine.rules()).items() if share
    ]
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        rows = visit.page.locator("#columns tr:has(td)").all()
        assert [[row.locator(cell).first.inner_text() for cell in ("th", "td")] for row in rows] == expected
        bars = [row.locator("i").get_attribute("style").removeprefix("width:").removesuffix("%") for row in rows]
        shares = [share for share in importance(machine.rules()).values() if share]
        assert [*map(float, bars)] == pytest.approx([100 * share / shares[0] for share in shares])
        assert len(rows) <= 40
        assert not page_is_tall(visit)


def page_is_tall(visit: Visit) -> bool:
    """Whether the table of columns is cut and scrolls."""
    tall: bool = visit.page.evaluate("() => document.querySelector('#columns').closest('.scroll').matches('.tall')")
    return tall


def test_more_than_forty_columns_scroll(browser: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).integers(0, 2, (60, 41))
    machine = adtm.ADTMClassifier(n_clauses=60, epochs=2).fit(X, X[:, 0] ^ X[:, 1])
    assert len(importance(machine.rules())) == 41
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        assert visit.page.locator("#columns tr:has(td)").count() > 40
        assert page_is_tall(visit)


def test_rules_can_be_searched_and_sorted_with_the_keyboard(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y)
    rules = machine.rules()
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        page = visit.page
        assert page.locator("#body tr").count() == len(rules)
        page.locator("#search").press_sequentially("oldpeak age")
        wanted = [rule for rule in rules.rules if all(word in rules.describe(rule) for word in ("oldpeak", "age"))]
        assert 0 < page.locator("#body tr").count() == len(wanted) < len(rules)
        page.locator("#search").fill("")
        button = page.get_by_role("button", name="conditions")
        button.focus()
        page.keyboard.press("Enter")
        sizes = [int(text) for text in page.locator("#body tr td:nth-child(5)").all_inner_texts()]
        assert sizes == sorted((rule.n_conditions for rule in rules.rules), reverse=True)
        assert button.locator("..").get_attribute("aria-sort") == "descending"
        page.keyboard.press("Enter")
        assert button.locator("..").get_attribute("aria-sort") == "ascending"
        page.locator("#side").select_option("for 2")
        assert page.locator("#body tr").count() == sum(rules.side(rule) == "for 2" for rule in rules.rules)


def test_every_column_of_the_rules_sorts_both_ways_and_equal_ones_stay_in_order(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y, tolerance=2)
    X, y = X.take(slice(0, 9)), 3 - y[:9]  # some rules never fire or are never right
    page = inspection._contents(machine, rules := machine.rules(), X, y, "title")
    columns: dict[str, list[Any]] = {
        "rule": [*range(len(rules))],
        "votes": [rules.side(rule) for rule in rules.rules],
        "strength": [max(map(abs, rule.weights)) * rule.votes for rule in rules.rules],
        "if": [rules.describe(rule) for rule in rules.rules],
        "conditions": [rule.n_conditions for rule in rules.rules],
    }
    for i, name in enumerate(page["measured"]):
        columns[name] = [-math.inf if of[i] is None else of[i] for of in page["measures"]]
    assert any({-math.inf, 0} <= set(values) for values in columns.values())
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        buttons = visit.page.locator("#head button")
        assert buttons.all_text_contents() == [*columns]
        for button, (name, values) in zip(buttons.all(), columns.items(), strict=True):
            for down in (False, True) if name in ("votes", "if") else (True, False):
                button.click()
                assert button.locator("..").get_attribute("aria-sort") == ("descending" if down else "ascending")
                found = visit.page.eval_on_selector_all("#body tr", "rows => rows.map(row => Number(row.dataset.rule))")
                assert found == sorted(range(len(rules)), key=values.__getitem__, reverse=down), name


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_any_votes_are_answered_as_by_the_library_and_shown_on_their_side(
    browser: Any, tmp_path: Path, table: Any
) -> None:
    X, y = table()
    machine = fitted(X, y)
    outputs = machine.rules().outputs
    votes = np.random.default_rng(0).integers(-2, 3, (40, outputs.n_votes))
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        answers = visit.page.evaluate(
            """(votes) => {
                const data = JSON.parse(at("contents").textContent);
                return votes.map((own) => machineOf(data, null).answerOf(own));
            }""",
            votes.tolist(),
        )
        answer, own = said(visit)
        bars = [
            [float(part.partition(":")[2].removesuffix("%")) for part in style.split(";")]
            for style in visit.page.eval_on_selector_all(
                "#votes i", "all => all.map(each => each.getAttribute('style'))"
            )
        ]
    np.testing.assert_allclose(np.array(answers, float), np.asarray(outputs.answer(votes), float))
    most = max(outputs.T, *map(abs, own))
    if outputs.kind == "value":
        expected = [(0, 100 * (answer - outputs.low) / (outputs.high - outputs.low))]
    else:
        expected = [(50 + min(0, 50 * vote / most), 50 * abs(vote) / most) for vote in own]
    np.testing.assert_allclose(bars, expected)


def test_the_axis_of_the_history_has_as_many_steps_as_fit(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html")) as visit:
        for lowest, is_value, step in (
            *((0.59, False, 0.2), (0.61, False, 0.1), (0.79, False, 0.1), (0.81, False, 0.05), (1, False, 0.05)),
            *((7.5, True, 2), (0.11, True, 0.05), (5, True, 1), (26, True, 10)),
        ):
            drawn = visit.page.evaluate(
                """([lowest, isValue]) => {
                    at("history").replaceChildren();
                    drawHistory({ history: [[1, lowest, null], [2, isValue ? 0.01 : 1, null]] }, { isValue });
                    return [...document.querySelectorAll("#history svg text")].map((each) => each.textContent);
                }""",
                [lowest, is_value],
            )
            levels = [float(text) for text in drawn if "epoch" not in text]
            assert np.diff(levels) == pytest.approx(step), lowest
            assert levels[0] <= lowest <= levels[-1], lowest
            assert len(levels) <= 6, lowest


#: What the page's functions for numbers and texts give.
WRITTEN = {
    **dict.fromkeys(("short(0)", "short(-0)", "signed(0)"), "0"),
    "short(-0.001234)": "-0.001234",
    "short(12.345)": "12.35",
    "short(98765.4)": "98,765",
    "short(987654321098765)": "987,654,321,098,765",
    "short(1234567890123456)": "1235000000000000",
    "signed(1200)": "+1,200",
    "signed(-3)": "−3",
    "signed(-0.25, short)": "−0.25",
    "share(0)": "0.0 %",
    "share(0.12345)": "12.3 %",
    "share(1)": "100.0 %",
    "share(null)": "–",
    "counted(0, 'rule')": "0 rules",
    "counted(1, 'rule')": "1 rule",
    "counted(1200, 'rule')": "1,200 rules",
    "word(null)": "missing",
    "word(false)": "false",
    **dict.fromkeys(("niceStep(0.51)", "niceStep(1)"), "0.2"),
    **dict.fromkeys(("niceStep(1.01)", "niceStep(2.5)"), "0.5"),
    **dict.fromkeys(("niceStep(2.6)", "niceStep(5)"), "1"),
    "niceStep(26)": "10",
}


def test_numbers_of_the_page_are_written_as_people_write_them(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html")) as visit:
        for call, text in WRITTEN.items():
            assert str(visit.page.evaluate(f"String({call})")) == text, call


def test_the_page_shows_history_ledger_and_settings(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = adtm.ADTMClassifier(epochs=3, n_clauses=10, d=math.inf, random_state=0).fit(X, y, eval_set=(X, y))
    with open_page(browser, write_page(machine, tmp_path / "page.html", title="Heart")) as visit:
        page = visit.page
        assert page.locator("h1").inner_text() == "Heart"
        assert page.locator("#history path").count() == 2
        assert f"{machine.history_[-1].train_accuracy:.3f}" in page.locator("#history p").inner_text()
        assert f"{machine.ledger_.selection_draws:,}" in page.locator("#draws").inner_text()
        assert f"{machine.ledger_.type_ii_offered:,}" in page.locator("#updates").inner_text()
        assert "∞" in page.locator("#parameters").inner_text()
        assert "booleanizer__max_bits" not in page.locator("#parameters").inner_text()  # "auto"


@pytest.mark.parametrize("table", [heart, made_value], ids=["accuracy", "error"])
def test_the_lines_of_the_history_lie_where_its_axes_say(browser: Any, tmp_path: Path, table: Any) -> None:
    X, y = table()
    kind = adtm.ADTMRegressor if table is made_value else adtm.ADTMClassifier
    machine = kind(epochs=6, n_clauses=10, early_stopping=False).fit(X, y, eval_set=(X.take(slice(0, 50)), y[:50]))
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        texts, lines = (
            visit.page.evaluate(f"() => [...document.querySelectorAll('#history svg {name}')].map((each) => {parts})")
            for name, parts in (
                ("text", "[each.textContent, Number(each.getAttribute('x')), Number(each.getAttribute('y')) - 4]"),
                ("path", "each.getAttribute('d').slice(1).split('L').map((point) => point.split(',').map(Number))"),
            )
        )
    levels = [(float(text.replace(",", "")), height) for text, _, height in texts if "epoch" not in text]
    epochs = {int(text.removeprefix("epoch ")): across for text, across, _ in texts if "epoch" in text}
    (low, bottom), (high, top) = levels[0], levels[-1]
    assert top < bottom
    assert (low == 0 if table is made_value else high == 1, list(epochs)) == (True, [1, 3, 6])
    told = [(low + (bottom - height) / (bottom - top) * (high - low) for _, height in line) for line in lines]
    _, *recorded = zip(*inspection._history(machine), strict=True)
    np.testing.assert_allclose(np.array([[*line] for line in told]), recorded, atol=(high - low) / 2000)
    for line in lines:
        assert [line[epoch - 1][0] for epoch in epochs] == pytest.approx([*epochs.values()], abs=0.1)
        assert np.ptp(np.diff([across for across, _ in line])) <= 0.2


@pytest.mark.parametrize(
    ("table", "width", "scheme"),
    [
        (heart, 390, "light"),
        (heart, 800, "dark"),
        (heart, 1400, "light"),
        (made_value, 390, "dark"),
        (made_labels, 390, "light"),
    ],
)
def test_the_page_fits_every_screen_needs_no_network_and_keeps_out_nobody(
    browser: Any, tmp_path: Path, table: Any, width: int, scheme: str
) -> None:
    X, y = table()
    path = write_page(fitted(X, y), tmp_path / "page.html", X=X, y=y)
    with open_page(browser, path, width, scheme) as visit:
        assert visit.width == width
        assert visit.errors == []
        assert visit.requests == [path.as_uri(), "data:,"][: len(visit.requests)]
        assert visit.barriers() == []


def test_the_page_is_dark_where_the_reader_wants_it_and_white_on_paper(browser: Any, tmp_path: Path) -> None:
    X, y = made_table()
    path = write_page(fitted(X, y), tmp_path / "page.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    with open_page(browser, path) as light, open_page(browser, path, scheme="dark") as dark:
        assert light.page.evaluate(ground) == "rgb(255, 255, 255)"
        assert sum(map(int, dark.page.evaluate(ground)[4:-1].split(","))) < 120
        dark.page.emulate_media(media="print", color_scheme="dark")
        assert dark.page.evaluate(ground) == "rgb(255, 255, 255)"


def long_names() -> tuple[Frame, Any]:
    """Names and labels as they come out of spreadsheets."""
    X, y = heart()
    long = tuple(f"{name}_{'of_a_patient_as_it_was_written_down_' * 2}" for name in X.names)
    return Frame(long, X.columns), np.where(y > 1, "ill, or what the doctor took for it at the time", "healthy")


def test_long_names_and_labels_do_not_widen_the_page(browser: Any, tmp_path: Path) -> None:
    X, y = long_names()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html", X=X, y=y), 390) as visit:
        assert visit.width == 390


def test_a_phone_shows_the_conditions_of_a_rule_without_scrolling_sideways(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html", X=X, y=y), 390) as visit:
        edge = visit.page.eval_on_selector("#rules td.words", "e => e.getBoundingClientRect().right")
        assert edge <= visit.page.eval_on_selector("#rules .scroll", "e => e.getBoundingClientRect().right")


def test_paper_gets_all_rules(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y, n_clauses=100)
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        assert visit.page.locator("#body tr").count() == 25
        visit.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert visit.page.locator("#body tr").count() == len(machine.rules().rules) > 25


def test_on_paper_every_column_of_the_rules_is_there(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html", X=X, y=y), 720) as visit:
        visit.page.emulate_media(media="print")  # about the width of an A4 page
        assert visit.page.locator("#rules thead th:visible").count() == 9
        assert visit.page.eval_on_selector("#rules table", "e => e.getBoundingClientRect().right") <= 720


FORMS_OF_X: dict[str, Any] = {
    "pandas": lambda X, _: pd.DataFrame(X),
    "sparse": lambda X, _: csr_array(X),
    "list": lambda X, _: X.tolist(),
    "pieces": lambda X, _: adtm.Pieces([(X[:7],), (X[7:],)]),
    "packed": lambda X, place: adtm.pack([(X,)], place, booleanizer=adtm.Booleanizer(max_bits=10, missing="indicator")),
    "packed bits": lambda X, place: adtm.pack([(X > 1,)], place, booleanizer=None),
    "literals": lambda X, _: adtm.Literals.from_boolean(X > 1),
}


@pytest.mark.parametrize("form", FORMS_OF_X)
def test_rows_may_come_as_the_machine_takes_them(form: str, tmp_path: Path) -> None:
    X, y = np.random.default_rng(0).integers(0, 4, (40, 3)).astype(float), np.arange(40) % 2
    y[X[:, 0] > 1] = 1
    bits = form in ("packed bits", "literals")
    plain = X > 1 if bits else X
    machine = fitted(plain, y, booleanizer=None) if bits else fitted(plain, y)
    given = FORMS_OF_X[form](X, tmp_path / "rows.packed")
    assert machine.predict(given).tolist() == machine.predict(plain).tolist()
    page, same = (inspection._contents(machine, machine.rules(), each, y, "title") for each in (given, plain))
    n_rows = {"pieces": 7, "packed": 0}.get(form, 40)  # of the first piece; thresholds do not say what a value was
    assert page["rows"] == same["rows"][:n_rows] == plain[:n_rows].tolist()
    assert page["truth"] == y[:n_rows].tolist()
    assert page["n_rows"] == 40
    assert [page[name] for name in ("measures", "importance")] == [same[name] for name in ("measures", "importance")]


FORMS_OF_Y = {
    "value": (np.arange(40) / 8, [pl.Series, lambda y: y[:, None].tolist(), lambda y: [*map(Decimal, y)]]),
    "labels": (np.arange(80).reshape(40, 2) // 2 % 2, [csr_array, lambda y: pd.DataFrame(y, columns=["a", "b"])]),
    "classes": (np.array(list("ab") * 20), [pl.Series, pd.Series, np.ndarray.tolist]),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("kind", FORMS_OF_Y)
def test_y_may_come_as_fit_takes_it(kind: str, tmp_path: Path) -> None:
    (y, forms), X = FORMS_OF_Y[kind], np.arange(40)[:, None] % 7
    machine = fitted(X, y)
    same = write_page(machine, tmp_path / "same.html", X=X, y=y).read_bytes()
    for form in forms:
        assert write_page(machine, tmp_path / "page.html", X=X, y=form(y)).read_bytes() == same


def test_whole_numbers_that_javascript_rounds_stay_apart(browser: Any, tmp_path: Path) -> None:
    shops, labels = [2**53, 2**53 + 1], [10**18, 10**18 + 1]
    codes = np.arange(40, dtype=np.int32) // 2 % 2
    X = Frame(("shop", "n"), (Values("category", codes, None, (*shops,)), Values("numeric", np.arange(40) % 5.0)))
    machine = fitted(X, np.array(labels)[codes])
    answers, votes = machine.predict(X).tolist(), machine.rules().votes(X).tolist()
    assert set(answers) == {*labels}
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=np.array(labels)[codes])) as visit:
        assert said_of_rows(visit, 40) == [[str(answer), row] for answer, row in zip(answers, votes, strict=True)]
        assert visit.page.locator("#truth").inner_text() == f"its label: {labels[codes[-1]]}"
        names = visit.page.locator("#value-0 option").all_inner_texts()
        assert names == [*map(str, shops), "any other", "missing"]
        visit.page.locator("#value-0").select_option(label=str(shops[1 - codes[-1]]))
        assert said(visit)[0] == str(labels[1 - codes[-1]])


def test_texts_of_a_model_run_nothing(browser: Any, tmp_path: Path) -> None:
    X, y = made_table()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html", X=X, y=y, title=HOSTILE)) as visit:
        visit.page.locator("#search").fill("img")
        assert visit.page.evaluate("window.broken") is None
        assert visit.errors == []
        assert HOSTILE in visit.page.locator("h1").inner_text()


def test_without_rows_a_page_starts_in_the_middle_of_what_a_column_can_hold(tmp_path: Path) -> None:
    codes = np.arange(20, dtype=np.int32) % 3
    numbers = (Values("numeric", np.arange(20) % 6.0), Values("numeric", np.arange(20) % 5.0))  # 5 thresholds, and 4
    columns = (*numbers, Values("category", codes, None, ("a", "b", "c")))
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=2).fit(Frame(("n", "m", "c"), columns), np.arange(20) % 2)
    assert '"start": [2.0, 2.0, 1]' in write_page(machine, tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_page_holds_as_many_whole_rows_as_it_has_room_for_each_with_its_label(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inspection, "MOST_VALUES", 10)
    X, y = np.column_stack([np.arange(20) % 5, np.arange(20) % 2, np.zeros(20)]), ["no", "no\0"] * 10
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=2).fit(X, y)
    shown = inspection._contents(machine, machine.rules(), X, y, "title")
    assert (shown["rows"], shown["truth"], shown["n_rows"]) == (X[:3].tolist(), [0, 1, 0], 20)
    assert shown["outputs"]["labels"] == ["no", "no\0"]
    assert "x2" not in dict(shown["importance"])
    assert shown["settings"]["d"] == "∞"
    values = np.arange(20) ** 2.0
    shown = inspection._contents(machine := adtm.ADTMRegressor().fit(X, values), machine.rules(), X, values, "title")
    assert (len(shown["rows"]), shown["mean"]) == (3, values.mean())  # that of all rows


@pytest.mark.parametrize("n_columns", [1, 3])
def test_a_page_has_room_for_two_hundred_thousand_values_in_whole_rows(n_columns: int) -> None:
    rules = RuleSet(
        tuple(TableColumn(f"x{j}", "numeric", (0.5,)) for j in range(n_columns)),
        Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1),
        (),
    )
    rows = inspection._rows(rules, np.zeros((200_001, n_columns)))
    assert (len(rows), rows[-1]) == (200_000 // n_columns, [0.0] * n_columns)


def test_a_category_that_training_did_not_see_is_the_one_after_the_last() -> None:
    X = pd.DataFrame({"job": ["a", "b", None, "a"] * 10, "own": [True, False] * 20})
    rules = adtm.ADTMClassifier(n_clauses=4, epochs=2).fit(X, np.arange(40) % 4 > 1).rules()
    new = pd.DataFrame({"job": ["c", "b", None, "a"], "own": [True, False, True, False]})
    assert inspection._rows(rules, new) == [[2, True], [1, False], [None, True], [0, False]]


def test_half_a_surrogate_pair_in_a_name_leaves_a_page_that_can_be_read(tmp_path: Path) -> None:
    X = Frame(("a\ud800", "b"), (Values("boolean", np.arange(20) % 2 == 0), Values("boolean", np.arange(20) % 3 == 0)))
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=2).fit(X, np.arange(20) % 2)
    assert '"name": "a\\ud800"' in write_page(machine, tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_sample_without_a_number_that_is_needed_gets_no_answer(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y, booleanizer=adtm.Booleanizer(max_bits=10))
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        assert not visit.page.locator("#missing").is_visible()
        visit.page.locator("#value-0").fill("")
        assert visit.page.locator("#verdict").inner_text() == "Every marked field needs a number."
        assert visit.page.locator("#value-0").get_attribute("aria-invalid") == "true"


@pytest.mark.parametrize(
    ("silence", "answer"), [("frequent", "the more frequent class"), ("paper", "the second class")]
)
def test_votes_that_do_not_decide_are_told_with_the_rule_that_does(
    browser: Any, tmp_path: Path, silence: str, answer: str
) -> None:
    X, y = heart()
    machine = fitted(X, y, silence=silence)
    row = int(np.flatnonzero(machine.rules().votes(X)[:, 0] == 0)[0])
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X.take(slice(row, row + 1)))) as visit:
        assert visit.page.locator("#verdict").inner_text().endswith(f"the votes do not decide, so {answer}")
        assert said(visit)[0] == machine.predict(X)[row]


def test_the_command_writes_the_page_of_a_model(there: Path) -> None:
    result = run("inspect", "model.safetensors", "--data", "heart.csv", "--target", "class", "--out", "page.html")
    assert result.stdout == "page.html written\n"
    X, y = heart()
    write_page(adtm.load("model.safetensors"), "same.html", X=X, y=y, title="model.safetensors")
    assert Path("page.html").read_bytes() == Path("same.html").read_bytes()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--target", "class"), "target names a column of --data, which is missing"),
        (("--data", "heart.csv", "--target", "x"), "heart.csv: there is no column 'x'; it has age"),
        (("--data", "-"), "data must be a file here, got standard input"),
    ],
)
def test_the_command_says_what_is_wrong(options: tuple[str, ...], line: str, there: Path) -> None:
    assert refusal("inspect", "model.safetensors", "--out", "page.html", *options).startswith(f"adtm inspect: {line}")


def test_the_page_proposes_the_changes_that_explain_finds(browser: Any, tmp_path: Path) -> None:
    X, y = heart()
    machine = fitted(X, y)
    rules = machine.rules()
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        for row in range(0, len(X), 30):
            visit.page.locator("#row").fill(str(row + 1))
            told = [text.removeprefix("try").strip() for text in visit.page.locator("#changes li").all_inner_texts()]
            found = [str(flip).partition(" if ") for flip in flips(rules, X.take(slice(row, row + 1)))]
            expected = [f"{change} gives {answer}" for answer, _, change in found]
            assert told == (expected or ["no change of one or two columns"])
        visit.page.locator("#row").fill("9999")
        assert visit.page.locator("#truth").inner_text() == f"rows 1 to {len(X)} are here"


def test_the_page_fills_the_gaps_of_a_column_that_has_one_value(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    gone, n = rng.random((2, 200)) < 0.5, rng.integers(0, 9, 200).astype(float)
    flag = Values("numeric", np.where(gone[0], np.nan, 7.0), gone[0])
    job = Values("category", np.where(gone[1], -1, 0).astype(np.int32), gone[1], ("x",))
    X, y = Frame(("flag", "job", "n"), (flag, job, Values("numeric", n))), np.where(gone[0] & gone[1], "out", "in")
    machine = fitted(X, y, booleanizer=adtm.Booleanizer(missing="indicator"))
    row = int(np.flatnonzero(gone[0] & gone[1])[0])
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        for k, name in enumerate(("flag", "job")):
            visit.page.locator("#row").fill(str(row + 1))
            assert said(visit)[0] == "out"
            proposed = visit.page.locator("#changes li").all_inner_texts()
            assert [text.removeprefix("try").strip() for text in proposed] == [
                "flag is not missing gives in",
                "job is not missing gives in",
            ]
            visit.page.get_by_role("button", name=f"try {name} is not missing").click()
            assert said(visit)[0] == "in"
            assert visit.page.locator(f"#value-{k}").input_value() == "0"
        assert visit.page.locator("#value-1 option").all_inner_texts() == ["any", "missing"]
        assert visit.errors == []


def test_the_page_says_that_a_value_must_be_there_where_any_will_do(browser: Any, tmp_path: Path) -> None:
    age = np.where(np.arange(80) % 2, np.nan, np.arange(80) % 23)
    X, y = Frame(("age",), (Values("numeric", age, np.isnan(age)),)), np.where(np.isnan(age), "unknown", "known")
    machine, gone = fitted(X, y), X.take(slice(1, 2))
    assert [str(flip) for flip in flips(machine.rules(), gone)] == ["known if age is not missing"]
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=gone)) as visit:
        assert (
            visit.page.locator("#changes").inner_text().removeprefix("try").strip() == "age is not missing gives known"
        )


def test_too_many_pairs_of_changes_are_counted_and_not_made(browser: Any, tmp_path: Path) -> None:
    columns = tuple(TableColumn(f"x{j}", "numeric", tuple(map(float, range(25)))) for j in range(784))
    features = Features(columns)
    literals = range(features.n_features)  # 19,600 options, 192 million pairs
    rule = simplified(features, bank=0, clauses=[0], weights=[1], limit=len(literals), literals=literals)
    assert rule is not None
    rules = RuleSet(columns, Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1), (rule,))
    X, y = heart()
    with open_page(browser, write_page(fitted(X, y), tmp_path / "page.html", rules=rules)) as visit:
        assert visit.page.locator("#changes").inner_text() == "too many rules to try here"
