"""The memory of a trained model as constant tables of C, from which a generated learner goes on (``learn``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple

from adtm.export.c.infer import MOST_BYTES
from adtm.export.templates import fill, wrapped
from adtm.machine.model import Model


def trained_text(model: Model, values: Mapping[str, object]) -> str:
    """The C text of what a model has learned, and of the function that puts it into the machine."""
    memory, name, NAME = model.memory, values["name"], values["NAME"]
    if memory.states.nbytes > MOST_BYTES:
        raise ValueError(
            f"the states of a trained model may take at most {MOST_BYTES} bytes in C, got {memory.states.nbytes}"
        )
    tables: dict[str, object] = {
        "trained_states": wrapped(memory.states.ravel().tolist()),
        "trained_updates": _wide(memory.updates.ravel().tolist()),
        "trained_steps": _wide(memory.steps.tolist()),
        "trained_seen": "",
        "resume_seen": "",
        "trained_ledger": _wide(astuple(model.ledger)),
        "trained_samples": model.samples,
        "trained_epochs": model.epochs,
        "trained_weights": "",
        "resume_weights": "",
    }
    counts = getattr(model.head, "counts", ())
    if counts:  # without them, as the machine starts
        tables["trained_seen"] = f"static const uint64_t {name}_trained_seen[] = {{{_wide(counts)}}};\n"
        at = f"{name}_trained_seen[i]"
        tables["resume_seen"] = f"    for (uint32_t i = 0; i < {NAME}_SEEN; ++i) self->seen[i] = {at};\n"
    if model.settings.weights != "fixed":
        weights = wrapped(memory.weights.ravel().tolist())
        at = f"{name}_trained_weights[v * {NAME}_CLAUSES + j]"
        tables["trained_weights"] = f"static const int32_t {name}_trained_weights[] = {{{weights}}};\n"
        tables["resume_weights"] = (
            f"    for (uint32_t v = 0; v < {NAME}_VOTES; ++v) {{\n"
            f"        for (uint32_t j = 0; j < {NAME}_CLAUSES; ++j) self->weights[v][j] = {at};\n"
            "    }\n"
        )
    return fill("learner/trained.h", {**values, **tables}) + "\n\n"


def _wide(numbers: Iterable[int]) -> str:
    return wrapped([f"UINT64_C({number})" for number in numbers])
