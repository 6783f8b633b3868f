"""An automaton in an environment: walks drawn from a seed, and the exact shares of time in the long run.

What an automaton does with a feedback is left to `rules`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.automata.rules import Automaton, Structure
from adtm.validation import check_whole


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


@dataclass(frozen=True, eq=False)
class Walk:
    """What an automaton did: n updates in an environment.

    Attributes
    ----------
    states : ndarray of shape (n_updates + 1,)
        The first state, then the state after each update.
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
    first_state: int | None = None,
    random_state: int | None = None,
) -> Walk:
    """Let an automaton act and learn.

    Parameters
    ----------
    automaton : Automaton
    environment : Environment
    n_updates : int
    first_state : int, optional
        N or N+1 by a coin when left out.
    random_state : int, optional
        Seed; the same seed gives the same walk.

    Returns
    -------
    Walk

    Examples
    --------
    >>> from adtm.automata import Tsetlin
    >>> walk = simulate(Tsetlin(n_states=10), Environment((0.2, 0.9)), 1000, random_state=0)
    >>> bool(walk.actions[-500:].mean() > 1.99)
    True
    """
    check_whole("n_updates", n_updates, low=0)
    n = automaton.n_states
    rng = np.random.default_rng(random_state)
    if first_state is None:
        first_state = n + int(rng.integers(2))
    check_whole("first_state", first_state, low=1, high=2 * n)
    states = np.empty(n_updates + 1, dtype=np.int64)
    actions = np.empty(n_updates, dtype=np.int64)
    rewards = np.empty(n_updates, dtype=np.bool_)
    states[0] = state = first_state
    coins = 0
    for i in range(n_updates):
        actions[i] = action = automaton.action(state)
        rewards[i] = rewarded = environment.rewards(action, rng)
        feedback = automaton.hears(action, rewarded)
        p = automaton.probability(feedback, automaton.structure(i + 1))
        coins += p < 1
        if p == 1 or rng.random() < p:
            state = automaton.leads_to(state, feedback)
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
    >>> from adtm.automata import Tsetlin
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
        With reward probabilities strictly between 0 and 1; at 0 or 1 the first state may decide for ever.

    Returns
    -------
    ndarray of shape (2N,)
        Sums to 1; the last N entries together are the share of action 2.

    Examples
    --------
    >>> from adtm.automata import Tsetlin
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
    keep all their digits. A linear solver loses them where two deep states hardly ever exchange the automaton. Shares
    of 1e-308 and less beside others become 0.
    """
    a = matrix.copy()
    n = len(a)
    for k in range(n - 1, 0, -1):
        a[:k, k] /= a[k, :k].sum()
        a[:k, :k] += np.outer(a[:k, k], a[k, :k])
    shares = np.ones(n)
    for k in range(1, n):
        shares[k] = shares[:k] @ a[:k, k]
        if shares[k] > 1:  # deep automata have larger ratios than a float: a power of two takes no digit away
            shares[: k + 1] = np.ldexp(shares[: k + 1], -np.frexp(shares[k])[1])
    return np.asarray(shares / shares.sum(), dtype=np.float64)
