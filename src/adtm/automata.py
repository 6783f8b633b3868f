"""Learning automata of the paper's section 2, one at a time in a two-action environment.

Tsetlin, Krinsky, Krylov and the multi-step variable-structure automaton (MVF-LA), each as two short rules: where a
feedback leads, and how probable the move is. States run 1..2N; states 1..N perform action 1, states N+1..2N action 2.
Transition graphs come out as data, long-run shares are computed exactly from them, walks are drawn from a seed.

Thousands of MVF-LAs working together as clauses are the business of the backends; drawing a graph is left to others.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

Structure = Literal["deterministic", "stochastic"]


@dataclass(frozen=True)
class Environment:
    """Answers each of two actions with a reward or a penalty.

    Parameters
    ----------
    reward_probabilities : tuple of two floats
        Probability of a reward for action 1 and for action 2.

    Examples
    --------
    >>> Environment((0.2, 0.9)).best_action
    2
    """

    reward_probabilities: tuple[float, float]

    def __post_init__(self) -> None:
        p = self.reward_probabilities
        if len(p) != 2 or not all(0 <= value <= 1 for value in p):
            raise ValueError(f"reward_probabilities must be two numbers from 0 to 1, got {p!r}")

    @property
    def best_action(self) -> int:
        """The action that is rewarded more often (action 1 when both are equal)."""
        return 2 if self.reward_probabilities[1] > self.reward_probabilities[0] else 1

    def rewards(self, action: int, rng: np.random.Generator) -> bool:
        """Whether this performance of `action` earns a reward."""
        return bool(rng.random() < self.reward_probabilities[action - 1])


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
        _check_whole("n_states", self.n_states)

    @abstractmethod
    def target(self, state: int, feedback: str) -> int:
        """The state that `feedback` leads to when the move is made."""

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
                to, p = self.target(state, feedback), self.probability(feedback, structure)
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
    >>> automaton.target(2, "reward"), automaton.target(3, "penalty")
    (1, 4)
    """

    def target(self, state: int, feedback: str) -> int:
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
    >>> automaton.target(3, "reward"), automaton.target(4, "reward")
    (1, 6)
    """

    def target(self, state: int, feedback: str) -> int:
        """State 1 or 2N for a reward, one step towards the middle for a penalty."""
        if feedback == "reward":
            return 2 * self.n_states if self.action(state) == 2 else 1
        return super().target(state, feedback)


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
    >>> automaton.target(100, "strong include"), automaton.target(103, "weak exclude")
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
        _check_whole("s", self.s)
        if self.d != math.inf:
            _check_whole("d", self.d, allowed="a whole number >= 1 or infinity")
        if self.strong not in ("reward", "include"):
            raise ValueError(f"strong must be 'reward' or 'include', got {self.strong!r}")

    def target(self, state: int, feedback: str) -> int:
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


@dataclass(frozen=True, eq=False)
class Walk:
    """What an automaton did: n updates in an environment.

    Attributes
    ----------
    states : ndarray of shape (n_updates + 1,)
        The start, then the state after each update.
    actions : ndarray of shape (n_updates,)
        The action performed before each update, 1 or 2.
    rewards : ndarray of shape (n_updates,)
        Whether it was rewarded.
    coins : int
        Coins tossed.
    """

    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rewards: NDArray[np.bool_]
    coins: int


def simulate(
    automaton: Automaton,
    environment: Environment,
    n_updates: int,
    *,
    start: int | None = None,
    random_state: int | None = None,
) -> Walk:
    """Let an automaton act and learn.

    Parameters
    ----------
    automaton : Automaton
    environment : Environment
    n_updates : int
    start : int, optional
        The first state; N or N+1 by a coin when left out.
    random_state : int, optional
        Seed; the same seed gives the same walk.

    Returns
    -------
    Walk

    Examples
    --------
    >>> walk = simulate(Tsetlin(n_states=10), Environment((0.2, 0.9)), 1000, random_state=0)
    >>> bool(walk.actions[-500:].mean() > 1.99)
    True
    """
    _check_whole("n_updates", n_updates, least=0)
    n = automaton.n_states
    rng = np.random.default_rng(random_state)
    if start is None:
        start = n + int(rng.integers(2))
    if not 1 <= start <= 2 * n:
        raise ValueError(f"start must be a state from 1 to {2 * n}, got {start!r}")
    states = np.empty(n_updates + 1, dtype=np.int64)
    actions = np.empty(n_updates, dtype=np.int64)
    rewards = np.empty(n_updates, dtype=np.bool_)
    states[0] = state = start
    coins = 0
    for i in range(n_updates):
        actions[i] = action = automaton.action(state)
        rewards[i] = rewarded = environment.rewards(action, rng)
        feedback = automaton.hears(action, rewarded)
        p = automaton.probability(feedback, automaton.structure(i + 1))
        coins += p < 1
        if p == 1 or rng.random() < p:
            state = automaton.target(state, feedback)
        states[i + 1] = state
    return Walk(states, actions, rewards, coins)


def transition_matrix(
    automaton: Automaton, environment: Environment, structure: Structure = "deterministic"
) -> NDArray[np.float64]:
    """The Markov chain of an automaton in an environment, built from its transition graph.

    Parameters
    ----------
    automaton : Automaton
    environment : Environment
    structure : {"deterministic", "stochastic"}

    Returns
    -------
    ndarray of shape (2N, 2N)
        Entry (i, j) is the probability of going from state i+1 to state j+1 in one update.

    Examples
    --------
    >>> transition_matrix(Tsetlin(n_states=1), Environment((0.25, 0.5)))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    matrix = np.zeros((2 * automaton.n_states, 2 * automaton.n_states))
    for t in automaton.graph(structure).transitions:
        action = automaton.action(t.from_state)
        p_reward = environment.reward_probabilities[action - 1]
        for rewarded, p in ((True, p_reward), (False, 1 - p_reward)):
            if automaton.hears(action, rewarded) == t.feedback:
                matrix[t.from_state - 1, t.to_state - 1] += p * t.probability
    return matrix


def long_run_shares(automaton: Automaton, environment: Environment) -> NDArray[np.float64]:
    """Exact share of time that an automaton spends in each state in the long run.

    In an environment with fixed reward probabilities the determinism d of an MVF-LA changes its pace and nothing else:
    the shares are the same for every d.

    Parameters
    ----------
    automaton : Automaton
    environment : Environment
        With reward probabilities strictly between 0 and 1; at 0 or 1 the start may decide for ever.

    Returns
    -------
    ndarray of shape (2N,)
        Sums to 1; the last N entries together are the share of action 2.

    Examples
    --------
    >>> shares = long_run_shares(Tsetlin(n_states=10), Environment((0.2, 0.9)))
    >>> bool(shares[10:].sum() > 0.999)
    True
    """
    if not all(0 < p < 1 for p in environment.reward_probabilities):
        raise ValueError(
            f"reward_probabilities must lie strictly between 0 and 1, got {environment.reward_probabilities!r}"
        )
    # The stochastic structure's matrix is (I + M) / 2: whatever M leaves unchanged, it leaves unchanged as well.
    return _stationary(transition_matrix(automaton, environment))


def _stationary(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distribution that an irreducible chain leaves unchanged.

    Eliminates state after state as Grassmann, Taksar and Heyman do: no subtraction, so that shares as small as 1e-30
    keep all their digits. A linear solver loses them where two deep states hardly ever exchange the automaton.
    """
    a = matrix.copy()
    n = len(a)
    for k in range(n - 1, 0, -1):
        a[:k, k] /= a[k, :k].sum()
        a[:k, :k] += np.outer(a[:k, k], a[k, :k])
    shares = np.ones(n)
    for k in range(1, n):
        shares[k] = shares[:k] @ a[:k, k]
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _check_whole(name: str, value: object, *, least: int = 1, allowed: str | None = None) -> None:
    # A bool is an int to Python, and nobody means True states.
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or int(value) < least:  # type: ignore[call-overload]
        raise ValueError(f"{name} must be {allowed or f'a whole number >= {least}'}, got {value!r}")
