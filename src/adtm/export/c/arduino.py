"""A library for Arduino: the C file of a machine as a header, ``library.properties`` and a sketch that uses it.

The sketch reads rows over the serial line and prints answers; one with a machine that learns also reads what the
answer should have been. Which bytes a sensor gives is the user's to fill in.
"""

from __future__ import annotations

from typing import Any

from adtm.export.c.infer import inference
from adtm.export.c.learn import learner
from adtm.export.c.table import field_type
from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill
from adtm.machine.heads import Outputs
from adtm.rules import RuleSet

# parseFloat gives a float, whose 0.2 is above a threshold of 0.2.
_TEXT = "Serial.readStringUntil(' ')"
_READ = {"int32_t": f"rounded_up({_TEXT}.toDouble())", "double": f"{_TEXT}.toDouble()"}
#: Beyond 32 bits a number is the last one that is none of the codes, and NaN the code of a missing value.
_ROUNDED_UP = """
static int32_t rounded_up(double x) {
    const double up = ceil(x);
    if (up >= 2147483648.0) return INT32_MAX;
    if (x <= -2147483648.0) return INT32_MIN + 1;
    return up == up ? (int32_t)up : INT32_MIN;
}
"""


def arduino(machine: Any, *, name: str = "adtm_machine", learn: bool = False, trained: bool = False) -> dict[str, str]:
    """The files of an Arduino library, by their paths in its folder.

    Parameters
    ----------
    machine : fitted estimator
        Of a table or of Boolean features, without patches.
    name : str
        Of the library and its header, and the prefix of all that it defines.
    learn : bool
        Whether the machine learns on the device.
    trained : bool
        Whether it then goes on from what it has learned.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.c import arduino
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> sorted(arduino(machine, name="age", learn=True))
    ['examples/age/age.ino', 'library.properties', 'src/age.h']
    """
    check_name(name)
    rules = rules_from(machine)
    if rules.patch is not None:
        raise ValueError("a library for Arduino takes patch=None: a serial line brings rows, not images")
    header = learner(machine, name=name, trained=trained) if learn else inference(machine, name=name)
    outputs = rules.outputs
    values: dict[str, object] = {
        "name": name,
        "NAME": name.upper(),
        "does": "learns and answers" if learn else "answers",
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features.",
        "begin": "resume" if trained else "start",
        "reading": "\n".join(_reading(rules, name)),
        "rounding": _ROUNDED_UP if rules.booleanized and "int32_t" in map(field_type, rules.columns) else "",
        "coding": f"    {name}_features(&row, features);" if rules.booleanized else "\n".join(_bits(rules, name)),
        "answering": _answering(outputs, name, "&machine, " if learn else ""),
        **_teaching(outputs, name),
    }
    return {
        "library.properties": fill("arduino/library.txt", values) + "\n",
        f"src/{name}.h": header,
        f"examples/{name}/{name}.ino": fill(f"arduino/{'learn' if learn else 'answer'}.ino", values) + "\n",
    }


def _reading(rules: RuleSet, name: str) -> list[str]:
    if not rules.booleanized:
        return []
    fields = [(j, field_type(column)) for j, column in enumerate(rules.columns)]
    return [f"    {name}_row row;"] + [
        f"    row.x{j} = {_READ.get(kind, f'({kind}){_TEXT}.toInt()')};" for j, kind in fields
    ]


def _bits(rules: RuleSet, name: str) -> list[str]:
    """Boolean features come as numbers 0 and 1."""
    return [
        f"    for (uint32_t w = 0; w < {name.upper()}_WORDS; ++w) features[w] = 0;",
        f"    for (uint32_t k = 0; k < {rules.n_features}; ++k)",
        f"        if ({_TEXT}.toInt() == 1) features[k / 32] |= UINT32_C(1) << (k % 32);",
    ]


def _answering(outputs: Outputs, name: str, itself: str) -> str:
    if outputs.kind != "labels":
        return f"    Serial.println({name}_predict({itself}features));"
    return (
        f"    uint8_t said[{outputs.n_votes}];\n    {name}_predict({itself}features, said);\n"
        f"    for (uint16_t v = 0; v < {outputs.n_votes}; ++v) Serial.println(said[v]);"
    )


def _teaching(outputs: Outputs, name: str) -> dict[str, object]:
    """What a row is followed by, and how the machine learns it."""
    learn = f"    {name}_learn(&machine, features, "
    if outputs.kind == "labels":
        read = f"    uint8_t labels[{outputs.n_votes}];\n" + "\n".join(
            f"    labels[{v}] = {_TEXT}.toInt() == 1;" for v in range(outputs.n_votes)
        )
        return {"target_is": "1 or 0 for each label", "teaching": f"{read}\n{learn}labels);"}
    if outputs.kind == "value":
        return {"target_is": "its value", "teaching": f"{learn}{name}_target({_READ['double']}));"}
    return {"target_is": "the index of its class", "teaching": f"{learn}(uint32_t){_TEXT}.toInt());"}
