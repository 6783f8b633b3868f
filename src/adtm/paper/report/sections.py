"""The sections of the report in their order, each made of a part of the results; one without content is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adtm.paper.figures import Figure
from adtm.paper.published import SETTINGS
from adtm.paper.reading import verdicts
from adtm.paper.reading.claims import multiplicity
from adtm.paper.reading.table import MARK, Table
from adtm.paper.reading.verdicts import Claim, Part
from adtm.paper.report import facts
from adtm.paper.report.markup import grid, joined, part, script_json, tag
from adtm.paper.results import Results
from adtm.paper.studies.determinism import MODES_NOTE, SUMMARY
from adtm.paper.studies.sensitivity import PROGRAM_NOTE
from adtm.templating import Markup, listed

SIGNS = {True: ("yes", "✓"), False: ("no", "✗"), None: ("open", "?")}  # class and sign of a part of a claim


def sections(results: Results) -> dict[str, tuple[str, Markup]]:
    """Name of a section -> its word in the navigation, and the section, which can be folded."""
    differences = part("differences", liver_clauses=SETTINGS["liver_disorders"].n_clauses)
    every = {
        "summary": ("Summary", "Summary", _summary(results)),
        "claims": ("Claims", "The paper’s claims, judged", _claims(results)),
        "tables": ("Tables", "Tables", _tables(results)),
        "figures": ("Figures", "Figures", _figures(results)),
        "drawless": ("Without random numbers", "Learning without random numbers", _drawless(results)),
        "studies": ("Studies", "Studies beyond the paper’s tables", _studies(results)),
        "structure": ("Machine", "The machine and its automata", _structure(results)),
        "settings": ("Settings", "Settings, versions and seeds", _settings(results)),
        "differences": ("Differences", "What differs from the paper, and why", differences),
    }
    return {
        name: (word, part("section", name=name, title=title, content=content))
        for name, (word, title, content) in every.items()
        if content
    }


def _tables_of(results: Results, section: str) -> list[Table]:
    return [table for table in results.tables if table.section == section]


def _charts_of(results: Results, section: str) -> Markup:
    return joined(map(_chart, (figure for figure in results.figures if figure.section == section)), "\n")


def _chart(figure: Figure) -> Markup:
    words = {"name": figure.name, "title": figure.title, "caption": figure.caption, "alt": figure.alt}
    return part("chart", **words, spec=script_json(figure.spec))


def _claims(results: Results) -> Markup:
    if not results.claims:
        return Markup()
    titles = {table.name: table.title for table in results.tables}
    titles |= {figure.name: figure.title for figure in results.figures if figure.spec}
    return part(
        "claims",
        counts=_verdict_counts(results.claims),
        rows=joined((_claim(claim, titles) for claim in results.claims), "\n"),
        rules=_terms(verdicts.RULES.items()),
        combined=verdicts.COMBINED,
        two=verdicts.TWO_INTERVALS,
        multiplicity=multiplicity(results.claims),
    )


PLURAL = {
    verdicts.HOLDS: "hold",
    verdicts.IN_PART: "hold in part",
    verdicts.FAILS_IN_PART: "fail in part",
    verdicts.FAILS: "do not hold",
    verdicts.OPEN: "cannot be judged",
}


def _verdict_counts(judged: Sequence[Claim]) -> str:
    """How many claims got each verdict, for other splits of these rows and for new rows."""
    here, new = ([getattr(claim, which) for claim in judged] for which in ("verdict", "new_rows"))
    told_here, told_new = (
        listed([f"{found.count(v)} {word}" for v, word in PLURAL.items() if v in found]) for found in (here, new)
    )
    of_rows = len(judged) - new.count(verdicts.NO_ROWS)
    return (
        f"Of {len(judged)} claims, on other splits of these rows {told_here}. Of the {of_rows} that do not rest on "
        f"counts and arithmetic alone, for new rows of the same kind {told_new}."
    )


def _claim(claim: Claim, titles: dict[str, str]) -> Markup:
    return part(
        "claim",
        **{"class": claim.verdict.replace(" ", "-"), "verdict": claim.verdict, "name": claim.name, "says": claim.says},
        new=f"for new rows: {claim.new_rows}" if claim.new_rows not in (claim.verdict, verdicts.NO_ROWS) else "",
        told=_told(claim),
        open=" open" if len(claim.parts) <= 2 else "",
        parts=joined(map(_judged, claim.parts)),
        note=tag("p", claim.note) if claim.note else "",
        rule=claim.rule,
        evidence=joined(_links([name for name in claim.evidence if name in titles], titles), ", "),
    )


def _links(names: Sequence[str], titles: dict[str, str]) -> Iterator[Markup]:
    """Links to tables and figures by the heads of their titles; one whose head was told says only what of it shows."""
    heads = [titles[name].partition(":")[0].partition(",")[0] for name in names]
    for at, (name, head) in enumerate(zip(names, heads, strict=True)):
        of = titles[name].partition(": ")[2]
        alone = heads.count(head) == 1
        yield tag("a", head if alone else of if head in heads[:at] else f"{head}: {of}", href=f"#{name}")


def _told(claim: Claim) -> str:
    """How the parts came out, in a sentence."""
    marks = [part.holds for part in claim.parts]
    counts = [(marks.count(True), "holds", "hold"), (marks.count(False), "does not", "do not")]
    counts += [(marks.count(None), "is open", "are open")]
    told = listed([f"{n} {one if n == 1 else many}" for n, one, many in counts if n])
    return f"{len(marks)} part{'s' * (len(marks) > 1)}: {told}"


def _judged(judged: Part) -> Markup:
    name, sign = SIGNS[judged.holds]
    new = "" if judged.new_rows is judged.holds else f" · {SIGNS[judged.new_rows][1]} for new rows"
    return tag("li", tag("span", sign, class_="sign"), f" {judged.text}{new}", class_=f"part {name}")


def _terms(pairs: Iterable[tuple[str, str]]) -> Markup:
    return joined(tag("div", tag("dt", term), tag("dd", text)) for term, text in pairs)


def _summary(results: Results) -> Markup:
    told, few = facts.facts(results.runs), facts.few_repeats(results.runs)
    none_yet = tag("p", "No runs yet: start them with ", tag("code", "adtm reproduce"), ".")
    figures = (tag("div", tag("dd", value), tag("dt", word)) for value, word in told)
    numbers = tag("summary", "The numbers")
    found = [
        tag("li", tag("h3", each.title), tag("details", numbers, tag("ul", *map(_point, each.points))))
        for each in results.findings
    ]
    agreement = f"Over all tables of scores, the other learners included: {results.agreement.text}"
    agreement += f" Not counted, since they have too few repeats for an interval: {few}." if few else ""
    judged = facts.learners(results.runs) and results.agreement.cells
    return part(
        "summary",
        facts=tag("dl", *figures, class_="facts") if told else none_yet,
        claims=tag("p", _verdict_counts(results.claims)) if results.claims else "",
        findings=tag("ol", *found, class_="findings") if found else "",
        agreement=tag("p", agreement) if judged else "",
    )


def _point(text: str) -> Markup:
    return tag("li", text)


def _tables(results: Results) -> Markup:
    tables = joined(map(grid, _tables_of(results, "tables")))
    return part("tables", mark=MARK, tables=tables) if tables else Markup()


def _figures(results: Results) -> Markup:
    charts = _charts_of(results, "figures")
    return part("figures", charts=charts) if charts else Markup()


def _drawless(results: Results) -> Markup:
    tables, choice = _tables_of(results, "drawless"), results.choice
    if not tables:
        return Markup()
    advice = [_point(tag("strong", f"{choice.title}.")), *map(_point, choice.points)] if choice else []
    why = tag("h3", "Which mode to choose, and why")
    return part(
        "drawless",
        modes=MODES_NOTE,
        choice=joined((why, tag("ul", *advice, class_="choice"))) if choice else "",
        summary=joined(grid(table) for table in tables if table.name == SUMMARY),
        charts=_charts_of(results, "drawless"),
        tables=joined(grid(table) for table in tables if table.name != SUMMARY),
    )


def _studies(results: Results) -> Markup:
    tables = _tables_of(results, "studies")
    said = any(PROGRAM_NOTE in table.notes for table in tables)
    program = tag("p", PROGRAM_NOTE) if said else ""
    grids = joined(grid(table, beside=False) for table in tables)
    charts = _charts_of(results, "studies")
    return part("studies", program=program, charts=charts, tables=grids) if tables else Markup()


def _structure(results: Results) -> Markup:
    drawings = (
        part("drawing", name=figure.name, title=figure.title, caption=figure.caption, svg=Markup(figure.svg))
        for figure in results.figures
        if figure.svg
    )
    return part("structure", drawings=joined(drawings, "\n"))


def _settings(results: Results) -> Markup:
    records = results.runs.records
    if not records:
        return Markup()
    machines, others = facts.machine_settings(results.runs.machines), facts.learners(results.runs)
    repeats = f"{'; '.join(f'{model}: {count}' for model, count in others)}."
    title = tag("h3", "Other learners: repeats on each data set")
    return part(
        "settings",
        machines=grid(machines) if machines.rows else "",
        learners=tag("section", title, tag("p", repeats), class_="table") if others else "",
        seeds=facts.seeds(records),
        versions=_terms(facts.versions(records)),
    )
