"""Learning circuits side by side in Verilog: a bank for each of many classes, or for each of several labels.

Banks know nothing of each other, so that all who learn from a sample do so at the same time. Which they are, the
module around them decides as the head does: its own class and others in turn, or all labels. What a bank is, is
``verilog_learner``'s.
"""

from __future__ import annotations

from collections.abc import Mapping

from adtm.export.templates import fill
from adtm.heads import Head, Labels
from adtm.schedule import Schedule

__all__ = ["banks_text"]


def banks_text(head: Head, schedule: Schedule, values: Mapping[str, object]) -> str:
    """The module around the banks of a head, which are called ``name_bank``."""
    n, name, labels = head.n_banks, values["name"], isinstance(head, Labels)
    others = min(schedule.n_other_classes, n - 1)
    if not labels and schedule.other_class != "rotate" and others < n - 1:
        raise ValueError(
            f"other_class must be 'rotate' for a learning circuit, or n_other_classes all {n - 1}, got "
            f"{schedule.other_class!r} and {schedule.n_other_classes}"
        )
    ports = ".clk(clk), .rst(rst), .features(features), .learn(learn), .done()"
    pieces: dict[str, object] = {
        **values,
        "BANKS": n,
        "OTHERS": others,
        "of": "label" if labels else "class",
        "target_is": "a bit for each label that is there" if labels else "its class",
        "last_feature": int(str(values["FEATURES"])) - 1,
        "last_target_bit": n - 1 if labels else (n - 1).bit_length() - 1,
        "last_place_bit": (2 * n).bit_length() - 1,
        "last_vote_bit": int(str(values["VOTE"])) - 1,
        "vote_ports": ", ".join(f"vote{b}" for b in range(n)),
        "epoch_port": "" if labels else "    input  wire end_epoch, // in a cycle without `valid`, after each pass\n",
        "banks": "\n".join(
            f"    {name}_bank bank{b} (\n        {ports},\n        .target(up[{b}]), .valid(takes & goes[{b}]), "
            f".ready(idle[{b}]), .vote(vote{b})\n    );"
            for b in range(n)
        ),
    }
    pieces["teaching"] = fill(f"verilog/teach_{'labels' if labels else 'classes'}.v", pieces)
    return fill("verilog/banks.v", pieces)
