"""The report: right sentences, no text of a record unescaped, a page that works in a real browser without network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import browsing
from adtm.paper import report as page_of
from adtm.paper.plan import Plan
from adtm.paper.published import SETTINGS
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.table import Cell, Table
from adtm.paper.report import facts
from adtm.paper.report.markup import grid
from adtm.paper.results import Results
from adtm.paper.running.records import Record
from adtm.paper.running.trial import perform
from adtm.paper.studies import determinism as study
from adtm.paper.studies import paper, sensitivity
from browsing import browser
from made_records import made_mode_record, made_record

pytest.importorskip("vl_convert", reason="needs vl-convert-python: pip install '.[paper]'")

__all__ = ["browser"]
HOSTILE = "</script><script>window.broken=1</script><img src=x onerror='window.broken=1'>"


# Sentences -------------------------------------------------------------------------------------------------------


def modes(dataset: str, **scores: float) -> list[Record]:
    """Three repeats in some modes: random at d = 100 and ∞, all together and all but the rota at ∞."""
    places = {"d100": (study.RANDOM, 100), "inf": (study.RANDOM, "inf"), "zero": study.ZERO}
    places["but"] = (study.BUT_ROTA, "inf")
    return [
        made_mode_record(dataset, places[name], repeat, test=[score + repeat / 1000])
        for name, score in scores.items()
        for repeat in range(3)
    ]


# The page as text ------------------------------------------------------------------------------------------------


def write_report(records: list[Record], directory: Path) -> Path:
    return page_of.write_report(Results.of(records), directory)


def text_of(records: list[Record], directory: Path) -> str:
    return write_report(records, directory).read_text(encoding="utf-8")


def test_without_records_the_page_says_how_to_make_some(tmp_path: Path) -> None:
    page = text_of([], tmp_path / "a" / "new" / "directory")
    assert "No runs yet" in page
    assert "adtm reproduce" in page
    assert re.findall(r'<a href="#(\w+)"', page.split("</nav>")[0]) == ["summary", "structure", "differences"]
    assert "A partial run" not in page


@pytest.mark.parametrize(
    "records",
    [
        [made_record(test=[0.7])],
        [made_record(d=None)],
        [made_record("bankruptcy", d, r) for d in (1, 100) for r in range(2)],
        [made_record(task={"model": "DT", "params": {}}, ledger=None, backend=None, instruction_set=None, test=[0.7])],
        [made_record(task={"experiment": "another"})],
    ],
    ids=["one run", "standard machine only", "one data set", "baseline only", "another study"],
)
def test_any_part_of_the_study_makes_a_page(records: list[Record], tmp_path: Path) -> None:
    page = text_of(records, tmp_path)
    assert ">Summary</h2>" in page
    assert ">nan<" not in page
    assert "None" not in page.split("<script>")[0]


def test_what_the_page_says_of_the_paper_stands_above_its_tables_alone(tmp_path: Path) -> None:
    tables, none = made_record(d=10), made_record(task={"experiment": "sensitivity"})  # neither makes a claim
    assert '<p class="lead">' in text_of([tables], tmp_path)
    assert '<p class="lead">' not in text_of([none], tmp_path)


def test_the_section_on_modes_is_there_only_with_runs_behind_it(tmp_path: Path) -> None:
    heading = ">Learning without random numbers</h2>"
    assert heading not in text_of([made_record()], tmp_path)
    page = text_of(modes("heart", d100=0.8, zero=0.82), tmp_path)
    section = page.split(heading)[1].split("<h2")[0]
    for part in ('id="determinism_summary"', 'data-chart="accuracy_by_draws"', 'id="determinism_heart_cost"'):
        assert section.count(part) == 1
    assert page.count("Random: the paper&#x27;s machine.") == 1  # the notes that all tables share are given once
    assert "Studies beyond" not in page
    assert "Settings, versions and seeds" in page


def test_every_claim_stands_at_the_top_with_its_verdict_and_leads_to_its_evidence(tmp_path: Path) -> None:
    records = [made_record("heart", d, r, test=[0.7 + r / 100]) for d in (None, 1, 100, 5000, "inf") for r in range(3)]
    page = text_of(records, tmp_path).split("<script>")[0]
    assert page.index('id="summary"') < page.index('id="claims"') < page.index('id="tables"')
    section = page.split('id="claims"')[1].split("</section>")[0]
    rows = section.count('<tr id="claim-')
    assert rows >= 20
    verdicts = re.findall(r'<td class="verdict [a-z-]+">([a-z ]+)<span', section)
    assert len(verdicts) == rows
    assert set(verdicts) <= {"holds", "holds in part", "fails in part", "does not hold", "cannot be judged"}
    assert set(re.findall(r'<td class="rule">(.)</td>', section)) <= set(re.findall(r"<dt>(.)</dt>", section))
    places = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', section)) <= places
    assert len(re.findall(r'href="#', section)) > 10


def test_the_links_of_a_claim_tell_its_tables_and_figures_apart(tmp_path: Path) -> None:
    records = [made_record(name, d, r) for name in ("bankruptcy", "balance_scale") for d in (1, 10) for r in range(3)]
    claims = text_of(records, tmp_path).split('id="claims"')[1].split("</section>")[0]
    cells = [re.findall(r">([^<]+)</a>", cell) for cell in re.findall(r'<td class="evidence">(.*?)</td>', claims)]
    assert ["Training and testing accuracy per epoch: Bankruptcy", "Balance Scale"] in cells
    assert [links for links in cells if len(set(links)) < len(links)] == []


def test_cpu_date_and_commit_of_the_records_stand_at_the_top(tmp_path: Path) -> None:
    origins = [{"cpu": "Two", "date": "2026-01-02"}, {"cpu": "One", "date": "2026-01-03"}]
    origins += [{"cpu": "One", "date": "2026-01-01", "commit": "abc"}]
    page = text_of([made_record(repeat=r, origin=origin) for r, origin in enumerate(origins)], tmp_path)
    assert '<p class="origin">Made 2026-01-01 to 2026-01-03 · CPU One and Two · commit abc</p>' in page


def test_a_learner_with_too_few_repeats_is_named_as_not_counted(tmp_path: Path) -> None:
    machines = [made_record("heart", d, r) for d in (None, 1) for r in range(3)]
    others = {"EBM": 2, "DT": 3}
    learners = [
        made_record(
            repeat=r, test=[0.7], task={"model": model, "params": {}}, ledger=None, backend=None, instruction_set=None
        )
        for model, n in others.items()
        for r in range(n)
    ]
    page = text_of(machines + learners, tmp_path)
    assert "Over all tables of scores, the other learners included: " in page
    assert "Not counted, since they have too few repeats for an interval: EBM." in page
    assert "Over all tables of scores" not in text_of(machines, tmp_path)


def test_a_cell_of_words_is_as_wide_as_the_two_of_a_score() -> None:
    score = Cell(Estimate(0.5, 0.01, 3), paper=0.6)
    text = grid(Table("demo", "", ("", "F1", "Note"), [("a", score, "b"), ("c", "", ""), ("d", "not run", "")]))
    assert re.findall(r"<td[^>]*>", text.split("<tbody>")[1]) == [
        *("<td>", '<td class="paper outside">', "<td>"),
        *('<td colspan="2">', "<td>") * 2,
    ]


def test_no_head_of_a_table_is_empty(tmp_path: Path) -> None:
    records = [made_record("heart", d, r) for d in (None, 1, 100) for r in range(3)]
    page = text_of(records + modes("heart", d100=0.8, zero=0.8), tmp_path)
    assert re.findall(r"<th[^>]*>\s*</th>", page) == []


def test_a_whole_run_lacks_nothing_and_a_longer_one_no_less() -> None:
    for repeats, epochs, lacks in (
        (20, 100, ""),
        (21, 101, ""),
        (19, 100, "19 of 20 repeats"),
        (20, 99, "99 of 100 epochs"),
    ):
        run = made_record(test=[0.5] * epochs)
        runs = {dataset: {"1": [run] * repeats, "10": [run] * 21} for dataset in SETTINGS}
        assert facts.shortfall(runs) == lacks


def test_a_partial_run_says_what_it_lacks(tmp_path: Path) -> None:
    page = text_of([made_record(repeat=r) for r in range(3)], tmp_path)
    before, said, after = page.partition("1 of 5 data sets, 3 of 20 repeats, 2 of 100 epochs")
    assert said
    assert "<section" not in before, "before any verdict"
    assert "<section" in after


@pytest.mark.parametrize(
    ("seconds", "words"), [(59.4, "59 s"), (60, "1 min"), (5399, "90 min"), (5400, "1.5 h"), (86_400, "24.0 h")]
)
def test_the_time_of_all_runs_is_told_in_fitting_units(seconds: float, words: str, tmp_path: Path) -> None:
    page = text_of([made_record(seconds=seconds / 2, repeat=r) for r in range(2)], tmp_path)
    assert f"<dd>{words}</dd><dt>of computing</dt>" in page


def test_the_facts_count_runs_data_sets_repeats_and_epochs(tmp_path: Path) -> None:
    one = text_of([made_record(test=[0.5])], tmp_path / "one")
    for value, word in (("1", "run"), ("1", "data set"), ("1", "repeat of each machine"), ("1", "epoch")):
        assert f"<dd>{value}</dd><dt>{word}</dt>" in one
    several = [made_record(dataset, repeat=r) for dataset, n in (("heart", 2), ("bankruptcy", 5)) for r in range(n)]
    many = text_of(several, tmp_path / "many")
    for value, word in (("7", "runs"), ("2", "data sets"), ("2, 5", "repeats of each machine"), ("2", "epochs")):
        assert f"<dd>{value}</dd><dt>{word}</dt>" in many


def test_other_learners_stand_in_the_papers_order_with_their_repeats(tmp_path: Path) -> None:
    counts = {"RF": 1, "EBM": 2, "ANN-1": 3}
    records = [
        made_record(
            repeat=r, test=[0.7], task={"model": model, "params": {}}, ledger=None, backend=None, instruction_set=None
        )
        for model, n in counts.items()
        for r in range(n)
    ]
    assert "<p>ANN-1: 3; RF: 1; EBM: 2.</p>" in text_of(records, tmp_path)


def test_the_settings_are_those_of_the_runs_by_data_set(tmp_path: Path) -> None:
    records = [made_record("heart", d, r) for d, n in ((None, 1), (1, 2), ("inf", 4)) for r in range(n)]
    records += [made_record("heart", 1, 5, task={"experiment": "sensitivity", "model": "RF", "params": {}})]
    page = text_of(records, tmp_path)
    row = page.split('id="machine_settings"')[1].split("<tbody>")[1].split("</tbody>")[0]
    cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row)
    assert cells == ["Heart Disease", "100", "10", "3", "100", "2", "1, ∞", "1–2, 4"]
    assert "1 of 5 data sets, 1 of 20 repeats, 2 of 100 epochs" in page  # the fewest repeats of any machine
    assert "Other learners: repeats" not in page  # the forest belongs to another study


def test_no_two_places_of_the_page_have_one_name(tmp_path: Path) -> None:
    records = [made_record("heart", d, r) for d in (None, 1, 100) for r in range(3)]
    page = text_of(records + modes("heart", d100=0.8, zero=0.8), tmp_path).split("(() =>")[0]
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names)) > 20
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert len(links) > 5
    assert links <= set(names)


def test_the_page_names_the_backends_that_learned(tmp_path: Path) -> None:
    backends = (("reference", None), ("native", "avx2"), ("cuda", None))
    records = [made_record(backend=name, instruction_set=cpu, repeat=r) for r, (name, cpu) in enumerate(backends)]
    page = text_of(records, tmp_path)
    assert "<dt>Machines learned on</dt><dd>cuda, native (avx2), reference</dd>" in page


def test_settings_seeds_and_versions_are_those_of_the_records(tmp_path: Path) -> None:
    page = text_of(
        [made_record(repeat=r, versions={"adtm": f"9.{r}"}, instruction_set="neon") for r in (0, 1, 4)], tmp_path
    )
    assert "0–1, 4. A seed decides" in page
    assert "<dt>adtm</dt><dd>9.0, 9.1, 9.4</dd>" in page
    assert "<dt>Machines learned on</dt><dd>native (neon)</dd>" in page


def test_the_same_records_give_the_same_page(tmp_path: Path) -> None:
    records = [made_record(repeat=r) for r in range(2)]
    assert text_of(records, tmp_path / "a") == text_of(records, tmp_path / "b")


def hostile_records() -> list[Record]:
    task = {"model": HOSTILE, "params": {}}
    stranger = made_record(task=task, versions={HOSTILE: HOSTILE}, target=HOSTILE)
    return [made_record(), made_record(repeat=1, versions={"adtm": HOSTILE}), stranger]


def test_texts_of_records_are_escaped(tmp_path: Path) -> None:
    page = text_of(hostile_records(), tmp_path)
    assert HOSTILE not in page
    assert "&lt;img src=x onerror=" in page


# The page in a browser -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study, really run: two data sets, all machines, two repeats of three epochs, one other learner."""
    tasks = paper.machine_tasks(repeats=2, epochs=3, datasets=["bankruptcy", "heart"])
    tasks += [task for task in paper.baseline_tasks(2, datasets=["heart"]) if task["model"] == "DT"]
    return write_report([perform(task) for task in tasks], tmp_path_factory.mktemp("report"))


class Visit(browsing.Visit):
    """The report, its charts drawn."""

    def __init__(self, browser: Any, path: Path, width: int, scheme: str = "light") -> None:
        super().__init__(browser, path, width=width, ready="html[data-charts=drawn]", scheme=scheme)

    def wait_for_lines(self, count: int) -> None:
        drawn = "document.querySelectorAll('[data-chart=epochs_heart] .mark-line path').length"
        self.page.wait_for_function(f"{drawn} === {count}")


def test_the_page_loads_offline_without_errors_or_requests(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=1280) as visit:
        assert visit.errors == []
        assert visit.requests == [report.as_uri()]
        places = visit.page.locator("[data-chart]").count()
        assert places == 6  # accuracy, F1, draws, time; two data sets
        assert visit.page.locator("[data-chart] svg.marks").count() == places
        assert visit.page.locator(".drawing svg").count() == 3


def test_the_chart_of_modes_is_drawn_and_its_tables_fit_a_small_screen(browser: Any, tmp_path: Path) -> None:
    path = write_report(modes("heart", d100=0.8, inf=0.7, zero=0.8, but=0.75), tmp_path)
    with Visit(browser, path, width=360) as visit:
        assert visit.page.locator("[data-chart=accuracy_by_draws] svg.marks").count() == 1
        assert visit.width == 360
        assert visit.errors == []


def test_series_are_switched_off_and_on_by_mouse_and_by_keyboard(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=1280) as visit:
        visit.wait_for_lines(8)  # few at first: four machines, each in the panels of training and of testing
        button = visit.page.locator("#epochs_heart .series button", has_text="d = 5000")
        button.click()
        visit.wait_for_lines(6)
        assert button.get_attribute("aria-pressed") == "false"
        button.press("Enter")
        visit.wait_for_lines(8)
        visit.page.locator("#epochs_heart .series button", has_text="d = 10").first.press("Space")
        visit.wait_for_lines(10)
        assert visit.errors == []


def test_an_axis_follows_what_is_shown(browser: Any, tmp_path: Path) -> None:
    scores = {1: [0.90, 0.91], 100: [0.92, 0.93], 5000: [0.2, 0.3]}
    path = write_report(
        [made_record("heart", d, r, test=test) for d, test in scores.items() for r in range(3)], tmp_path
    )
    with Visit(browser, path, width=1280) as visit:
        chart = visit.page.locator("[data-chart=epochs_heart]")

        def lowest() -> float:
            labels = chart.locator(".role-axis-label text").all_text_contents()
            return min(float(label) for label in labels if "." in label)

        assert lowest() < 0.3
        visit.page.locator("#epochs_heart .series button", has_text="d = 5000").click()
        visit.page.wait_for_function("document.querySelector('[data-chart=epochs_heart]').dataset.shown === '2'")
        assert lowest() > 0.8


def test_tables_sort_by_number_and_find_back(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=1280) as visit:
        rows = visit.page.locator("#table5_heart tbody tr")
        before = rows.all_inner_texts()
        head = visit.page.locator("#table5_heart thead .sub th").first  # F1, here
        values = []
        for turn in ("ascending", "descending"):
            head.locator("button").press("Enter")
            assert head.get_attribute("aria-sort") == turn
            cells = visit.page.locator("#table5_heart tbody tr td:nth-child(2)").all_inner_texts()
            values.append([float(cell.split()[0]) for cell in cells])
        assert values[0] == sorted(values[0])
        assert values[1] == sorted(values[1], reverse=True)
        assert values[0][0] < values[0][-1]
        head.locator("button").click()
        assert head.get_attribute("aria-sort") is None
        assert rows.all_inner_texts() == before


def test_cells_sort_by_their_first_number_and_those_without_one_come_last(browser: Any, report: Path) -> None:
    ordered = ["−∞", "−3", "0.25 (0.3*)", "12.5 ± 99", "99", "2,000", "1,234,567.5", "∞", "–", "d = 5", "none"]
    with Visit(browser, report, width=1280) as visit:
        windows = visit.page.evaluate(
            """(ordered) => {
                const head = document.querySelector("#table5_heart thead .sub th"), column = head.dataset.at;
                const body = head.closest("table").tBodies[0], rows = [...body.rows];
                return ordered.slice(rows.length - 1).map((_, k) => {
                    const window = ordered.slice(k, k + rows.length), reversed = [...window].reverse();
                    rows.forEach((row, i) => { row.cells[column].textContent = reversed[i]; });
                    head.querySelector("button").click();
                    const found = [...body.rows].map((row) => row.cells[column].textContent);
                    for (const _ of [1, 2]) head.querySelector("button").click();
                    return [found, window];
                });
            }""",
            ordered,
        )
    assert windows[-1][1][-1] == "none"
    for found, window in windows:
        assert found == window


def test_the_navigation_stays_in_sight(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=1280) as visit:
        visit.page.evaluate("scrollTo({top: 4000, behavior: 'instant'})")
        assert visit.page.locator("nav").bounding_box()["y"] == 0


def test_a_narrow_screen_has_the_summary_and_sections_that_links_open(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=390) as visit:
        folds = visit.page.locator("main > section > details")
        first, *others = [fold.get_attribute("open") is not None for fold in folds.all()]
        assert first
        assert not any(others)
        assert visit.page.evaluate("document.documentElement.scrollHeight") < 4000
        for place in ("tables", "table5_heart"):
            visit.page.evaluate("place => { location.hash = place; }", place)
            visit.page.locator(f"#{place}").wait_for(state="visible")
        visit.page.locator("#figures summary").first.click()
        assert visit.page.locator("#figures svg.marks").first.bounding_box()["width"] > 300
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert visit.page.locator("details:not([open])").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "light"), (1400, "dark")])
def test_axe_finds_nothing_to_complain_about(browser: Any, report: Path, width: int, scheme: str) -> None:
    with Visit(browser, report, width=width, scheme=scheme) as visit:
        visit.page.evaluate(
            "document.querySelectorAll('main > section > details').forEach(each => { each.open = true; })"
        )
        visit.page.wait_for_timeout(100)  # for what notices it
        assert visit.barriers() == []


@pytest.mark.parametrize("width", [1400, 800])
def test_no_table_of_choices_hides_a_column(browser: Any, tmp_path: Path, width: int) -> None:
    tasks = sensitivity.tasks(Plan(1, 2, ("heart", "liver_disorders"), quick=True))
    path = write_report(
        [perform(task) for task in tasks if task["dataset"] == "heart" or task["variant"] == {}], tmp_path
    )
    with Visit(browser, path, width=width) as visit:
        hidden = visit.page.eval_on_selector_all(
            "#studies .scroll", "all => all.map(x => x.scrollWidth - x.clientWidth)"
        )
        assert hidden
        assert max(hidden) <= 1


def test_on_paper_columns_do_not_overlap_and_charts_have_their_legend(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=720) as visit:  # about the width of an A4 page
        visit.page.emulate_media(media="print")
        wide = visit.page.eval_on_selector_all("main table", "all => all.map(x => x.scrollWidth)")
        assert max(wide) <= 720
        assert not visit.page.locator("nav").is_visible()
        size = "e => { e.append('for new rows'); return parseFloat(getComputedStyle(e).fontSize); }"
        assert visit.page.eval_on_selector(".verdict .new", size) < visit.page.eval_on_selector(".verdict", size)
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        shown = visit.page.locator("#epochs_heart .series button:visible").all_inner_texts()
        assert len(shown) == 8  # all, those too that the screen starts without
        drawn = "#epochs_heart .mark-line path"
        assert visit.page.locator(drawn).count() == 16  # training and testing
        assert visit.page.locator("details:not([open])").count() == 0
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert visit.page.locator(drawn).count() == 8


def test_pointing_at_a_chart_shows_values(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=1280) as visit:
        visit.page.locator("[data-chart=epochs_heart]").scroll_into_view_if_needed()
        box = visit.page.locator("[data-chart=epochs_heart] svg.marks").bounding_box()
        visit.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
        tooltip = visit.page.locator("#vg-tooltip-element.visible")
        tooltip.wait_for()
        assert "d = 100" in tooltip.inner_text()
        assert "Epoch" in tooltip.inner_text()


@pytest.mark.parametrize("width", [360, 768])
def test_on_a_small_screen_nothing_hangs_over_the_edge(browser: Any, report: Path, width: int) -> None:
    with Visit(browser, report, width=width) as visit:
        assert visit.width == width
        charts = visit.page.eval_on_selector_all("[data-chart] svg.marks", "all => all.map(one => one.clientWidth)")
        assert all(0.7 * width < wide <= width for wide in charts)
        assert visit.errors == []


def test_charts_are_drawn_again_when_the_window_changes(browser: Any, report: Path) -> None:
    with Visit(browser, report, width=1280) as visit:
        visit.page.set_viewport_size({"width": 400, "height": 800})
        visit.page.wait_for_function(
            "[...document.querySelectorAll('[data-chart]')].every(one => one.dataset.width < 400)"
        )
        assert visit.width == 400
        assert visit.page.locator("[data-chart] svg.marks").count() == 6
        assert visit.errors == []


def test_a_hostile_record_runs_nothing(browser: Any, tmp_path: Path) -> None:
    with Visit(browser, write_report(hostile_records(), tmp_path), width=1280) as visit:
        assert visit.page.evaluate("window.broken") is None
        assert visit.errors == []
