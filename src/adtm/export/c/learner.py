"""A C99 file that learns: one machine, from its settings, head and schedule, and if wanted from what it has learned.

The text is put together from the templates of ``templates/learner``, one for each variant of a rule, and from the
core's own headers for draws, tape, goal, rota and even spreads. What the file computes is docs/spec.md; how a model
that is already trained answers without learning is ``c``, what its memory takes ``c_memory``, how a model goes on
``c_trained``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from adtm.export.c.answer import label_names
from adtm.export.c.head import head_constants, head_text, kind_of
from adtm.export.c.memory import Memory, memory
from adtm.export.c.patch import geometry_text
from adtm.export.c.table import encoder
from adtm.export.c.trained import trained_text
from adtm.export.known import check_known
from adtm.export.templates import check_name, common_text, fill, wrapped
from adtm.machine.draws import Purpose, key
from adtm.machine.heads import Head
from adtm.machine.ledger import Ledger
from adtm.machine.model import Model
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings, strong_steps, weak_rates
from adtm.rules import RuleSet

__all__ = ["MOST_BYTES", "Memory", "learner", "memory"]

#: The largest machine that is generated. Its states are one array, and some compilers stop at 2 GiB.
MOST_BYTES = 2**31 - 1


def learner(
    settings: Settings,
    head: Head,
    schedule: Schedule,
    *,
    n_features: int,
    name: str = "adtm_machine",
    trained: Model | None = None,
    rules: RuleSet | None = None,
    thresholds: bool = True,
) -> str:
    """The text of a C99 file that learns as the library does, to the bit.

    Parameters
    ----------
    settings : Settings
        ``estimator.check_parameters(seed)`` gives them.
    head : Head
        Of classes, labels or a value, with the rule for silence.
    schedule : Schedule
        The order of samples, which the file can compute, and the other class.
    n_features : int
        Boolean features that a clause reads: those of a sample, or of a patch.
    name : str
        The prefix of all that the file defines.
    trained : Model, optional
        ``estimator.model_``: what it has learned goes into the file, as tables to go on from.
    rules : RuleSet, optional
        ``estimator.rules()``, of which only the table counts: the file names its labels.
    thresholds : bool
        Whether it also turns rows of that table, or the pixels of an image, into Boolean features, as ``c.inference``.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.machine.heads import TwoClasses
    >>> from adtm.machine.schedule import Schedule
    >>> settings = ADTMClassifier(n_clauses=20).check_parameters(seed=7)
    >>> print(learner(settings, TwoClasses(), Schedule(), n_features=18, name="door").splitlines()[0])
    /* door: a Tsetlin machine that learns, as one file of C99. ...
    """
    check_name(name)
    check_known(settings, "a C file that learns", "weights", "patches", "goal")
    if (settings.goal == "value") != (kind_of(head) == "value"):
        raise ValueError(f"head must be one for the goal {settings.goal!r} of the settings, got {type(head).__name__}")
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}")
    patches = settings.patches
    if patches is not None and n_features != patches.n_features:
        raise ValueError(f"n_features must be the {patches.n_features} of a patch, got {n_features}")
    needed = memory(settings, head, n_features=n_features).total
    if needed > MOST_BYTES:
        raise ValueError(f"a learner may take at most {MOST_BYTES} bytes of memory, got a machine of {needed}")
    if trained is not None and (trained.settings, trained.n_literals) != (settings, 2 * n_features):
        raise ValueError("trained must be a model of these settings and features, got another one")
    NAME = name.upper()
    values: dict[str, object] = {
        "name": name,
        "NAME": NAME,
        "bytes": needed,
        "state": f"{np.dtype(settings.state_dtype)}_t",
        "common": common_text("draws", "goal", "tape", "rota", "weyl"),
        "constants": _constants(settings, head, schedule, n_features, name),
        "counts": "\n".join(f"    uint64_t {field.name};" for field in fields(Ledger)),
        "empty_learns": settings.most_votes,
        "empty_votes": settings.most_votes if settings.empty == "votes" else 0,
        "step": f"{name}_steps[j]" if isinstance(settings.step, tuple) else f"{NAME}_STEP",
        "rate": f"{name}_rates[j]" if isinstance(settings.s, tuple) else f"{NAME}_RATE",
        "first_clock": "0" if math.isinf(settings.d) else f"(uint64_t)j * {NAME}_D / {NAME}_CLAUSES",
        "polarity": "Every clause adds" if settings.goal == "value" else "Half of the clauses vote for, half against",
        "sign": "1" if settings.goal == "value" else "j % 2 ? -1 : 1",
        "or_resume": f"  or, to go on from the model, {name}_resume(&machine);" if trained else "",
    }
    values |= head_text(head, schedule, values)
    values |= {"labels": "", "encoder": "", "usage": ""}
    if rules is not None:
        values |= _reading_table(rules, n_features, values, thresholds=thresholds)
    values["what"] = _what(settings, values["who"], n_features)
    return _assembled(settings, schedule, trained, values) + "\n"


def _assembled(settings: Settings, schedule: Schedule, trained: Model | None, values: dict[str, object]) -> str:
    """The templates of the rules that these settings name, inner ones first."""

    def piece(file: str) -> str:
        return fill(f"learner/{file}.h", values)

    values |= _reading_rows(values) if settings.patches is None else _reading_patches(settings, values)
    values |= _weighing(settings, values)
    values["trained"] = "" if trained is None else trained_text(trained, values)
    budget = settings.max_literals is not None
    values["outputs"] = piece("outputs_count" if settings.tolerance or budget else "outputs_and") + "\n"
    values["room"] = piece("room") if budget else ""
    values["full"] = "            if (!room) continue;" if budget else ""
    values["tolerated"] = piece("tolerated") if settings.tolerance else ""
    values["type_i"] = _without_blank_lines(piece("type_i")) + "\n"
    values["jump"] = piece(f"jump_{settings.jump}")
    values["tape"] = piece("tape_none" if math.isinf(settings.d) else "tape_finite") + "\n"
    values["strong_by_tape"] = piece("strong_by_tape") + "\n"
    values["weak"] = piece(f"weak_{settings.weak}") + "\n"
    values["update"] = piece("update") + "\n"
    values["selection"] = piece(f"selection_{settings.selection}") + "\n"
    values["start"] = piece(f"start_{settings.start}")
    if schedule.shuffle is False:
        values["order"] = piece("order_none") + "\n"
    else:
        even = schedule.shuffle in ("weyl", "sorted")  # who sorts rows by what they say does so before
        values["order_key"] = piece("order_weyl" if even else "order_random") + "\n"
        values["draws_a_sample"] = 0 if even else 1
        values["order"] = piece("order_sorted") + "\n"
    return piece("machine")


def _reading_table(
    rules: RuleSet, n_features: int, values: Mapping[str, object], *, thresholds: bool
) -> dict[str, object]:
    """The names of the labels, and rows of the table as features."""
    if rules.n_features != n_features:
        raise ValueError(f"rules must be over the {n_features} features of the machine, got {rules.n_features}")
    labels = f"\n   Labels:{label_names(rules.outputs)}" if rules.outputs.labels else ""
    if not (thresholds and rules.booleanized):
        return {"labels": labels}
    name, floats = values["name"], values["floats"]
    row = "&row" if rules.patch is None else "pixels"
    return {
        "labels": labels,
        "encoder": encoder(rules, values),
        "usage": f"{name}_features({row}, features);\n{' ' * 40}",
        "floats": f"{floats} and {name}_features" if floats else f" but in\n   {name}_features",
    }


def _reading_rows(values: Mapping[str, object]) -> dict[str, object]:
    """What the templates say where a clause reads whole samples."""
    name, NAME = values["name"], values["NAME"]
    return {
        "FEATURES": f"{NAME}_FEATURES",
        "WORDS": f"{NAME}_WORDS",
        "patch": "",
        "of_patch": "",
        "self": f"const {name}_machine *self",
        "kept_of_step": f"    uint32_t fires[({NAME}_CLAUSES + 31) / 32]; /* of the step that is being learned */\n",
        "said": fill("learner/said_row.h", values) + "\n",
        "look_voting": "",
        "voting": f"{name}_output(self->include[b][j][0], self->include[b][j][1], features, {values['empty_votes']})",
        "room_for_patch": "",
        "look_learning": "",
        "learning": f"{name}_says(self, b, j, features)",
        "fires": "self->fires[j / 32] >> (j % 32) & 1",
        "choose": "",
        "learned": "features",
    }


def _reading_patches(settings: Settings, values: Mapping[str, object]) -> dict[str, object]:
    """What they say where it slides over the patches of an image."""
    assert settings.patches is not None
    name, NAME = values["name"], values["NAME"]
    said = {**values, "patch_word": fill(f"learner/patch_word_{settings.selection}.h", values) + "\n"}
    kept = "what each clause says to its best patch of the step, and to how many"
    return {
        "FEATURES": f"{NAME}_PATCH_FEATURES",
        "WORDS": f"{NAME}_PATCH_WORDS",
        "patch": geometry_text(settings.patches, values) + fill("learner/patch.h", values) + "\n\n",
        "of_patch": " of a patch",
        "self": f"{name}_machine *self",
        "kept_of_step": f"    int32_t best[{NAME}_CLAUSES]; /* {kept} */\n    uint32_t many[{NAME}_CLAUSES];\n",
        "said": fill("learner/said_patches.h", said) + "\n",
        "look_voting": f"        {name}_look(self, b, features, {values['empty_votes']});\n",
        "voting": "self->best[j]",
        "room_for_patch": f"    uint32_t patch[{NAME}_PATCH_WORDS];\n",
        "look_learning": f"    {name}_look(self, b, features, {values['empty_learns']});\n",
        "learning": "self->best[j]",
        "fires": "self->best[j] > 0",
        "choose": f"            {name}_choose(self, b, j, features, patch);\n",
        "learned": "patch",
    }


def _weighing(settings: Settings, values: Mapping[str, object]) -> dict[str, object]:
    """What they say about the weights of clauses."""
    name, NAME = values["name"], values["NAME"]
    if settings.weights == "fixed":
        fixed = fill("learner/weights_fixed.h", values) + "\n"
        return {"weights": fixed, "weights_kept": "", "move_weight": "", "weights_start": ""}
    most = f"{NAME}_LARGEST_WEIGHT"
    bounds = {"side": "", "low": f"-{most}", "high": most}
    if settings.weights == "sided":
        bounds = {
            "side": ", on its side of 0",
            "low": f"*weight >= 0 ? 1 : -{most}",
            "high": f"*weight < 0 ? -1 : {most}",
        }
    first = fill(f"learner/first_weight_{settings.weights}.h", values)
    return {
        "weights": fill("learner/weights_learned.h", {**values, **bounds, "first_weight": first}) + "\n",
        "weights_kept": f"    int32_t weights[{NAME}_VOTES][{NAME}_CLAUSES];\n",
        "move_weight": f"        if (fires) {name}_move_weight(self, v, j, goal.up);\n",
        "weights_start": fill("learner/weights_start.h", values) + "\n",
    }


def _constants(settings: Settings, head: Head, schedule: Schedule, n_features: int, name: str) -> str:
    NAME, patches = name.upper(), settings.patches
    numbers = {
        "FEATURES": n_features if patches is None else patches.n_image_features,
        **head_constants(head, schedule),
        "BANKS": head.n_banks,
        "OUTPUTS": head.n_outputs,
        "CLAUSES": settings.n_clauses,
        "T": settings.T,
        "STATES": settings.n_states,
        "BOOST": int(settings.boost),
        "TOLERANCE": settings.tolerance,
        "MAX_LITERALS": settings.max_literals or 0,
        "LARGEST_WEIGHT": settings.largest_weight,
    }
    wide = {
        "SEED": f"UINT64_C({settings.seed:#018x})",
        "PHASES": f"UINT64_C({key(0, Purpose.PHASE):#018x}) /* key of the rota's phases */",
        "FIRST_WEIGHTS": f"UINT64_C({key(0, Purpose.WEIGHT):#018x}) /* key of the first weights */",
    }
    if not math.isinf(settings.d):
        wide["D"] = f"UINT64_C({int(settings.d)})"
    tables = []
    steps, rates = strong_steps(settings).tolist(), weak_rates(settings).tolist()
    if isinstance(settings.step, tuple):
        tables.append(f"static const uint16_t {name}_steps[{NAME}_CLAUSES] = {{{wrapped(steps)}}}; /* strong moves */")
    else:
        numbers["STEP"] = steps[0]
    if settings.weak != "every":
        means = "weak moves per weak feedback, times 2^32"
        if isinstance(settings.s, tuple):
            listing = wrapped([f"{rate}u" for rate in rates])
            tables.append(f"static const uint32_t {name}_rates[{NAME}_CLAUSES] = {{{listing}}}; /* {means} */")
        else:
            wide["RATE"] = f"UINT32_C({rates[0]}) /* {means} */"
    named = ",\n".join(f"    {NAME}_{what} = {number}" for what, number in numbers.items())
    defined = [f"#define {NAME}_{what} {text}" for what, text in wide.items()]
    return "\n".join([f"enum {{\n{named}\n}};", *defined, *tables])


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())


def _what(settings: Settings, who: object, n_features: int) -> str:
    d = "infinity" if math.isinf(settings.d) else int(settings.d)
    s = " to ".join(f"{end:g}" for end in settings.s) if isinstance(settings.s, tuple) else f"{settings.s:g}"
    return (
        f"{who}, {n_features} features, {settings.n_clauses} clauses a bank, T = {settings.T}, "
        f"s = {s}, d = {d},\n   {settings.n_states} states an action; weak feedback: {settings.weak}, "
        f"selection: {settings.selection}, start: {settings.start}, weights: {settings.weights}."
    )
