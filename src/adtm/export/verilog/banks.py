"""What is around the banks of a learning circuit: who learns from a sample, of many classes or of several labels.

Banks do not depend on each other, so all that learn from a sample do so at the same time; outputs that share the
clauses of one bank follow each other. The module around them decides which learn, as the head and the schedule do: the
sample's own class and others, in turn, drawn or all of them, or every label. A bank itself is written by ``learn``.
"""

from __future__ import annotations

from collections.abc import Mapping

from adtm.export.design import Design
from adtm.export.templates import fill
from adtm.machine.draws import Purpose, key


def ports_of(design: Design) -> dict[str, object]:
    """Target, votes and the end of an epoch, as the ports of the whole machine."""
    kind, n, turns = design.outputs.kind, design.outputs.n_votes, design.other_class == "rotate"
    if kind in ("two", "value"):
        last = design.settings.T.bit_length() - 1 if kind == "value" else 0
        return {"last_target_bit": last, "vote_ports": "vote", "epoch_port": ""}
    votes = ", ".join(f"vote{v}" for v in range(n))
    if kind == "labels":
        return {"last_target_bit": n - 1, "vote_ports": votes, "epoch_port": ""}
    epoch = "    input  wire end_epoch, // in a cycle without `valid`, after each pass\n" if turns else ""
    return {"last_target_bit": (n - 1).bit_length() - 1, "vote_ports": votes, "epoch_port": epoch}


def banks_text(design: Design, values: Mapping[str, object]) -> str:
    """The module around the banks of a machine, which are called ``name_bank``."""
    n, labels = design.outputs.n_votes, design.outputs.kind == "labels"
    patches = design.settings.patches
    epochs, samples = (design.model.epochs, design.model.samples) if design.model else (0, 0)
    own: dict[str, object] = {
        **values,
        **ports_of(design),
        "BANKS": n,
        "OTHERS": min(design.schedule.n_other_classes, n - 1),
        "OTHER_CLASS_KEY": f"{key(design.settings.seed, Purpose.OTHER_CLASS):016X}",
        "first_turn": epochs % max(1, n - 1),
        "next_sample": samples + 1,
        "of": "label" if labels else "class",
        "target_is": "a bit for each label that is there" if labels else "its class",
        "last_bank": n - 1,
        "last_feature": (patches.n_image_features if patches else design.n_features) - 1,
        "last_which_bit": (n - 1).bit_length() - 1,
        "last_place_bit": (2 * n).bit_length() - 1,
        "last_vote_bit": int(str(values["VOTE"])) - 1,
    }
    own["ports"] = fill("circuit/ports.v", own)
    own["turns"] = fill(f"circuit/turns_{design.other_class}.v", own)
    own["votes"] = "\n".join(f"    assign vote{v} = votes[{v}];" for v in range(n))
    own["banks"] = "\n".join(fill("circuit/one_bank.v", {**own, "b": b}) for b in range(n))
    form, teaches = ("banks", "teach") if design.head.n_outputs == 1 else ("shared", "share")
    own["teaching"] = fill(f"circuit/{teaches}_{'labels' if labels else 'classes'}.v", own)
    return fill(f"circuit/{form}.v", own)
