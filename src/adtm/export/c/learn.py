"""A C99 file that learns: one machine, as an estimator describes it, and if wanted with what it has learned.

The text is put together from the templates of ``templates/learner``, one for each variant of a rule, and from the
core's own headers for draws, tape, goal, rota and even spreads. What the file computes is docs/spec.md; how a model
that is already trained answers without learning is ``infer``, what its memory takes ``sizes``, how a model goes on
``trained``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from adtm.export.c.answer import label_names
from adtm.export.c.head import head_constants, head_values
from adtm.export.c.patch import geometry_text
from adtm.export.c.sizes import memory_of
from adtm.export.c.table import encoder
from adtm.export.c.trained import trained_text
from adtm.export.design import Design, design_of
from adtm.export.known import check_known
from adtm.export.templates import check_name, common_text, fill, wrapped
from adtm.machine.draws import Purpose, key
from adtm.machine.ledger import Ledger
from adtm.machine.settings import Settings, strong_steps, weak_rates
from adtm.rules import RuleSet

#: The largest machine that is generated. Its states are one array, and some compilers stop at 2 GiB.
MOST_BYTES = 2**31 - 1


def learner(
    estimator: Any,
    *,
    name: str = "adtm_machine",
    trained: bool = False,
    thresholds: bool = True,
    n_features: int | None = None,
    y: Any = None,
) -> str:
    """The text of a C99 file that learns as the library does, to the bit.

    Parameters
    ----------
    estimator : ADTMClassifier, TMClassifier or ADTMRegressor
        Fitted or not. Of a fitted one the file has settings, seed and table, and names its labels.
    name : str
        The prefix of all that the file defines.
    trained : bool
        Whether what the estimator has learned goes into the file, as tables to go on from.
    thresholds : bool
        Whether it also turns rows of the table, or the pixels of an image, into Boolean features, as ``inference``.
    n_features : int, optional
        Boolean features of a sample, where the estimator is not fitted.
    y : array, optional
        All classes, an indicator matrix of the labels, or values that span the range; where it is not fitted.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.c import learner
    >>> machine = ADTMClassifier(n_clauses=20, random_state=7)
    >>> print(learner(machine, n_features=18, y=["shut", "open"], name="door").splitlines()[0])
    /* door: a Tsetlin machine that learns, as one file of C99. ...
    """
    design = design_of(estimator, n_features=n_features, y=y, trained=trained)
    return learner_text(design, name=name, thresholds=thresholds)


def learner_text(design: Design, *, name: str, thresholds: bool = True) -> str:
    """The same of a design."""
    check_name(name)
    settings, NAME = design.settings, name.upper()
    check_known(settings, "a C file that learns", "weights", "patches", "goal")
    needed = memory_of(design).total
    if needed > MOST_BYTES:
        raise ValueError(f"a learner may take at most {MOST_BYTES} bytes of memory, got a machine of {needed}")
    values: dict[str, object] = {
        "name": name,
        "NAME": NAME,
        "bytes": needed,
        "state": f"{np.dtype(settings.state_dtype)}_t",
        "common": common_text("draws", "goal", "tape", "rota", "weyl"),
        "constants": _constants(design, name),
        "counts": "\n".join(f"    uint64_t {field.name};" for field in fields(Ledger)),
        "empty_learns": settings.most_votes,
        "empty_votes": settings.most_votes if settings.empty == "votes" else 0,
        "step": f"{name}_steps[j]" if isinstance(settings.step, tuple) else f"{NAME}_STEP",
        "rate": f"{name}_rates[j]" if isinstance(settings.s, tuple) else f"{NAME}_RATE",
        "first_clock": "0" if math.isinf(settings.d) else f"(uint64_t)j * {NAME}_D / {NAME}_CLAUSES",
        "polarity": "Every clause adds" if settings.goal == "value" else "Half of the clauses vote for, half against",
        "sign": "1" if settings.goal == "value" else "j % 2 ? -1 : 1",
        "or_resume": f"  or, to go on from the model, {name}_resume(&machine);" if design.model else "",
        "labels": "",
        "encoder": "",
        "usage": "",
    }
    values |= head_values(design, values)
    if design.rules is not None:
        values |= _reading_table(design.rules, values, thresholds=thresholds)
    values["what"] = _what(settings, values["who"], design.n_features)
    return _assembled(design, values) + "\n"


def _assembled(design: Design, values: dict[str, object]) -> str:
    """The templates of the rules that the settings name, inner ones first."""
    settings, schedule = design.settings, design.schedule

    def piece(file: str) -> str:
        return fill(f"learner/{file}.h", values)

    values |= _reading_rows(values) if settings.patches is None else _reading_patches(settings, values)
    values |= _weighing(settings, values)
    values["trained"] = "" if design.model is None else trained_text(design.model, values)
    values |= {"machine": f"{values['self']}, ", "itself": "self, "}
    values["predict"] = fill("answer/predict.h", values)
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
    if schedule.shuffle in ("blocks", "drawn blocks"):
        raise ValueError(f"shuffle must be 'sorted', 'weyl', True or False for C that learns, got {schedule.shuffle!r}")
    if schedule.shuffle is False:
        values["order"] = piece("order_none") + "\n"
    else:
        even = schedule.shuffle in ("weyl", "sorted")  # who sorts rows by what they say does so before
        values["order_key"] = piece("order_weyl" if even else "order_random") + "\n"
        values["draws_a_sample"] = 0 if even else 1
        values["order"] = piece("order_sorted") + "\n"
    return piece("machine")


def _reading_table(rules: RuleSet, values: Mapping[str, object], *, thresholds: bool) -> dict[str, object]:
    """The names of the labels, and rows of the table as features."""
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


def _constants(design: Design, name: str) -> str:
    NAME, settings, patches = name.upper(), design.settings, design.settings.patches
    numbers = {
        "FEATURES": design.n_features if patches is None else patches.n_image_features,
        **head_constants(design),
        "BANKS": design.head.n_banks,
        "OUTPUTS": design.head.n_outputs,
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
