"""The blocks of a circuit that learns: for each rule of the machine the one of its variant, with its numbers.

Blocks of the same rule have the same ports, so that the module of a bank is one text for all machines (``learn``).
Those that work on one clause at a time are also the blocks of a clause alone (``one_clause``). Their texts are
``templates/circuit``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from adtm.export.design import Design
from adtm.export.templates import fill, wrapped
from adtm.export.verilog.patch import image_values
from adtm.machine import weyl
from adtm.machine.draws import Purpose, key
from adtm.machine.heads import Head
from adtm.machine.memory import Memory, start_weights
from adtm.machine.settings import Settings, state_bits, strong_steps, weak_rates
from adtm.machine.spread import whole_values

#: The largest s whose slots the rota counts; up to here the rate leaves something over in every circle.
MOST_S = 50_000


def circuit_values(settings: Settings, n_features: int, name: str) -> dict[str, object]:
    """Numbers that all circuits with automata ask for."""
    bits, n, m, most = state_bits(settings.n_states), 2 * n_features, settings.n_clauses, settings.most_votes
    largest = m * most * (1 if settings.weights == "fixed" else settings.largest_weight)
    return {
        "name": name,
        "FEATURES": n_features,
        "LITERALS": n,
        "CLAUSES": m,
        "T": settings.T,
        "STATES": settings.n_states,
        "BITS": bits,
        "LOW": 2 ** (bits - 1) - settings.n_states,
        "HIGH": 2 ** (bits - 1) + settings.n_states - 1,
        "INDEX": max(1, (m - 1).bit_length()),
        "VOTE": 1 + max(largest, 2 * settings.T).bit_length(),
        "VOTES": most,
        "MAX_LITERALS": settings.max_literals or 0,
        "COUNT": max(n, most, settings.max_literals or 0).bit_length(),
        "PLACE": n.bit_length(),
        "STEP_STRIDE": f"{weyl.STEP:08X}",
        "CLAUSE_STRIDE": f"{weyl.CLAUSE:08X}",
        "SAMPLE_STRIDE": f"{weyl.SAMPLE:08X}",
    }


def clause_blocks(settings: Settings) -> list[str]:
    """The blocks that work on one clause: what it says, how its automata move, and who tosses."""
    blocks = ["automata_jump" if settings.weak == "every" else "automata_one", "feedback", "says"]
    blocks += ["rota"] if settings.weak == "rota" else []
    return blocks if math.isinf(settings.d) else [*blocks, "stretch"]


def check_rota(settings: Settings, what: str, clauses: slice = slice(None)) -> None:
    """Refuse an s of these clauses whose slots the rota of a circuit does not count."""
    if settings.weak == "rota" and (s := max(whole_values(settings.s, settings.n_clauses)[clauses])) > MOST_S:
        raise ValueError(f"{what} with weak='rota' takes s up to {MOST_S}, got {s}")


def shared_values(settings: Settings, values: dict[str, object]) -> dict[str, object]:
    """Numbers and functions that blocks ask for, in a bank or alone."""
    own = {**values, **_drawing(settings), "PHASES": f"{key(0, Purpose.PHASE):016X}", "PHASE_STRIDE": weyl.PHASE_STRIDE}
    shared = ("word_function", "absorb_function", "automata_ports", "start_ports")
    return own | {part: fill(f"circuit/{part}.v", own) for part in shared}


def block_values(design: Design, values: dict[str, object], *, draws: bool = False) -> dict[str, object]:
    """All that the module of a bank asks for: besides ``values`` its blocks, its goal and its s.

    ``draws`` says whether what is around the banks draws, too.
    """
    settings, head, trained = design.settings, design.head, design.model
    finite = not math.isinf(settings.d)
    own = {
        **shared_values(settings, values),
        "RATE": int(weak_rates(settings)[0]),
        **_aim(settings),
        **_weighing(settings, head),
        **_pace(settings),
        **_outputs(head),
        **_view(settings),
    }
    if trained is None:
        own |= {"steps": "64'd0", "start_weights": fill("circuit/weights_start.v", own)}
    else:
        own |= trained_values(trained.memory, settings, int(str(values["BITS"])))
    own["clock_function"] = fill(f"circuit/clock_{'start' if trained is None else 'trained'}.v", own)
    for part in ("selection_ports", "weights_ports", "view_ports"):
        own[part] = fill(f"circuit/{part}.v", own)
    own["patch_word"] = fill(f"circuit/patch_{settings.selection}.v", own)
    own["goal"] = fill(f"circuit/goal_{settings.goal}.v", own)
    blocks = [
        *clause_blocks(settings),
        "view_row" if settings.patches is None else "view_patches",
        f"weak_{settings.weak}",
        "weights_fixed" if settings.weights == "fixed" else "weights_learned",
        f"selection_{settings.selection}",
        f"start_{settings.start if trained is None else 'trained'}",
        "tape_finite" if finite else "tape_none",
    ]
    if draws or finite or settings.selection == "random":
        blocks.insert(0, "draws")
    own["blocks"] = "\n\n".join(fill(f"circuit/{block}.v", own) for block in blocks)
    return own


def _outputs(head: Head) -> dict[str, object]:
    """Which output of the bank a sample is for: an input where there are several, and held until `done`."""
    if head.n_outputs == 1:
        return {"last_which_bit": 0, "which_port": "", "which": "    wire which = 1'b0; // the only output\n"}
    last = (head.n_outputs - 1).bit_length() - 1
    port = f"    input  wire [{last}:0] which, // output of the bank that the sample is for; held until `done`\n"
    return {"last_which_bit": last, "which_port": port, "which": ""}


def _view(settings: Settings) -> dict[str, object]:
    """What a clause sees: the sample, or the patches of an image."""
    if settings.patches is None:
        return {"last_given": "FEATURES-1", "seen": "sample", "times_clauses": "CLAUSES"}
    return image_values(settings.patches) | {
        "last_given": settings.patches.n_image_features - 1,
        "seen": "patch",
        "times_clauses": f"CLAUSES * {settings.patches.n_patches}",
    }


def _aim(settings: Settings) -> dict[str, object]:
    """What a target is, and what the vote answers."""
    if settings.goal == "value":
        return {
            "task": "to answer with a value",
            "target_is": "the vote that it asks for, 0 .. T",
            "answer": "the vote, brought into 0 .. T, is the answer",
            "last_wanted_bit": settings.T.bit_length() - 1,
        }
    return {
        "task": "to tell class 1 from class 0",
        "target_is": "its class",
        "answer": "a vote above 0 is for class 1",
        "last_wanted_bit": 0,
    }


def _weighing(settings: Settings, head: Head) -> dict[str, object]:
    """What clauses weigh: on which side of 0 they start, and how far a weight goes."""
    sided, outputs = settings.weights == "sided", head.n_outputs
    own: dict[str, object] = {
        "OUTPUTS": outputs,
        "MOST": settings.largest_weight,
        "WEIGHT": 1 + settings.largest_weight.bit_length(),
        "low": "against ? -MOST : ONE" if sided else "-MOST",
        "high": "against ? -ONE : MOST" if sided else "MOST",
        "side": ", on its side of 0" if sided else "",
        "for_output": " for the output" if outputs > 1 else "",
        "first": "",
        "largest_vote": "CLAUSES * VOTES" if settings.weights == "fixed" else "2 ** 31 - 1",
    }
    if settings.goal == "value":
        return own | {"first_against": "1'b0", "polarity": "each adds to the vote"}
    if settings.weights != "free":
        polarity = "even; clauses of even index vote for class 1, the others against it"
        return own | {"first_against": "j[0]", "polarity": polarity}
    signs = (start_weights(settings, 1, outputs)[0].T < 0).ravel()  # of all outputs of a clause, then of the next
    table = f"{len(signs)}'b" + "".join("01"[sign] for sign in signs[::-1].tolist())
    return own | {
        "first_against": f"FIRST[{outputs} * j + o]",
        "first": f"\n    localparam [{len(signs) - 1}:0] FIRST = {table};",
        "polarity": "each with a weight of either sign",
    }


def _drawing(settings: Settings) -> dict[str, object]:
    """Whether anything is drawn, and with what: the keys of all draws, and d, which is 0 where nobody tosses."""
    d = 0 if math.isinf(settings.d) else int(settings.d)
    drawn = d or settings.selection == "random" or settings.start == "random"
    purposes = (Purpose.START, Purpose.SELECT, Purpose.COIN, Purpose.PATCH)
    return {
        **{f"{purpose.name}_KEY": f"{key(settings.seed, purpose):016X}" for purpose in purposes},
        "D": d,
        "SUM": 1 + max(1, (d - 1).bit_length()),
        "drawing": f"with the library's draws of seed {settings.seed}" if drawn else "without a random number",
        "more_cycles": "".join(
            [
                ", and LITERALS + 1 for each clause whose rota compares anew" if settings.weak == "rota" else "",
                ", and those of its draws" if drawn else "",
            ]
        ),
    }


def _pace(settings: Settings) -> dict[str, object]:
    """s, which is one parameter for all clauses, or a table with a number for each, the last clause first."""
    if not isinstance(settings.s, tuple):
        means = "one weak move in about S" if settings.weak == "rota" else "states that a strong move goes"
        parameter = f"    parameter S = {int(settings.s)},               // {means}"
        return {"pace_parameter": parameter, "pace": fill(f"circuit/pace_{settings.weak}.v", {})}
    name, width, means = "STEPS", state_bits(settings.n_states), "states that a strong move goes"
    numbers: list[int] = strong_steps(settings).tolist()
    if settings.weak == "rota":
        name, width, means = "RATES", 32, "weak moves per weak feedback, times 2 ** 32"
        numbers = weak_rates(settings).tolist()
    table = wrapped([f"{width}'d{number}" for number in numbers[::-1]])
    parameter = f"    parameter [{width * len(numbers) - 1}:0] {name} = {{{table}}},"
    return {
        "pace_parameter": f"    // {means}; of each clause, the last first\n{parameter}",
        "pace": fill(f"circuit/pace_{settings.weak}_spread.v", {}),
    }


# ---- what a model has learned, as constants of a circuit that goes on from there -------------------------------------


def trained_values(memory: Memory, settings: Settings, bits: int) -> dict[str, object]:
    """States, clocks, weights and steps, each a constant function of the clause's number in the whole machine.

    An automaton has so many bits.
    """
    low, weight_bits = 2 ** (bits - 1) - settings.n_states, 1 + settings.largest_weight.bit_length()
    n_literals, n_outputs = memory.states.shape[2], memory.weights.shape[1]
    states = memory.states.reshape(-1, n_literals).astype(np.int64) + low
    weights = memory.weights.transpose(0, 2, 1).reshape(-1, n_outputs).tolist()
    steps = [f"BANK == {b} ? 64'd{number} : " for b, number in enumerate(memory.steps.tolist())]
    values: dict[str, object] = {
        "steps": "".join(steps) + "64'd0",
        "clocks": _cases("clock", 64, memory.updates.ravel().tolist()),
        "learned_rows": _learned("LITERALS*BITS", n_literals * bits, (_planes(row, bits) for row in states)),
    }
    if settings.weights == "fixed":
        return values
    packed = (sum(weight % 2**weight_bits << weight_bits * o for o, weight in enumerate(row)) for row in weights)
    return values | {
        "first": "\n" + _learned("OUTPUTS*BITS", n_outputs * weight_bits, packed),
        "start_weights": "            weights[j] <= kept[j];",
    }


def _learned(width: str, bits: int, numbers: Iterable[int]) -> str:
    """What each clause has learned, as ``kept``; ``width`` is its number of bits in the words of the module."""
    return fill("circuit/learned.v", {"width": width, "cases": _cases("learned", bits, numbers)})


def _planes(states: np.ndarray, bits: int) -> int:
    """A row of states as the circuit keeps it: bit 0 of every state, then bit 1 of every state."""
    planes = (states[None, :] >> np.arange(bits)[:, None] & 1).astype(np.uint8).ravel()
    return int.from_bytes(np.packbits(planes, bitorder="little").tobytes(), "little")


def _cases(function: str, bits: int, numbers: Iterable[int]) -> str:
    return "\n".join(f"            {i}: {function} = {bits}'h{number:x};" for i, number in enumerate(numbers))
