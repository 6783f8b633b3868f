"""Verilog: ``inference`` answers, from rules; ``learner`` learns, from settings; ``clause`` is one of its clauses."""
