"""Smoothing and clustering against their definitions, written out in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from literal import literal_farthest_first, literal_from_origin, literal_k_means

from transforms import clusters
from transforms.clusters import (
    best_k_means,
    convolve,
    farthest_first,
    gaussian_smooth,
    k_means,
    k_means_from_origin,
    moving_average,
    settle,
    two_gaussians,
)

STEP = 65536  # settle() rounds to multiples of one 65536th
HALF_STEP = 0.5 / STEP

# What clustering gets from smoothing: multiples of a 65536th, small and round ones often.
settled = st.one_of(st.integers(0, 30).map(float), st.integers(0, 500 * STEP).map(lambda n: n / STEP))
many_settled = st.lists(settled, min_size=1, max_size=40)
points = st.lists(st.tuples(settled, settled), min_size=1, max_size=30)


def as_arrays(pairs: list[tuple[float, float]]) -> tuple[Any, Any]:
    return np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])


# The definitions


def literal_smooth(values: list[float], sigma: float) -> list[float]:
    """CETR's Eq. 1 to 3, before rounding; outside the list there are zeros."""
    radius = math.ceil(sigma)
    kernel = {j: math.exp(-(j * j) / (2 * sigma * sigma)) for j in range(-radius, radius + 1)}
    total = math.fsum(kernel.values())
    return [
        math.fsum(kernel[j] / total * values[i - j] for j in kernel if 0 <= i - j < len(values))
        for i in range(len(values))
    ]


def literal_moving_average(values: list[float], radius: int) -> list[float]:
    windows = [values[max(i - radius, 0) : i + radius + 1] for i in range(len(values))]
    return [math.fsum(window) / len(window) for window in windows]


# Rounding


def test_settling_rounds_to_multiples_of_one_65536th() -> None:
    # 1/3 * 65536 = 21845.33, so 21845; half a step goes to the even neighbour: 0.5 to 0, 1.5 to 2.
    values = np.array([1 / 3, 0.5 / STEP, 1.5 / STEP, 7.0])
    assert settle(values).tolist() == [21845 / STEP, 0.0, 2 / STEP, 7.0]


@given(many_settled)
def test_sums_of_settled_values_do_not_depend_on_the_order(values: list[float]) -> None:
    settled_values = settle(np.array(values) / 3)
    exact = math.fsum(settled_values.tolist())
    assert float(np.cumsum(settled_values)[-1]) == exact
    assert float(np.cumsum(settled_values[::-1])[-1]) == exact


# Smoothing


@given(st.lists(settled, min_size=1, max_size=60), st.floats(0.01, 80))
@settings(max_examples=150, deadline=None)
def test_smoothing_is_the_convolution_with_a_gaussian_of_one_standard_deviation(
    values: list[float], sigma: float
) -> None:
    smoothed = gaussian_smooth(np.array(values), sigma)
    assert smoothed.tolist() == pytest.approx(literal_smooth(values, sigma), abs=HALF_STEP * 1.001)


@given(st.lists(st.floats(0, 1e6), max_size=50), st.floats(0, 1e5))
@settings(max_examples=150, deadline=None)
def test_smoothing_gives_a_number_for_every_value_and_every_sigma(values: list[float], sigma: float) -> None:
    smoothed = gaussian_smooth(np.array(values), sigma)
    assert len(smoothed) == len(values)
    assert np.isfinite(smoothed).all()


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.floats(1e-3, 1e5))
@settings(max_examples=150, deadline=None)
def test_smoothing_neither_rises_above_the_largest_value_nor_falls_below_zero(
    values: list[float], sigma: float
) -> None:
    smoothed = gaussian_smooth(np.array(values), sigma)
    assert smoothed.min() >= 0
    assert smoothed.max() <= max(values) * (1 + 1e-12) + HALF_STEP


def test_smoothing_with_a_sigma_of_zero_changes_nothing() -> None:
    assert gaussian_smooth(np.array([1.0, 5.0, 0.0]), 0.0).tolist() == [1.0, 5.0, 0.0]


def test_smoothing_nothing_gives_nothing() -> None:
    assert gaussian_smooth(np.empty(0), 3.0).tolist() == []


def test_fourier_transform_and_direct_convolution_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    values, kernel = random.uniform(0, 300, size=4000), random.uniform(0, 1, size=501)
    monkeypatch.setattr(clusters, "DIRECT_PRODUCTS", 0)
    transformed = convolve(values, kernel)
    monkeypatch.setattr(clusters, "DIRECT_PRODUCTS", 10**12)
    direct = convolve(values, kernel)
    assert len(transformed) == len(direct) == 4500
    assert np.abs(transformed - direct).max() < 1e-8


@pytest.mark.parametrize("radius", [0, 1, 2, 5, 100])
@given(values=many_settled)
@settings(max_examples=50, deadline=None)
def test_the_moving_average_is_the_mean_of_the_neighbours_there_are(values: list[float], radius: int) -> None:
    averaged = moving_average(np.array(values), radius)
    assert averaged.tolist() == pytest.approx(literal_moving_average(values, radius), abs=HALF_STEP * 1.001)


def test_the_moving_average_of_nothing_is_nothing() -> None:
    assert moving_average(np.empty(0), 2).tolist() == []


# k-means on numbers


@given(many_settled, st.integers(2, 5))
@settings(max_examples=300, deadline=None)
def test_k_means_is_lloyds_algorithm(values: list[float], k: int) -> None:
    assert k_means(np.array(values), k).tolist() == literal_k_means(values, k)


def test_a_value_midway_between_two_centroids_belongs_to_the_lower() -> None:
    # Centroids 0 and 4, border 2: {0, 2} and {4}; then 1 and 4, border 2.5: the same.
    assert k_means(np.array([0.0, 2.0, 4.0]), 2).tolist() == [0, 0, 1]


def test_a_cluster_that_has_no_values_keeps_its_centroid_and_its_number() -> None:
    # Centroids 0, 5, 10, borders 2.5 and 7.5: nothing is between them.
    assert k_means(np.array([0.0, 10.0, 1.0, 9.0]), 3).tolist() == [0, 2, 0, 2]


def test_values_change_cluster_as_the_centroids_move() -> None:
    # Centroids 0, 15, 30, borders 7.5 and 22.5: {0 0 0 7} {8} {30}. Means 1.75, 8, 30, borders 4.875 and 19:
    # {0 0 0} {7 8} {30}. Means 0, 7.5, 30, borders 3.75 and 18.75: the same.
    assert k_means(np.array([0.0, 7.0, 0.0, 8.0, 0.0, 30.0]), 3).tolist() == [0, 1, 0, 1, 0, 2]


def test_values_that_are_all_alike_are_one_cluster() -> None:
    assert k_means(np.array([4.0, 4.0, 4.0]), 3).tolist() == [0, 0, 0]


@given(many_settled, st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_labels_ascend_with_the_values(values: list[float], k: int) -> None:
    labels = k_means(np.array(sorted(values)), k).tolist()
    assert labels == sorted(labels)
    assert labels[0] == 0
    assert labels[-1] < k


# The best clusters of numbers


def sum_of_squares(values: list[float], labels: list[int]) -> Fraction:
    """The sum of squared distances to the means of the clusters, without rounding."""
    clusters = [[Fraction(v) for v, label in zip(values, labels, strict=True) if label == c] for c in set(labels)]
    return sum((sum((v - sum(c) / len(c)) ** 2 for v in c) for c in clusters), Fraction(0))


def least_sum_of_squares(values: list[float], k: int) -> Fraction:
    """That of the best of all ways to cut the sorted values into at most k stretches."""
    ordered = sorted(values)
    ways = (
        [sum(place >= cut for cut in cuts) for place in range(len(ordered))]
        for count in range(min(k, len(ordered)))
        for cuts in combinations(range(1, len(ordered)), count)
    )
    return min(sum_of_squares(ordered, labels) for labels in ways)


@given(st.lists(settled, min_size=1, max_size=9), st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_no_other_clusters_have_a_smaller_sum_of_squares(values: list[float], k: int) -> None:
    labels = best_k_means(np.array(values), k).tolist()
    least = least_sum_of_squares(values, k)
    assert float(sum_of_squares(values, labels)) == pytest.approx(float(least), rel=1e-9, abs=1e-9)
    assert len(set(labels)) == min(k, len(set(values)))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_of_many_values_the_search_for_borders_misses_none(k: int) -> None:
    values = np.sort(settle(np.random.default_rng(k).exponential(20, size=300)))
    sums, squares = np.concatenate(([0], np.cumsum(values))), np.concatenate(([0], np.cumsum(values**2)))

    def spread(first: Any, last: int) -> Any:
        return squares[last] - squares[first] - (sums[last] - sums[first]) ** 2 / (last - first)

    best = [math.inf] + [spread(0, n) for n in range(1, 301)]
    for _ in range(1, k):  # every border is tried for every number of least values
        best = [math.inf] + [
            min([best[m] + spread(m, n) for m in range(1, n)], default=math.inf) for n in range(1, 301)
        ]
    labels = best_k_means(values, k)
    found = sum(((values[labels == c] - values[labels == c].mean()) ** 2).sum() for c in range(k))
    assert found == pytest.approx(best[-1], rel=1e-9)


def test_an_even_start_is_not_always_the_best() -> None:
    # Lloyd's rounds end with {0 0 1 1} {} {10}-like clusters; the best three are the three different values.
    values = np.array([0.0, 0.0, 1.0, 1.0, 100.0])
    assert k_means(values, 3).tolist() == [0, 0, 0, 0, 2]
    assert best_k_means(values, 3).tolist() == [0, 0, 1, 1, 2]


def test_of_equal_splits_the_one_with_more_values_below_counts() -> None:
    assert best_k_means(np.array([0.0, 2.0, 4.0]), 2).tolist() == [0, 0, 1]
    assert best_k_means(np.array([4.0, 6.0, 0.0, 2.0]), 3).tolist() == [1, 2, 0, 0]


def test_with_fewer_values_than_clusters_each_value_is_one() -> None:
    assert best_k_means(np.array([3.0, 0.0, 3.0]), 5).tolist() == [1, 0, 1]
    assert best_k_means(np.array([4.0, 4.0]), 3).tolist() == [0, 0]


# k-means from the origin


@given(points, st.integers(2, 4))
@settings(max_examples=300, deadline=None)
def test_k_means_from_the_origin_is_lloyds_algorithm_with_one_centroid_held(
    pairs: list[tuple[float, float]], k: int
) -> None:
    assert k_means_from_origin(*as_arrays(pairs), k).tolist() == literal_from_origin(pairs, k)


def test_the_cluster_at_the_origin_does_not_move_towards_its_points() -> None:
    # On one axis: three points at 9, one at 11, nine at 20. The free centroid starts at 20, the border is 10:
    # {9 9 9} and {11, 20 * 9}, whose mean is 191 / 10 = 19.1, border 9.55: the same. 11 is not of the origin's cluster.
    # A centroid that moved would go to 9, the border to (9 + 19.1) / 2 = 14.05, and 11 would change sides.
    x = np.array([9.0] * 3 + [11.0] + [20.0] * 9)
    assert k_means_from_origin(x, np.zeros(13), 2).tolist() == [0, 0, 0] + [1] * 10
    assert k_means(x, 2).tolist() == [0, 0, 0, 0] + [1] * 9


def test_the_origins_cluster_is_empty_when_all_points_are_far_from_it() -> None:
    # The free centroid starts at (0, 12), border 6: nothing below; mean (0, 11).
    assert k_means_from_origin(np.zeros(3), np.array([10.0, 11.0, 12.0]), 2).tolist() == [1, 1, 1]


def test_a_point_as_near_the_origin_as_another_centroid_belongs_to_the_origin() -> None:
    # Centroid (4, 0); the point (2, 1) has squared distance 5 from both.
    assert k_means_from_origin(np.array([4.0, 2.0]), np.array([0.0, 1.0]), 2).tolist() == [1, 0]


def test_free_centroids_start_at_the_points_farthest_apart() -> None:
    # Farthest from the origin: (10, 10), squared distance 200. Then (9, 9) has 2 and (0, 8) has 64: (0, 8).
    x, y = np.array([0.0, 9.0, 10.0, 0.0]), np.array([0.0, 9.0, 10.0, 8.0])
    assert k_means_from_origin(x, y, 3).tolist() == [0, 1, 1, 2]


def test_points_that_are_all_at_the_origin_belong_to_it() -> None:
    assert k_means_from_origin(np.zeros(4), np.zeros(4), 3).tolist() == [0, 0, 0, 0]


# Farthest first


@given(many_settled, st.integers(2, 5))
@settings(max_examples=300, deadline=None)
def test_farthest_first_takes_the_farthest_value_as_the_next_centre(values: list[float], k: int) -> None:
    assert farthest_first(np.array(values), k).tolist() == literal_farthest_first(values, k)


def test_farthest_first_by_hand() -> None:
    # Centres 1, then 21 (20 away), then 13 (12 and 8 away: 8; 6 has 5 and 18 has 3).
    # In order 1, 13, 21, borders 7 and 17: 6 to the first, 18 to the third.
    assert farthest_first(np.array([6.0, 1.0, 13.0, 21.0, 18.0]), 3).tolist() == [0, 0, 1, 2, 2]


def test_with_fewer_values_than_centres_every_value_is_its_own_cluster() -> None:
    assert farthest_first(np.array([5.0, 2.0]), 4).tolist() == [1, 0]


# Two Gaussians


def test_two_gaussians_by_hand() -> None:
    # The mean is 6: {0 2} has mean 1 and variance 1, {10 12} mean 11 and variance 1, both weight 1/2. For 2 the odds
    # are exp(-1/2) to exp(-81/2): each value stays where it started.
    assert two_gaussians(np.array([0.0, 12.0, 2.0, 10.0])).tolist() == [0, 1, 0, 1]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20),
    st.lists(st.floats(100, 101), min_size=1, max_size=20),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_two_gaussians_separate_two_clear_groups(low: list[float], high: list[float], random: Any) -> None:
    values = low + high
    random.shuffle(values)
    assert two_gaussians(np.array(values)).tolist() == [int(value > 50) for value in values]


def test_a_value_below_both_means_is_not_of_the_higher_gaussian() -> None:
    # Twenty values close to 50 and ten spread from 60 to 240: 0 lies some hundred standard deviations under the narrow
    # Gaussian and about three under the wide one, which explains it better, but it is no high value.
    near = [50 + 0.1 * (number % 5) for number in range(20)]
    values = np.array([0.0, *near, *range(60, 250, 20)])
    labels = two_gaussians(values)
    assert labels[0] == 0
    assert labels[-1] == 1


def test_two_gaussians_fit_values_that_are_all_alike() -> None:
    assert len(set(two_gaussians(np.array([3.0, 3.0, 3.0])).tolist())) == 1


# The same for all


CLUSTERINGS: dict[str, Callable[[Any], Any]] = {
    "k_means": lambda values: k_means(values, 3),
    "best_k_means": lambda values: best_k_means(values, 3),
    "k_means_from_origin": lambda values: k_means_from_origin(values, values[::-1].copy(), 3),
    "farthest_first": lambda values: farthest_first(values, 3),
    "two_gaussians": two_gaussians,
}


@pytest.mark.parametrize("name", CLUSTERINGS)
@given(values=many_settled)
@settings(max_examples=50, deadline=None)
def test_the_same_values_get_the_same_labels_again_and_are_left_as_they_were(name: str, values: list[float]) -> None:
    given_values = np.array(values)
    first = CLUSTERINGS[name](given_values).tolist()
    assert given_values.tolist() == values
    assert CLUSTERINGS[name](given_values).tolist() == first
    assert CLUSTERINGS[name](np.array(values)).tolist() == first


# Where no start value depends on the order of the values. (Of several values equally far from the centres,
# farthest-first takes the first, and so does k-means from the origin: they are order-free only without such ties.)
ORDER_FREE: dict[str, Callable[[Any], Any]] = {
    "k_means": lambda values: k_means(values, 3),
    "best_k_means": lambda values: best_k_means(values, 3),
    "farthest_first": lambda values: farthest_first(values, 2),
}


@pytest.mark.parametrize("name", ORDER_FREE)
@given(values=many_settled, random=st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_labels_follow_their_values_into_another_order(name: str, values: list[float], random: Any) -> None:
    order = list(range(len(values)))
    random.shuffle(order)
    labels = ORDER_FREE[name](np.array(values))
    assert ORDER_FREE[name](np.array(values)[order]).tolist() == labels[order].tolist()


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=20),
    st.lists(st.floats(100, 101), min_size=2, max_size=20),
    st.randoms(use_true_random=False),
)
@settings(max_examples=50, deadline=None)
def test_the_higher_of_two_gaussians_has_the_same_values_in_any_order(
    low: list[float], high: list[float], random: Any
) -> None:
    values = np.array(low + high)
    order = list(range(len(values)))
    random.shuffle(order)
    assert two_gaussians(values[order]).tolist() == two_gaussians(values)[order].tolist()


@given(points, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_points_with_one_farthest_keep_their_labels_in_any_order(pairs: list[tuple[float, float]], random: Any) -> None:
    farthest = max(x * x + y * y for x, y in pairs)
    assume(len({(x, y) for x, y in pairs if x * x + y * y > farthest * (1 - 1e-9)}) == 1)
    order = list(range(len(pairs)))
    random.shuffle(order)
    x, y = as_arrays(pairs)
    assert k_means_from_origin(x[order], y[order], 2).tolist() == k_means_from_origin(x, y, 2)[order].tolist()
