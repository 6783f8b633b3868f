"""Records to results, once: claims, tables, figures and findings, which the report and the files only show.

>>> from adtm.paper.results import Results
>>> nothing = Results.of([])
>>> nothing.claims, nothing.tables, nothing.findings, nothing.choice
((), (), (), None)
>>> [figure.name for figure in nothing.figures]
['tsetlin_automaton', 'mvf_la', 'machine']
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from adtm.paper.figures import Figure, charted_figures, drawn_figures, write_figures
from adtm.paper.reading import claims, findings, silence
from adtm.paper.reading.findings import Agreement, Finding
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.table import Table
from adtm.paper.reading.verdicts import Claim
from adtm.paper.running.records import Record
from adtm.paper.studies import STUDIES, determinism, faults, paper


@dataclass(frozen=True)
class Results:
    """All that is made of some records. Tables and figures know their section of the report."""

    runs: Runs  # the records, sorted
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]  # charts of the records, then the drawings
    findings: tuple[Finding, ...]
    agreement: Agreement  # of all scores that the paper prints
    choice: Finding | None  # which mode of the determinism study to choose

    @classmethod
    def of(cls, records: Iterable[Record]) -> Results:
        """The results of records; any part of a study will do."""
        runs = Runs(list(records))
        silent = silence.silences(runs.machines)
        judged = [*claims.claims(runs.learners, silent), *faults.claims(runs)]
        by_dataset = paper.machine_tables(runs.learners)
        return cls(
            runs,
            tuple(judged),
            (*claims.tables(judged), *(table for study in STUDIES.values() for table in study.tables(runs))),
            (*charted_figures(runs), *drawn_figures()),
            tuple(findings.findings(runs.machines, by_dataset, silent)),
            findings.agreement([*by_dataset.values(), *paper.baseline_tables(runs.learners)]),
            determinism.choice(runs),
        )

    def write(self, directory: str | Path) -> None:
        """Write every table and every figure to files, below ``tables`` and ``figures``."""
        for table in self.tables:
            table.write(Path(directory) / "tables")
        write_figures(self.figures, Path(directory) / "figures")
