"""Transition graphs as data, ready for JSON, Graphviz or a drawing. Which arrows there are is left to `rules`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Transition:
    """One arrow of a transition graph.

    Attributes
    ----------
    from_state, to_state : int
        States from 1 to 2N; equal for an automaton that stays.
    feedback : str
        What the automaton hears.
    probability : float
        Of this arrow, given the state and the feedback.
    """

    from_state: int
    to_state: int
    feedback: str
    probability: float


@dataclass(frozen=True)
class Graph:
    """A transition graph: states, the action of each, and arrows; where to put them on paper is left open.

    Attributes
    ----------
    name : str
        The automaton, and its structure where it has more than one.
    n_states : int
        States per action, the paper's N.
    actions : tuple of two str
        Names of action 1 (states 1..N) and action 2 (states N+1..2N).
    transitions : tuple of Transition
        The probabilities of one state and feedback sum to 1.

    Examples
    --------
    >>> from adtm.automata import Tsetlin
    >>> graph = Tsetlin(n_states=2).graph()
    >>> graph.transitions[1]
    Transition(from_state=1, to_state=2, feedback='penalty', probability=1.0)
    """

    name: str
    n_states: int
    actions: tuple[str, str]
    transitions: tuple[Transition, ...]

    def as_dict(self) -> dict[str, Any]:
        """Nodes and edges as plain values, ready for JSON or a graph library."""
        nodes = [
            {"state": state, "action": self.actions[state > self.n_states]} for state in range(1, 2 * self.n_states + 1)
        ]
        edges = [
            {"from": t.from_state, "to": t.to_state, "feedback": t.feedback, "probability": t.probability}
            for t in self.transitions
        ]
        return {"name": self.name, "nodes": nodes, "edges": edges}

    def to_dot(self) -> str:
        """The graph in Graphviz's language, one cluster of states per action."""
        lines = [f'digraph "{self.name}" {{', "  rankdir=LR;"]
        for index, action in enumerate(self.actions):
            states = range(index * self.n_states + 1, (index + 1) * self.n_states + 1)
            lines.append(f'  subgraph cluster_{index + 1} {{ label="{action}"; {"; ".join(map(str, states))}; }}')
        for t in self.transitions:
            chance = "" if t.probability == 1 else f" ({t.probability:g})"
            lines.append(f'  {t.from_state} -> {t.to_state} [label="{t.feedback}{chance}"];')
        return "\n".join([*lines, "}"])
