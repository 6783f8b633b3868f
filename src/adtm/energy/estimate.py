"""Power of a machine in hardware, estimated from a named profile and the ledger's count of random numbers.

A profile is a handful of measured constants with their source and the conditions they hold for; the paper's is
`PAPER`, and users can supply their own. The model is the paper's: the power of the random number generators that serve
the automata falls as 1/d, and at d = infinity these generators are left out of the design.

The model is not a measurement; it leaves out three things: the clock of an idle generator keeps switching, so the
cost does not fall as 1/d for ever; at small d the coins skip updates, so raising d raises the switching of the automata
themselves; and the paper's clause selection still draws random numbers at d = infinity, as the ledger shows. Counting
is left to `adtm.machine.ledger`, measuring gates to `adtm.energy.gates`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from adtm.machine.ledger import Ledger
from adtm.validation import check_determinism


@dataclass(frozen=True)
class Conditions:
    """What a power figure holds for; a claim that leaves these open says little.

    Attributes
    ----------
    cell_library, corner, voltage, temperature, clock, prng, workload, wires : str
        Cell library; process corner; supply voltage; temperature; clock frequency; architecture of the random number
        generators; what the machine was doing; model of the wires.

    Examples
    --------
    >>> Conditions(clock="100 MHz").voltage
    'not stated'
    """

    cell_library: str = "not stated"
    corner: str = "not stated"
    voltage: str = "not stated"
    temperature: str = "not stated"
    clock: str = "not stated"
    prng: str = "not stated"
    workload: str = "not stated"
    wires: str = "not stated"


@dataclass(frozen=True)
class Profile:
    """Constants of the power model, with their source. Shares are of the power of the whole system at d = 1.

    Parameters
    ----------
    name, source : str
        What to call it, and where the constants come from.
    prng_switching_share : float
        Share that the automata's random number generators spend on making numbers when every update tosses a coin.
    prng_leakage_share : float
        Share that they leak while powered, whether used or not.
    power_at_d1_mw : mapping of str to float
        Power in milliwatts at d = 1, by data set.
    conditions : Conditions

    Examples
    --------
    >>> mine = Profile("mine", "our chip, 2025", 0.10, 0.05, power_at_d1_mw={"door": 2.0})
    >>> round(mine.power_mw("door", d=2), 6), round(mine.power_mw("door", d=math.inf), 6)
    (1.9, 1.7)
    """

    name: str
    source: str
    prng_switching_share: float
    prng_leakage_share: float
    power_at_d1_mw: Mapping[str, float] = field(default_factory=dict)
    conditions: Conditions = Conditions()

    def __post_init__(self) -> None:
        for name in ("prng_switching_share", "prng_leakage_share"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise ValueError(f"{name} must be a share from 0 to 1, got {share!r}")
        if self.prng_switching_share + self.prng_leakage_share > 1:
            raise ValueError(
                "prng_switching_share and prng_leakage_share together must be at most 1, got "
                f"{self.prng_switching_share!r} + {self.prng_leakage_share!r}"
            )
        for data_set, power in self.power_at_d1_mw.items():
            if not 0 < power < math.inf:
                raise ValueError(f"power_at_d1_mw[{data_set!r}] must be a positive number of milliwatts, got {power!r}")
        object.__setattr__(self, "power_at_d1_mw", dict(self.power_at_d1_mw))  # the caller's may change later

    def switching_share(self, d: float) -> float:
        """Share of system power at d = 1 that is still spent on making random numbers at `d`."""
        return self.prng_switching_share / check_determinism(d)

    def saving_share(self, d: float) -> float:
        """Share of system power saved against d = 1; at d = infinity the generators and their leakage are gone."""
        return self.saving_share_at(1 / check_determinism(d), prngs_removed=d == math.inf)

    def saving_share_at(self, coins_per_update: float, *, prngs_removed: bool = False) -> float:
        """The same for a rate of coins, whatever gave it; the leakage is saved where the generators are left out."""
        leakage = self.prng_leakage_share if prngs_removed else 0.0
        return self.prng_switching_share * (1 - coins_per_update) + leakage

    def power_mw(self, data_set: str, d: float) -> float:
        """Power in milliwatts on a data set at `d`."""
        if data_set not in self.power_at_d1_mw:
            known = ", ".join(sorted(self.power_at_d1_mw)) or "none"
            raise ValueError(f"data_set must be one that profile {self.name!r} knows ({known}), got {data_set!r}")
        return self.power_at_d1_mw[data_set] * (1 - self.saving_share(d))


# The paper's Table 7 as printed: data set -> power at d = 1, power at d = 5000, in mW. Text keeps the printed digits.
_PRINTED_MW = {
    "bankruptcy": ("6.94", "6.45"),
    "breast_cancer": ("15.8", "14.7"),
    "balance_scale": ("7.7", "7.2"),
    "liver_disorders": ("12.6", "11.8"),
    "heart": ("148", "137.6"),
}
_PRINTED_D = (1, 5000)

PAPER = Profile(
    name="paper",
    source=(
        'K. D. Abeyrathna et al., "A Novel Multi-Step Finite-State Automaton for Arbitrarily Deterministic Tsetlin '
        'Machine Learning", section "Effects of Determinism on Energy Consumption" and its table of power'
    ),
    prng_switching_share=0.07,
    prng_leakage_share=0.32,
    power_at_d1_mw={data_set: float(printed[0]) for data_set, printed in _PRINTED_MW.items()},
    conditions=Conditions(workload="training, all automata updated concurrently, per data point"),
)


@dataclass(frozen=True)
class PowerCell:
    """One cell of the paper's power table beside what its own model gives.

    Attributes
    ----------
    data_set : str
    d : int
    printed_mw : float
        As in the paper.
    model_mw : float
        From the paper's constants and its power at d = 1.
    agrees : bool
        Whether the model's figure, rounded to the printed digits, is the printed one.
    """

    data_set: str
    d: int
    printed_mw: float
    model_mw: float
    agrees: bool


def paper_power_table(profile: Profile = PAPER) -> tuple[PowerCell, ...]:
    """The paper's power table, cell by cell, beside the model.

    Parameters
    ----------
    profile : Profile
        Any that knows the paper's five data sets.

    Returns
    -------
    tuple of PowerCell

    Examples
    --------
    >>> [cell.data_set for cell in paper_power_table() if not cell.agrees]
    ['liver_disorders']
    """
    return tuple(
        _cell(profile, data_set, d, printed)
        for data_set, row in _PRINTED_MW.items()
        for d, printed in zip(_PRINTED_D, row, strict=True)
    )


def _cell(profile: Profile, data_set: str, d: int, printed: str) -> PowerCell:
    model = profile.power_mw(data_set, d)
    digits = len(printed.partition(".")[2])
    return PowerCell(data_set, d, float(printed), model, agrees=f"{model:.{digits}f}" == printed)


@dataclass(frozen=True)
class PowerEstimate:
    """A profile's power figure for a run, beside the random numbers that the run really drew.

    Attributes
    ----------
    profile, data_set : str
        Names.
    coins_per_update : float
        Coins per automaton update offered: 1/d to within a few per cent on a long run.
    prngs_removed : bool
        Whether the automata's generators are left out of the design, as the paper does at d = infinity.
    power_mw, saved_mw : float
        Power in milliwatts, and what it saves against a coin at every update.
    coins, selection_draws, other_draws : int
        Random numbers drawn for automaton updates; for clause selection; for all else that the ledger counts.
    """

    profile: str
    data_set: str
    coins_per_update: float
    prngs_removed: bool
    power_mw: float
    saved_mw: float
    coins: int
    selection_draws: int
    other_draws: int


def estimate(ledger: Ledger, data_set: str, *, profile: Profile = PAPER, prngs_removed: bool = False) -> PowerEstimate:
    """Join what a run drew with what a profile says random numbers cost.

    The profile knows the power at one coin per update; the ledger's own coin rate takes the place of 1/d.

    Parameters
    ----------
    ledger : Ledger
        Of a whole run or a part of it, e.g. ``estimator.ledger_``.
    data_set : str
        A data set that the profile knows.
    profile : Profile
    prngs_removed : bool
        Leave the automata's generators out of the design, which saves their leakage too. Only for a run without coins.
        Clause selection keeps its generators either way.

    Returns
    -------
    PowerEstimate

    Examples
    --------
    >>> run = Ledger(type_ib_offered=1_000_000, coins=10_000, selection_draws=5_000)
    >>> e = estimate(run, "heart")
    >>> e.coins_per_update, round(e.power_mw, 2), e.selection_draws
    (0.01, 137.74, 5000)
    """
    if ledger.offered <= 0:
        raise ValueError(f"ledger must hold automaton updates, got {ledger.offered} offered")
    if prngs_removed and ledger.coins:
        tossed = f"{ledger.coins} coin{'s' * (ledger.coins > 1)}"
        raise ValueError(f"prngs_removed must be False for a run that tossed coins, got True with {tossed}")
    rate = ledger.coins / ledger.offered
    at_d1 = profile.power_mw(data_set, 1)
    saved = profile.saving_share_at(rate, prngs_removed=prngs_removed)
    return PowerEstimate(
        profile=profile.name,
        data_set=data_set,
        coins_per_update=rate,
        prngs_removed=prngs_removed,
        power_mw=at_d1 * (1 - saved),
        saved_mw=at_d1 * saved,
        coins=ledger.coins,
        selection_draws=ledger.selection_draws,
        other_draws=ledger.draws - ledger.coins - ledger.selection_draws,
    )
