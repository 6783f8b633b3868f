"""The page of a machine with patches: images to draw or paste, answered as the machine does, rules as pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import inspection
from adtm.explain import heat, preferred_values
from adtm.inspection import write_page
from adtm.rules import RuleSet
from adtm.rules.simplify import simplified
from browsing import browser
from commands import refusal, run
from inspected import open_page, said, said_of_rows

__all__ = ["browser"]
COLOURS = {0: (226, 230, 234), 1: (11, 90, 138), -1: (166, 60, 0)}  # of what a rule wants: nothing, bright, dark


def strokes(shape: tuple[int, ...], *, grey: bool, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Images or sequences of noise, each class with a bright stroke of its own."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 180 if grey else 2, (120, *shape))
    y = rng.integers(0, n_classes, len(X))
    for x, label in zip(X, y, strict=True):
        x[..., 2 * label : 2 * label + 2] = 250 if grey else 1
    return X, y


#: The shape of a sample, whether it is grey, the number of classes, and the machine.
CASES: dict[str, tuple[tuple[int, ...], bool, int, dict[str, Any]]] = {
    "plain, two classes": ((6, 8), False, 2, {"patch": (3, 4)}),
    "tolerant, grey, three classes": ((6, 8), True, 3, {"patch": (3, 3), "stride": (1, 2), "tolerance": 3}),
    "channels": ((5, 6, 2), True, 2, {"patch": (2, 3), "tolerance": 2, "weights": "integer"}),
    "sequences, shared clauses": ((24,), True, 3, {"patch": 5, "tolerance": 2, "shared": True}),
}


def fitted(case: str) -> tuple[adtm.ADTMClassifier, np.ndarray, np.ndarray]:
    shape, grey, n_classes, parameters = CASES[case]
    X, y = strokes(shape, grey=grey, n_classes=n_classes)
    booleanizer = adtm.Booleanizer(max_bits=4) if grey else None
    settings = {"n_clauses": 20, "T": 8, "s": 5, "epochs": 5, "booleanizer": booleanizer, **parameters}
    return adtm.ADTMClassifier(**{**adtm.PAPER, **adtm.DETERMINISTIC, "weights": "auto", **settings}).fit(X, y), X, y


def pasted(image: np.ndarray) -> str:
    return " ".join(map(str, image.ravel().tolist()))


@pytest.mark.parametrize("case", CASES)
def test_images_of_the_data_get_the_answers_and_votes_of_the_machine(browser: Any, tmp_path: Path, case: str) -> None:
    machine, X, y = fitted(case)
    votes, answers = machine.rules().votes(X), machine.predict(X).tolist()
    assert len(np.unique(votes)) > 4
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, y=y)) as visit:
        shown = said_of_rows(visit, len(X))
        assert shown == [[answers[row], votes[row].tolist()] for row in range(len(X))]
        assert visit.errors == []


@pytest.mark.parametrize("case", CASES)
def test_a_pasted_image_gets_the_answer_of_the_machine_and_its_heat_map(
    browser: Any, tmp_path: Path, case: str
) -> None:
    machine, X, _ = fitted(case)
    rules = machine.rules()
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        if visit.page.locator("#more").is_visible():
            visit.page.locator("#more").click()
        for row in (3, 50):
            visit.page.locator("#numbers").fill(pasted(X[row]))
            assert said(visit) == (machine.predict(X[row : row + 1])[0], rules.votes(X[row : row + 1])[0].tolist())
            drawn = json.loads(visit.page.locator("#heat").get_attribute("data-votes"))
            wanted = heat(rules, rules.patch.image, said(visit)[0], X[row : row + 1])  # type: ignore[union-attr]
            assert np.allclose(drawn, wanted.ravel())
            fires = np.flatnonzero(rules.cast(X[row : row + 1])[0]) + 1
            marked = visit.page.eval_on_selector_all("tr.fires", "rows => rows.map(row => +row.dataset.rule + 1)")
            assert sorted(marked) == fires.tolist()
            for item in visit.page.locator("#firing li").all():
                number, text = item.locator("a").inner_text().removeprefix("rule "), item.inner_text()
                first, *others = best_places(rules, rules.rules[int(number) - 1], X[row : row + 1])
                assert "fires in row {}, column {}".format(*first) in text
                assert re.findall(r"and (\d+) more", text) == ([str(len(others))] if others else [])


def best_places(rules: RuleSet, rule: Any, image: np.ndarray) -> list[tuple[int, int]]:
    """Rows and columns of the patches for which a rule casts most votes."""
    patches, true = rules.bit_patches, rules.literals(image).unpack()[0]
    assert patches is not None
    tried = [patches.literals_at(place, rule.literals) for place in range(patches.n_patches)]
    failed = [lost + int((~true[own]).sum()) for own, lost in tried]
    return [divmod(place, patches.columns) for place, of in enumerate(failed) if of == min(failed)]


def test_a_rule_that_always_fires_hangs_on_no_pixel(browser: Any, tmp_path: Path) -> None:
    machine, X, _ = fitted("plain, two classes")
    rules = machine.rules()
    always = simplified(rules.features, bank=0, clauses=[99], weights=[1], limit=1, literals=[])
    rules = rules.with_rules((*rules.rules, always))
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X, rules=rules)) as visit:
        drawn = json.loads(visit.page.locator("#heat").get_attribute("data-votes"))
        assert np.allclose(drawn, heat(rules, rules.patch.image, said(visit)[0], X[:1]).ravel())  # type: ignore[union-attr]


@pytest.mark.parametrize("case", ["plain, two classes", "channels"])
def test_images_may_come_packed_where_they_are_boolean(case: str) -> None:
    X = fitted(case)[1] > 0
    machine = adtm.ADTMClassifier(**{**CASES[case][3], "image_shape": X.shape[1:], "booleanizer": None}, epochs=2)
    rules = machine.fit(X, np.arange(len(X)) % 2).rules()
    packed, plain = (inspection._contents(machine, rules, each, None, "title") for each in (rules.literals(X), X))
    assert packed["rows"] == plain["rows"] == X.reshape(len(X), -1).tolist()
    assert packed["measures"] == plain["measures"]


def test_pixels_may_be_missing_where_training_allowed_it(browser: Any, tmp_path: Path) -> None:
    X, y = strokes((6, 8), grey=True, n_classes=2)
    grey = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X / 7)
    booleanizer = adtm.Booleanizer(max_bits=4, missing="indicator")
    settings = {"n_clauses": 20, "T": 8, "s": 5, "epochs": 5, "booleanizer": booleanizer, "patch": (3, 4)}
    machine = adtm.ADTMClassifier(**{**adtm.PAPER, **adtm.DETERMINISTIC, "weights": "auto", **settings}).fit(grey, y)
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=grey)) as visit:
        for row in (0, 5):
            visit.page.locator("#numbers").fill(pasted(grey[row]).replace("nan", "missing" if row else "NaN"))
            wanted = machine.rules().votes(grey[row : row + 1])[0].tolist()
            assert said(visit) == (machine.predict(grey[row : row + 1])[0], wanted)
        assert visit.errors == []


@pytest.mark.parametrize(
    ("pixels", "white"),
    [
        (lambda X: X, lambda last: 255),
        (lambda X: X * 10, lambda last: 1.25 * last),
        (lambda X: X / 1000, lambda last: 1.25 * last),
        (lambda X: X - 300, lambda last: last + 1),
    ],
    ids=["bytes", "large", "small", "negative"],
)
def test_black_and_white_are_the_ends_of_the_rows_or_lie_beyond_the_thresholds(
    pixels: Any, white: Any, browser: Any, tmp_path: Path
) -> None:
    X, y = strokes((4, 5), grey=True, n_classes=2)
    X = pixels(X[:40])
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=2, patch=(2, 2), booleanizer=adtm.Booleanizer(max_bits=4))
    first, *_, last = machine.fit(X, y[:40]).rules().columns[0].thresholds
    for rows, ends in ((None, (min(0, 1.25 * first), white(last))), (X, (X.min(), X.max())))[: 1 + (last > 999)]:
        with open_page(browser, write_page(machine, tmp_path / "page.html", X=rows)) as visit:
            visit.page.locator("#clear").click()
            shown = [*map(float, visit.page.input_value("#numbers").split()), float(visit.page.input_value("#brush"))]
            assert shown == pytest.approx([ends[0]] * 20 + [ends[1]])


def test_a_stroke_of_the_brush_changes_the_image_and_asks_again(browser: Any, tmp_path: Path) -> None:
    machine, _, _ = fitted("tolerant, grey, three classes")
    with open_page(browser, write_page(machine, tmp_path / "page.html")) as visit:
        box = visit.page.locator("#image").bounding_box()
        visit.page.locator("#brush").fill("200")
        visit.page.mouse.move(box["x"] + box["width"] * 0.5 / 8, box["y"] + box["height"] * 1.5 / 6)
        visit.page.mouse.down()
        visit.page.mouse.move(box["x"] + box["width"] * 2.5 / 8, box["y"] + box["height"] * 1.5 / 6, steps=8)
        visit.page.mouse.up()
        image = np.zeros((1, 6, 8), int)
        image[0, 1, :3] = 200
        assert visit.page.input_value("#numbers").split() == pasted(image).split()
        assert said(visit) == (machine.predict(image)[0], machine.rules().votes(image)[0].tolist())
        visit.page.locator("#clear").click()
        assert set(visit.page.input_value("#numbers").split()) == {"0"}


def test_numbers_that_are_no_image_get_no_answer(browser: Any, tmp_path: Path) -> None:
    machine, X, _ = fitted("plain, two classes")
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        numbers, verdict = visit.page.locator("#numbers"), visit.page.locator("#verdict")
        numbers.fill("1 0 1")
        assert verdict.inner_text() == "The image needs 48 numbers, there are 3."
        numbers.fill("x " * 48)
        assert verdict.inner_text() == "The image needs numbers, got x."
        assert numbers.get_attribute("aria-invalid") == "true"
        visit.page.locator("#row").fill("2")
        assert said(visit)[0] == machine.predict(X[1:2])[0]
        assert numbers.get_attribute("aria-invalid") == "false"


def test_rules_are_pictures_of_what_they_want_with_their_words_behind(browser: Any, tmp_path: Path) -> None:
    machine, X, _ = fitted("plain, two classes")
    rules = machine.rules()
    with open_page(browser, write_page(machine, tmp_path / "page.html", X=X)) as visit:
        drawn = visit.page.eval_on_selector_all(
            "#body canvas.patch",
            "all => all.map(c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data])",
        )
        assert len(drawn) == len(rules)
        for rule, data in zip(rules.rules, drawn, strict=True):
            wanted = [COLOURS[value] for value in preferred_values(rules, rule)[:-2].tolist()]
            assert [tuple(data[i : i + 3]) for i in range(0, len(data), 4)] == wanted
        words = visit.page.locator("#body tr").first.locator(".words span").all_text_contents()
        assert " and ".join(words) == rules.describe(rules.rules[0])


def test_the_command_reads_images_from_a_table_of_pixels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, X, y = fitted("channels")
    monkeypatch.chdir(tmp_path)
    machine.save("model.safetensors")
    flat = X.reshape(len(X), -1)
    lines = [",".join([f"p{k}" for k in range(flat.shape[1])] + ["class"])]
    lines += [",".join(map(str, [*row, label])) for row, label in zip(flat.tolist(), y.tolist(), strict=True)]
    Path("images.csv").write_text("\n".join(lines) + "\n")
    options = ("--data", "images.csv", "--target", "class", "--out", "page.html")
    assert run("inspect", "model.safetensors", *options).stdout == "page.html written\n"
    write_page(machine, "same.html", X=X.astype(float), y=y, title="model.safetensors")
    written, same = (contents(Path(name)) for name in ("page.html", "same.html"))
    assert len(written["rows"]) == len(X)
    assert {name: written[name] for name in ("rows", "truth", "measures", "rules")} == {
        name: same[name] for name in ("rows", "truth", "measures", "rules")
    }
    said_no = refusal("inspect", "model.safetensors", "--out", "page.html", "--data", "images.csv")
    assert said_no.startswith("adtm inspect: images.csv: expected 60 columns, the pixels of an image of 5 x 6 with 2")


def contents(page: Path) -> Any:
    """What a page was given."""
    text = page.read_text(encoding="utf-8").split('id="contents"', 1)[1].split(">", 1)[1]
    return json.loads(text.split("</script>", 1)[0])


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_the_page_of_images_fits_every_screen_needs_no_network_and_keeps_out_nobody(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    machine, X, y = fitted("channels")
    path = write_page(machine, tmp_path / "page.html", X=X, y=y)
    with open_page(browser, path, width, scheme) as visit:
        assert visit.width == width
        assert visit.errors == []
        assert visit.requests == [path.as_uri(), "data:,"][: len(visit.requests)]
        assert visit.barriers() == []
