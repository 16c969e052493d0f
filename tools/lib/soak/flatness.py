"""Whether a series of measurements is flat.

The rule: take the second half of the run (what a process keeps for good, it has by then), the Theil-Sen slope of it (the
median of the slopes between all pairs, which up to 29 % of arbitrary outliers cannot move far), and what that slope would
add over as many cycles as the whole run had. That growth must stay below a share of the half's median or below a fixed
amount, whichever is more: the fixed amount is what an allocator does by itself.
"""

from dataclasses import dataclass
from itertools import combinations
from statistics import median

Series = list[tuple[int, float]]

# More than these are thinned: all pairs of 400 are 80,000.
MOST = 400


@dataclass(frozen=True)
class Allowance:
    """How much growth over a whole run is none: a share of the median, or this much. With fewer measurements than enough
    in the second half nothing is said."""

    share: float
    amount: float
    enough: int


MEMORY = Allowance(0.05, 1024 * 1024, 100)
DESCRIPTORS = Allowance(0, 1, 20)


@dataclass(frozen=True)
class Verdict:
    """What a series says: its ends (medians of five), slope per cycle, growth over the whole run, and what is allowed."""

    start: float
    end: float
    slope: float | None
    growth: float
    allowed: float

    @property
    def flat(self) -> bool:
        """Whether it does not grow; true also where there are too few measurements to tell."""
        return self.slope is None or self.growth <= self.allowed


def theil_sen(series: Series) -> float:
    """The median of the slopes between all pairs of points."""
    return median((b - a) / (n - m) for (m, a), (n, b) in combinations(series, 2) if n != m)


def judge(series: Series, cycles: int, allowance: Allowance) -> Verdict:
    """The verdict on measurements (cycle, value) of a run of so many cycles."""
    values = [value for _, value in series]
    start, end = median(values[:5]), median(values[-5:])
    half = [point for point in series if point[0] >= cycles / 2]
    half = half[:: len(half) // MOST + 1]
    if len(half) < allowance.enough:
        return Verdict(start, end, None, end - start, 0)
    slope = theil_sen(half)
    allowed = max(allowance.share * median(value for _, value in half), allowance.amount)
    return Verdict(start, end, slope, slope * cycles, allowed)
