"""Learning automata of the paper's section 2, one at a time in a two-action environment.

Tsetlin, Krinsky, Krylov and the multi-step variable-structure automaton (MVF-LA), each as two short rules (`rules`):
where a feedback leads, and how probable the move is. States run 1..2N; states 1..N perform action 1, states N+1..2N
action 2. Transition graphs come out as data (`graphs`); walks are drawn from a seed, long-run shares computed exactly
(`walks`).

Thousands of MVF-LAs working together as clauses are the business of the backends; drawing a graph is left to others.

>>> from adtm.automata import Environment, Tsetlin, simulate
>>> walk = simulate(Tsetlin(n_states=3), Environment((0.1, 0.9)), 100, random_state=0)
>>> int(walk.actions[-1])
2
"""

from adtm.automata.graphs import Graph, Transition
from adtm.automata.rules import MVFLA, Automaton, Krinsky, Krylov, Structure, Tsetlin
from adtm.automata.walks import Environment, Walk, long_run_shares, simulate, transition_matrix

__all__ = [
    "MVFLA",
    "Automaton",
    "Environment",
    "Graph",
    "Krinsky",
    "Krylov",
    "Structure",
    "Transition",
    "Tsetlin",
    "Walk",
    "long_run_shares",
    "simulate",
    "transition_matrix",
]
