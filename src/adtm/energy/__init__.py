"""Energy: the paper's estimate from the ledger (``estimate``), and what a clause spends on gates.

``gates`` counts it for a model and a table, ``measured`` has the figures of one such count."""

from __future__ import annotations

from adtm.energy.estimate import PAPER, Conditions, PowerCell, PowerEstimate, Profile, estimate, paper_power_table

__all__ = ["PAPER", "Conditions", "PowerCell", "PowerEstimate", "Profile", "estimate", "paper_power_table"]
