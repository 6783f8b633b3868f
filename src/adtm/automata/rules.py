"""The automata: where a feedback leads, how probable the move is, and what they hear of a reward or a penalty.

An automaton holds its rules only; its state is the caller's. Walks and long-run shares are left to `walks`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from adtm.automata.graphs import Graph, Transition
from adtm.validation import check_determinism, check_whole

Structure = Literal["deterministic", "stochastic"]


@dataclass(frozen=True)
class Automaton(ABC):
    """A two-action automaton with 2N states; holds its rules only, the state is the caller's.

    Parameters
    ----------
    n_states : int
        States per action, the paper's N.

    Examples
    --------
    >>> Tsetlin(n_states=2).action(3)
    2
    """

    n_states: int

    feedbacks: ClassVar[tuple[str, ...]] = ("reward", "penalty")
    actions: ClassVar[tuple[str, str]] = ("action 1", "action 2")

    def __post_init__(self) -> None:
        check_whole("n_states", self.n_states, low=1)

    def next_state(self, state: int, feedback: str) -> int:
        """The state that `feedback` leads to when the move is made."""
        if feedback not in self.feedbacks:
            raise ValueError(f"feedback must be one of {', '.join(map(repr, self.feedbacks))}, got {feedback!r:.80}")
        return self.leads_to(check_whole("state", state, low=1, high=2 * self.n_states), feedback)

    @abstractmethod
    def leads_to(self, state: int, feedback: str) -> int:
        """What `next_state` answers, of a state that is there and a feedback that is known."""

    def probability(self, feedback: str, structure: Structure = "deterministic") -> float:
        """How probable the move is: 1, or 1/2 where the automaton tosses a coin."""
        return 1.0

    def structure(self, update: int) -> Structure:
        """The structure in force at the given update, counted from 1; fixed unless an automaton says otherwise."""
        return "deterministic"

    def hears(self, action: int, rewarded: bool) -> str:
        """The feedback that a reward or penalty for `action` amounts to."""
        return "reward" if rewarded else "penalty"

    def action(self, state: int) -> int:
        """1 for states 1..N, 2 for states N+1..2N."""
        return 2 if state > self.n_states else 1

    def graph(self, structure: Structure = "deterministic") -> Graph:
        """The transition graph, with the arrows of an automaton that stays where it is."""
        if structure not in ("deterministic", "stochastic"):
            raise ValueError(f"structure must be 'deterministic' or 'stochastic', got {structure!r}")
        arrows: list[Transition] = []
        for state in range(1, 2 * self.n_states + 1):
            for feedback in self.feedbacks:
                to, p = self.next_state(state, feedback), self.probability(feedback, structure)
                if to == state or p == 1:
                    arrows.append(Transition(state, to, feedback, 1.0))
                else:
                    arrows.append(Transition(state, to, feedback, p))
                    arrows.append(Transition(state, state, feedback, 1 - p))
        return Graph(self._graph_name(structure), self.n_states, self.actions, tuple(arrows))

    def _graph_name(self, structure: Structure) -> str:
        return type(self).__name__

    def _clamp(self, state: int) -> int:
        return min(max(state, 1), 2 * self.n_states)

    def _away_from_middle(self, state: int) -> int:
        """+1 or -1: the direction in which the state's own action gets deeper."""
        return 1 if self.action(state) == 2 else -1


@dataclass(frozen=True)
class Tsetlin(Automaton):
    """Single steps: a reward one state deeper, a penalty one state towards the other action. Parameter: `n_states`.

    Notes
    -----
    With growing N it settles on the better action only where that action is rewarded at least half of the time.

    Examples
    --------
    >>> automaton = Tsetlin(n_states=3)
    >>> automaton.next_state(2, "reward"), automaton.next_state(3, "penalty")
    (1, 4)
    """

    def leads_to(self, state: int, feedback: str) -> int:
        """One step away from the middle for a reward, one step back for a penalty."""
        step = self._away_from_middle(state)
        return self._clamp(state + (step if feedback == "reward" else -step))


@dataclass(frozen=True)
class Krinsky(Tsetlin):
    """A reward jumps to the deepest state of the action; a penalty is one step, as with Tsetlin.

    So N penalties in a row are needed to offset one reward. Parameter: `n_states`.

    Examples
    --------
    >>> automaton = Krinsky(n_states=3)
    >>> automaton.next_state(3, "reward"), automaton.next_state(4, "reward")
    (1, 6)
    """

    def leads_to(self, state: int, feedback: str) -> int:
        """State 1 or 2N for a reward, one step towards the middle for a penalty."""
        if feedback == "reward":
            return 2 * self.n_states if self.action(state) == 2 else 1
        return super().leads_to(state, feedback)


@dataclass(frozen=True)
class Krylov(Tsetlin):
    """A Tsetlin automaton that obeys a penalty only when a coin says so, and otherwise stays. Parameter: `n_states`.

    Notes
    -----
    As the paper has it. A penalty then weighs half, so with growing N it settles on the better action where that is
    rewarded at least a third of the time. (In some textbooks the coin's other side moves it deeper instead.)

    Examples
    --------
    >>> Krylov(n_states=3).probability("penalty")
    0.5
    """

    def probability(self, feedback: str, structure: Structure = "deterministic") -> float:
        """1 for a reward, 1/2 for a penalty."""
        return 0.5 if feedback == "penalty" else 1.0


@dataclass(frozen=True)
class MVFLA(Automaton):
    """The paper's multi-step variable-structure finite-state learning automaton.

    Strong feedback moves s states, weak feedback one, towards include (action 2) or exclude (action 1), clamped to
    1..2N. Every d-th update is stochastic: a coin decides whether the move is made. The others are deterministic.

    Parameters
    ----------
    n_states : int
        States per action, the paper's N.
    s : int
        Step of strong feedback.
    d : int or math.inf
        Determinism: 1 tosses a coin at every update, infinity never.
    strong : {"reward", "include"}
        Which answers of an environment are strong. "reward": rewards are strong and penalties weak, for both actions.
        "include": whatever speaks for include is strong and whatever speaks for exclude weak, as inside a clause.

    Examples
    --------
    >>> automaton = MVFLA(n_states=100, s=3, d=10)
    >>> automaton.next_state(100, "strong include"), automaton.next_state(103, "weak exclude")
    (103, 102)
    >>> automaton.structure(9), automaton.structure(10)
    ('deterministic', 'stochastic')
    """

    s: int = 3
    d: float = math.inf
    strong: Literal["reward", "include"] = "reward"

    feedbacks: ClassVar[tuple[str, ...]] = ("strong include", "weak include", "strong exclude", "weak exclude")
    actions: ClassVar[tuple[str, str]] = ("exclude", "include")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("s", self.s, low=1)
        check_determinism(self.d)
        if self.strong not in ("reward", "include"):
            raise ValueError(f"strong must be 'reward' or 'include', got {self.strong!r}")

    def leads_to(self, state: int, feedback: str) -> int:
        """s states or one state towards the action that the feedback speaks for."""
        strength, towards = feedback.split()
        step = self.s if strength == "strong" else 1
        return self._clamp(state + (step if towards == "include" else -step))

    def probability(self, feedback: str, structure: Structure = "deterministic") -> float:
        """1 in the deterministic structure, 1/2 in the stochastic one."""
        return 0.5 if structure == "stochastic" else 1.0

    def structure(self, update: int) -> Structure:
        """Stochastic for updates d, 2d, 3d, ..., counted from 1."""
        return "stochastic" if self.d != math.inf and update % self.d == 0 else "deterministic"

    def hears(self, action: int, rewarded: bool) -> str:
        """An action is reinforced by rewarding it or by penalizing the other; `strong` says how much."""
        towards = "include" if (action == 2) == rewarded else "exclude"
        is_strong = rewarded if self.strong == "reward" else towards == "include"
        return f"{'strong' if is_strong else 'weak'} {towards}"

    def _graph_name(self, structure: Structure) -> str:
        return f"MVF-LA, {structure} structure"
