"""Tests of the rule that tells a leak from noise."""

import random
import unittest

from flatness import DESCRIPTORS, MEMORY, Series, judge

MEBI = 1024 * 1024
CYCLES = 2_000


def series(value: object, noise: float = 0, every: int = 5) -> Series:
    """Measurements of `value(cycle)` with noise from a fixed seed."""
    draw = random.Random(1)
    return [(n, value(n) + draw.uniform(-noise, noise)) for n in range(0, CYCLES, every)]


class FlatnessTests(unittest.TestCase):
    """Growth in memory is told from noise, a start and outliers."""

    def test_noise_is_flat(self) -> None:
        self.assertTrue(judge(series(lambda _: 40 * MEBI, noise=3 * MEBI), CYCLES, MEMORY).flat)

    def test_a_small_leak_is_found_under_noise(self) -> None:
        verdict = judge(series(lambda n: 40 * MEBI + 2_048 * n, noise=2 * MEBI), CYCLES, MEMORY)
        self.assertFalse(verdict.flat)
        self.assertAlmostEqual(verdict.slope / 2_048, 1, delta=0.2)

    def test_growth_that_ends_is_flat(self) -> None:
        self.assertTrue(judge(series(lambda n: 40 * MEBI + min(n, 900) * 20_000), CYCLES, MEMORY).flat)

    def test_outliers_do_not_count(self) -> None:
        self.assertTrue(judge(series(lambda n: 40 * MEBI * (3 if n % 50 == 0 else 1)), CYCLES, MEMORY).flat)

    def test_a_descriptor_in_a_hundred_cycles_is_found(self) -> None:
        self.assertFalse(judge(series(lambda n: 1_000 + n // 100), CYCLES, DESCRIPTORS).flat)

    def test_descriptors_that_come_and_go_are_flat(self) -> None:
        self.assertTrue(judge(series(lambda n: 1_000 + n % 4), CYCLES, DESCRIPTORS).flat)

    def test_a_few_measurements_have_no_slope(self) -> None:
        verdict = judge([(n, 5.0 + n) for n in range(12)], 12, MEMORY)
        self.assertTrue(verdict.flat)
        self.assertIsNone(verdict.slope)


if __name__ == "__main__":
    unittest.main()
