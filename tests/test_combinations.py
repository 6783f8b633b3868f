"""Options beside each other: every command with combinations of values in which every two of them meet.

Of each combination tests/vectors/combinations.json has a digest of all that it gives: exit code, standard output,
standard error and the files that it wrote. Where one differs, the message shows the command and what it gives now.
``ADTM_UPDATE_VECTORS=1`` writes the digests anew after a change on purpose; tests/approved has such outputs to read.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import shlex
import shutil
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

import adtm
from adtm import AdviceWarning
from adtm.cli import evaluate
from commands import run
from made_sessions import write_meadow
from pinned import VECTORS, check_digests
from test_approved import rounded

FILE = "combinations.json"

#: What the files are made of: commands, a line each. `latin.csv` is meadow.csv in other letters.
MADE = """
train meadow.csv --target shade --ignore weight --out two.st --clauses 4 --epochs 3 --bits 4 --no-choice
train meadow.csv --target kind --ignore weight --out three.st --clauses 6 --epochs 3 --bits 4 --no-choice
train meadow.csv --target kind --ignore weight --out drawn.st --clauses 6 --epochs 3 --bits 3 --paper --d 3 --T 5
train meadow.csv --target kind --ignore weight --out short.st --clauses 4 --epochs 9 --bits 3 --ands --literals 3
train meadow.csv --target weight --ignore kind --out value.st --clauses 8 --epochs 3 --bits 4 --no-choice
train meadow.csv --target bees --target shade --ignore weight --out labels.st --clauses 4 --epochs 3 --bits 4
pack meadow.csv --target kind --out meadow.packed --ignore weight --bits 3
pack meadow.csv --target bees --target shade --out labels.packed --ignore weight --bits 3
pack meadow.csv --target weight --out weighted.packed --weight petals
train meadow.packed --out packed.st --clauses 4 --epochs 3 --no-choice
"""

#: A line for each option, with its values between bars; what is refused has tables of its own, where it hides nothing.
#: A finite d comes with a seed, as it tosses other coins in every run without one.
TABLES = {
    "train classes": """
train
meadow.csv --target kind --ignore weight | meadow.csv --target shade | latin.csv --encoding latin-1 --target colour
--epochs 1 | --epochs 2
--clauses 2 | --clauses 6
| --T 1 | --T 5
| --s 1 | --s 10
| --d 1 --seed 4 | --d 7 --seed 4 | --d inf
| --bits 1 | --bits 4
| --tolerance 0 | --tolerance 1 | --tolerance 3
| --literals 1 | --literals 8
| --weights fixed | --weights integer | --weights auto
| --members 1 | --members 2 --member-rows 0.5 | --members 3
| --seed 0 | --seed 9
| --no-choice
| --balanced
| --text petals
| --ignore wet | --ignore height --ignore bees
| --jobs 2 | --jobs -1 | --backend native | --backend reference
| --json
--out model.st
""",
    "train presets": """
train meadow.csv --ignore weight
--target kind | --target bees | --target bees --target shade | --target petals --classes \
| --target petals --text petals
--epochs 1 | --epochs 3
| --ands | --paper | --readable | --ands --readable | --paper --readable | --ands --paper
| --clauses 4
| --T 4 | --s 3 | --d 2 --seed 4
| --literals 2 | --tolerance 0
| --weights fixed | --weights integer
| --seed 5
| --no-choice
| --members 2
| --json
--out model.st
""",
    "train adaptive": """
train meadow.csv --target kind --ignore weight --adaptive --epochs 2
| --balanced
| --clauses 4
| --no-choice
| --ands | --paper | --readable
| --seed 3
| --text petals
| --members 2
| --json
--out model.st
""",
    "train value": """
train
meadow.csv --target weight --ignore kind | meadow.csv --target petals --value | meadow.csv --target weight --value
--epochs 1 | --epochs 2
--clauses 4 | --clauses 9
| --T 1 | --T 5
| --s 1 | --s 10
| --d 1 --seed 4 | --d 7 --seed 4
| --bits 1 | --bits 4
| --tolerance 0 | --tolerance 1 | --ands | --readable
| --literals 1 | --literals 8
| --seed 0 | --seed 9
| --no-choice
| --text petals | --ignore wet
| --jobs 2 | --backend reference
| --members 2 | --members 2 --member-rows 0.5
| --json
--out model.st
""",
    "train labels": """
train
meadow.csv --target bees --target shade | meadow.csv --target shade --target wet --ignore weight
--epochs 1 | --epochs 2
--clauses 2 | --clauses 4
| --T 1 | --T 5
| --s 1 | --s 10
| --d 1 --seed 4 | --d 7 --seed 4
| --bits 2
| --tolerance 0 | --tolerance 1 | --ands | --readable | --paper
| --literals 4
| --weights fixed | --weights integer
| --seed 9
| --no-choice
| --members 2 | --members 2 --member-rows 0.5
| --json
--out model.st
""",
    "train packed": """
train
meadow.packed | labels.packed | weighted.packed
--epochs 1 | --epochs 2
| --clauses 4
| --bits 1 | --bits 3
| --seed 2
| --ands | --readable
| --json
--out model.st
""",
    "train refused": """
train
meadow.csv --target kind --ignore weight | meadow.csv --target weight --ignore kind
--clauses 4 --no-choice --epochs 1
--value | --classes | --text kind | --text weight | --text none | --ignore shade --text shade | --ignore kind \
| --ignore none | --target kind | --target none | --encoding latin-1 | --encoding none | --epochs 0 | --clauses 0 \
| --clauses 3 | --T 0 | --s 0 | --d 0 | --d 1.5 | --d nan | --bits 0 | --tolerance -1 | --literals 0 \
| --weights some | --members 0 | --member-rows 0 | --member-rows 0.5 | --members 2 --member-rows 2 \
| --ands --tolerance 1 | --paper --tolerance 1 | --readable --tolerance 1 | --balanced | --adaptive \
| --adaptive --bits 3 | --paper | --jobs 0 | --backend none | --seed -1 | --backend native --scheduler tcp://none:1 \
| --clauses 131074 | --seed 9.5
| --json
--out model.st
""",
    "train places": """
train
meadow.csv --target kind --epochs 1 --no-choice | meadow.packed --epochs 1 | none.csv --target kind \
| - --target shade --epochs 1
--out model.st | --out meadow.csv | --out meadow.packed | --out - | --out none/model.st |
| --json
""",
    "train packed, refused": """
train
meadow.packed | labels.packed | weighted.packed
--value | --classes | --bits 2 | --balanced | --adaptive | --paper | --target kind | --ignore wet | --text petals \
| --encoding latin-1
| --json
--epochs 1 --out model.st
""",
    "predict classes": """
predict
two.st | three.st | drawn.st | short.st
meadow.csv | latin.csv --encoding latin-1 | - | - --encoding latin-1
| --votes
| --probabilities
| --out answers.csv | --out -
| --json
""",
    "predict packed": """
predict
packed.st meadow.packed | packed.st meadow.csv | three.st meadow.packed | packed.st labels.packed
| --votes
| --probabilities
| --out answers.csv
| --encoding latin-1
| --json
""",
    "predict labels and values": """
predict
labels.st --votes | labels.st --probabilities | labels.st --probabilities --votes | value.st --interval 0.9 | value.st
meadow.csv | latin.csv --encoding latin-1 | -
| --out answers.csv | --out -
| --json
""",
    "predict intervals": """
predict value.st
meadow.csv | latin.csv --encoding latin-1
--interval 0.5 | --interval 0.9 | --interval 0.99 | --interval 0 | --interval 1 | --interval nan | --interval 0.001
| --out answers.csv | --out -
| --json
""",
    "predict refused": """
predict
two.st | labels.st | value.st
meadow.csv --interval 0.9 --votes | meadow.csv --votes | meadow.csv --probabilities | meadow.csv --interval 2 \
| latin.csv | none.csv | meadow.packed | other.csv | images.csv | meadow.csv --out two.st \
| meadow.csv --out meadow.csv | meadow.csv --out none/answers.csv | meadow.csv --encoding none \
| - --out - --interval 0 |
| --json
""",
    "rules": """
rules
three.st | two.st | drawn.st | short.st | value.st | packed.st
| -n 1 | -n 3 | -n 1000 | --all
| --markdown | --json
""",
    "rules with a table": """
rules
three.st --target kind | two.st --target shade | drawn.st --target kind | short.st --target kind \
| value.st --target weight
--data meadow.csv | --data latin.csv --encoding latin-1
| --small | --prune | --small --prune | --small --loss 0 | --small --loss 0.1 | --small --loss 1 \
| --small --conditions 1
| -n 1 | -n 4 | -n 60
| --markdown | --json
""",
    "rules of rows": """
rules
three.st | two.st | short.st | value.st | labels.st | labels.st --label bees | packed.st
--data meadow.csv | --data latin.csv --encoding latin-1
| --prune
| -n 1 | -n 2 | --all
| --markdown | --json
""",
    "rules of labels": """
rules labels.st
| --label bees | --label shade
| --data meadow.csv --target bees --target shade | --data meadow.csv --target shade --target bees
| -n 1 | -n 2 | --all | --prune
| --markdown | --json
""",
    "few rules of labels": """
rules labels.st --small --data meadow.csv --target bees --target shade
| --label bees | --label shade
| -n 1 | -n 3
| --conditions 1 | --conditions 2
| --loss 0 | --loss 1
| --prune
| --markdown | --json
""",
    "rules of images": """
rules images.st
| --data images.csv --target kind
| --small | --prune | --all | -n 1 | -n 3
| --markdown | --json
""",
    "rules with folds": """
rules --small --folds 2 --data meadow.csv
three.st --target kind | short.st --target kind | value.st --target weight
| -n 1 | -n 3
| --conditions 1
| --loss 0 | --loss 1
| --prune
| --markdown | --json
""",
    "rules refused": """
rules
labels.st | value.st | images.st
--data meadow.csv | --data none.csv | --data - | --data latin.csv | --data meadow.packed | --target kind \
| --data meadow.csv --target none | --data meadow.csv --target kind | --data meadow.csv --target bees --target shade \
| --label bees | --label none | --small | --prune | --all --small | --all -n 2 | --conditions 2 | --loss 0.1 \
| --folds 2 | --data meadow.csv --target kind --small --folds 1 | --data meadow.csv --target kind --small --folds 99 \
| -n 0 | --conditions 0 | --loss 1.1 | --loss -1 | --encoding latin-1 | --json --markdown
| --json
""",
    "explain": """
explain
two.st | three.st | drawn.st | short.st | value.st | packed.st | labels.st | labels.st --label shade
meadow.csv | latin.csv --encoding latin-1 | -
--row 20 | --row 31 | --row 33 | --row 60
| -n 1 | -n 3 | --json
| --fixed height | --fixed colour --fixed wet
""",
    "explain all rows": """
explain
two.st | three.st | value.st | labels.st | labels.st --label bees
meadow.csv | latin.csv --encoding latin-1 | -
| --json
""",
    "explain refused": """
explain
three.st | labels.st | value.st | images.st
meadow.csv -n 2 | meadow.csv --fixed height | meadow.csv --row 0 | meadow.csv --row 61 | meadow.csv --row 1 -n 0 \
| latin.csv | meadow.csv --row 1 --fixed none | meadow.csv --label none | meadow.csv --label bees | none.csv \
| meadow.packed | other.csv | | meadow.csv --row 1 -n 2 --json
| --json
""",
    "inspect": """
inspect
three.st | two.st | drawn.st | value.st | labels.st | packed.st
| --data meadow.csv | --data latin.csv --encoding latin-1
--out page.html
""",
    "inspect with a target": """
inspect
three.st --target kind | two.st --target shade | value.st --target weight | labels.st --target bees --target shade
--data meadow.csv | --data latin.csv --encoding latin-1
| --small
--out page.html
""",
    "inspect refused": """
inspect
three.st | images.st | labels.st
--data meadow.csv --target none | --data - | --data none.csv | --data latin.csv | --data meadow.packed \
| --target kind | --encoding latin-1 | --data images.csv --target kind | --data meadow.csv --target kind \
| --data images.csv
| --small
--out page.html | --out three.st | --out meadow.csv | --out - | --out none/page.html |
""",
    "export rules": """
export
json | python | python --name answer | python --name class | python --name 1
two.st --out two.st | three.st | value.st | labels.st | short.st | images.st | none.st
| --out made.txt | --out - | --out none/made.txt | --out meadow.csv
""",
    "export c": """
export c
two.st | three.st | short.st | value.st | labels.st | labels.st --label bees | images.st
| --features
| --name door | --name int | --name 1
| --out made.h | --out - | --out int.h | --out 1.h | --out none/made.h
""",
    "export c, learning": """
export c --learn
two.st | three.st | short.st | value.st | labels.st | images.st
| --features
| --trained
| --name door
| --out made.h | --out -
""",
    "export c, Arduino": """
export c --arduino
two.st | value.st | labels.st | images.st
| --learn | --learn --trained
| --name door | --name int
--out made | --out two | --out int
""",
    "export verilog": """
export verilog
two.st | three.st | short.st | value.st | labels.st | labels.st --label bees | images.st
| --features
| --name door
| --out made.v | --out - | --out wire.v
""",
    "export verilog, learning": """
export verilog --learn
two.st | three.st | short.st | value.st | labels.st | images.st
| --features
| --trained
| --name door
| --out made.v | --out -
""",
    "export cores": """
export verilog
two.st | three.st | short.st | value.st | labels.st | labels.st --label bees
--pipeline 1 | --pipeline 2 | --pipeline 64 | --axi
| --features
| --axi --name door | --name door
| --testbench | --testbench --data meadow.csv
--out made.v
""",
    "export cores of images": """
export verilog images.st
| --pixels 1 | --pixels 5
--pipeline 9 | --pipeline 64 | --axi
| --features
| --axi --name door
| --testbench
--out made.v
""",
    "export refused": """
export
c | verilog
two.st | labels.st | images.st
--label bees | --label none | --learn --label bees | --trained | --name 1 | --name wire | --name int \
| --out two.st --learn | --out none/made | --arduino | --arduino --label bees --out made \
| --arduino --features --out made | --arduino --out two.st | --footprint --learn | --footprint --features \
| --data meadow.csv | --pipeline 1 | --pipeline 0 --out made.v | --pipeline 65 --out made.v \
| --pixels 2 --out made.v | --pixels 0 --out made.v | --axi --out - | --testbench --learn --out made.v \
| --testbench --data none.csv --out made.v | --testbench --data meadow.csv --out meadow.csv \
| --pixels 1 --learn --out made.v | --pipeline 1 --out made.v
""",
    "pack refused": """
pack
meadow.csv --target kind | meadow.csv --target bees --target shade
--weight height | --weight colour | --weight none | --weight kind | --ignore kind | --ignore none | --bits 0 \
| --jobs 0 | --target none | --target kind | --weight petals --ignore petals
| --json
--out made.packed
""",
    "pack places": """
pack
meadow.csv | latin.csv | none.csv | none*.csv | meadow.packed | other.csv | -
--target kind |
--out made.packed | --out meadow.csv | --out - | --out none/made.packed |
""",
    "pack": """
pack meadow.csv
--target kind | --target weight | --target shade | --target bees --target shade
| --weight petals
| --ignore wet | --ignore height --ignore colour
| --bits 1 | --bits 4
| --jobs 2
| --json
--out made.packed
""",
    "energy": """
energy
two.st | three.st | drawn.st | short.st | value.st | labels.st | images.st | packed.st
| --clock 100e6 | --steps 1000
| --json
""",
    "energy refused": """
energy
drawn.st | value.st | labels.st
--gates --answers | --data meadow.csv | --target kind | --to 0.9 | --steps 10 | --steps 9 | --liberty none.lib \
| --clock 1 | --clock 0 | --clock inf | --clock nan | --chart made.txt | --chart drawn.st | --chart none/made.svg \
| --answers --chart made.svg | --answers --target kind | --answers --steps 11 | --answers --to 1 \
| --data meadow.csv --chart meadow.csv
| --json
""",
    "faults": """
faults meadow.csv --target kind --ignore weight --clauses 3 --epochs 1 --bits 2
| --kind include | --kind state | --kind clause
--share 0.1 | --share 0 | --share 1 | --share 0.02 --share 0.5
--folds 2 | --folds 3
| --seed 1 | --d 2 --seed 4
| --balanced | --paper | --ands
| --jobs 2
| --json
""",
    "faults refused": """
faults --clauses 2 --epochs 1 --folds 2
meadow.csv --target kind | meadow.csv --target weight | meadow.csv --target bees --target shade
--share 2 | --share nan | --share -1 | --share 0.1 --share 7 | --kind none | --folds 1 | --folds 50 | --target none \
| --jobs 0
| --json
""",
    "evaluate": """
evaluate meadow.csv --clauses 4 --epochs 1 --no-choice --bits 2
--target kind --ignore weight | --target weight | --target bees --target shade | --target petals --value
--folds 2 | --folds 3
| --seed 1 | --d 3 --seed 4 | --T 3
| --jobs 1 | --jobs 2
| --json
""",
    "evaluate refused": """
evaluate --epochs 1 --clauses 2
meadow.csv --target kind | meadow.csv --target weight | meadow.csv --target bees --target shade
--folds 1 | --folds 50 | --folds 500 | --paper --tolerance 1 | --ands --tolerance 1 | --folds 2 --d 0 \
| --value --classes --folds 99
| --json
""",
    "tune": """
tune meadow.csv --candidates 2
--target kind --ignore weight | --target weight --ignore kind | --target bees --target shade | --target none
--epochs 1 | --epochs 2
| --ands
| --out model.st
| --records made.jsonl
| --json
""",
    "tune refused": """
tune
meadow.csv --target kind | meadow.csv --target petals --value
--candidates 2 --epochs 1 --candidates 1 | --epochs 0 | --jobs 0 --candidates 2 \
| --ands --candidates 2 --epochs 1 --candidates 1 | --ands --value --epochs 1 --candidates 2 | --out meadow.csv \
| --out model.st --records model.st | --records meadow.csv | --out - | --out none/model.st | --target none --classes
| --json
""",
}


# ---- combinations ----------------------------------------------------------------------------------------------------


def options(table: str) -> list[list[str]]:
    """The values of each option, "" where one may be left out."""
    return [[value.strip() for value in line.split("|")] for line in table.strip("\n").splitlines()]


@functools.cache
def combined(name: str) -> list[tuple[int, ...]]:
    """Combinations, the places of their values, in which all pairs meet: each has as many new pairs as come easily."""
    values = options(TABLES[name])
    numbers = range(len(values))
    left = {
        ((i, a), (j, b)): None
        for i, j in itertools.combinations(numbers, 2)
        for a in range(len(values[i]))
        for b in range(len(values[j]))
    }
    found = []
    while left:
        chosen = dict(next(iter(left)))
        for i in sorted(set(numbers) - set(chosen), key=lambda i: (-len(values[i]), i)):
            turned = [(a + len(found)) % len(values[i]) for a in range(len(values[i]))]  # of equals another each time
            new = {a: sum(tuple(sorted([(i, a), other])) in left for other in chosen.items()) for a in turned}
            chosen[i] = max(new, key=new.__getitem__)
        for pair in itertools.combinations(sorted(chosen.items()), 2):
            left.pop(pair, None)
        found.append(tuple(chosen[i] for i in numbers))
    return found


@functools.cache
def lines(name: str) -> list[str]:
    """The command lines of a table."""
    values = options(TABLES[name])
    return [" ".join(filter(None, (of[a] for of, a in zip(values, row, strict=True)))) for row in combined(name)]


@pytest.mark.parametrize("name", TABLES)
def test_every_two_values_meet_in_a_combination(name: str) -> None:
    values = options(TABLES[name])
    rows = combined(name)
    for i, j in itertools.combinations(range(len(values)), 2):
        met = {(row[i], row[j]) for row in rows}
        assert met == set(itertools.product(range(len(values[i])), range(len(values[j]))))
    assert len(set(lines(name))) == len(rows)


def test_there_is_a_pin_for_every_table_and_for_nothing_else() -> None:
    if os.environ.get("ADTM_UPDATE_VECTORS") == "1":
        pytest.skip("they are written")
    assert json.loads((VECTORS / FILE).read_text(encoding="utf-8")).keys() == TABLES.keys()


# ---- what a command gives --------------------------------------------------------------------------------------------


def outcome(line: str, files: Path, folder: Path) -> str:
    """All that a command gives, in a folder with the files that it names."""
    arguments = shlex.split(line)
    folder.mkdir()
    os.chdir(folder)
    for name in {*arguments} & {path.name for path in files.iterdir()}:
        shutil.copy(files / name, name)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with warnings.catch_warnings(action="always", category=AdviceWarning):
        result = run(*arguments, data=(files / "meadow.csv").read_bytes() if "-" in arguments else None)
    parts = [f"exit {result.exit_code}", result.stdout, "stderr:", worded(result.stderr)]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        parts.append("".join(traceback.format_exception_only(result.exception)))
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if before.get(path) != path.read_bytes():
            parts += [f"{path.relative_to(folder).as_posix()}:", held(path)]
    return rounded("\n".join(parts))


def worded(text: str) -> str:
    """What is said; not the words of typer, which change from version to version."""
    return re.sub(r"(Invalid value for [^:]*|No such option|Missing \w+ [^. ]*|Got unexpected).*", r"\1", text)


def held(path: Path) -> str:
    """What is in a file, and does not depend on who wrote it."""
    head = path.read_bytes()[:40]
    if b"__metadata__" in head:
        machine = adtm.load(path)
        told = [machine.get_params(), machine.ledger_, *machine.history_, getattr(machine, "held_out_score_", None)]
        return "\n".join([*map(str, told), machine.rules().to_json(indent=1)])
    if head.startswith(b"adtm packed"):
        packed = adtm.Packed(path)
        y = packed.y if isinstance(packed.y, np.ndarray) else packed.y.to_numpy()
        return "\n".join(map(str, [packed, packed.digest, y.tolist(), packed.weight]))
    text = path.read_text(encoding="utf-8")
    return text.split('id="contents"', 1)[-1].split("</script>", 1)[0]  # of a page what it was given


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables, packed files and models of each kind."""
    folder = tmp_path_factory.mktemp("combinations")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore", category=AdviceWarning):
        patch.chdir(folder)
        write_meadow(n=60)
        meadow = Path("meadow.csv").read_text(encoding="utf-8")
        Path("latin.csv").write_bytes(meadow.replace("red", "r\xe9d").encode("latin-1"))
        Path("other.csv").write_text("height,petals\n1,2\n3,x\n", encoding="utf-8")
        for line in MADE.strip().splitlines():
            result = run(*line.split())
            assert result.exit_code == 0, result.output
        images, kinds = np.arange(24 * 20).reshape(24, 4, 5) * 7 % 11 < 4, np.arange(24) % 3
        adtm.ADTMClassifier(n_clauses=6, epochs=3, choose=False, patch=(2, 3)).fit(images, kinds).save("images.st")
        rows = np.column_stack([images.reshape(24, 20), kinds])
        head = ",".join([*map(str, range(20)), "kind"])
        np.savetxt("images.csv", rows, "%d", ",", header=head, comments="")
    return folder


@pytest.mark.parametrize("name", TABLES)
def test_options_beside_each_other_give_what_they_gave(
    name: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time stands still, and machines are compared with nothing that other versions of scikit-learn do otherwise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)
    simple = {"value": {"mean": DummyRegressor}}
    monkeypatch.setattr(evaluate, "_others", lambda kind, jobs: simple.get(kind, {"majority": DummyClassifier}))
    given = {line: outcome(line, files, tmp_path / str(k)) for k, line in enumerate(lines(name))}
    for line, text in given.items():
        assert "Error: " not in text.split("stderr:")[-1], f"adtm {line}\n{text}"
    check_digests(FILE, name, given, 16)
