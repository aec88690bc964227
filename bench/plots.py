"""Plots as SVG text: few kinds, no dependency, the same bytes for the same figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 56, 130, 16, 48
# Distinguishable also for the colour-blind (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")

LABEL_WIDTH, LABEL_HEIGHT = 100, 12

Point = tuple[float, float]


def scatter(points: Sequence[tuple[str, float, float]], x_label: str, y_label: str) -> str:
    """Named points, the horizontal axis logarithmic."""
    logs = [math.log10(max(x, 1e-3)) for _, x, _ in points]
    low, high = min(logs) - 0.05, max(logs) + 0.05
    parts: list[str] = []
    labels: list[Point] = []
    for log, (name, _, y) in zip(logs, points, strict=True):
        left, top = _x((log - low) / (high - low)), _y(y)
        label = _free(labels, left + 7, top + 4)
        labels.append(label)
        parts.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="4" fill="{COLOURS[0]}"/>')
        parts.append(f'<text x="{label[0]:.1f}" y="{label[1]:.1f}">{escape(name)}</text>')
    ticks = [value for value in (0.5, 1, 2, 5, 10, 20, 50, 100, 200) if low <= math.log10(value) <= high]
    marks = [((math.log10(value) - low) / (high - low), f"{value:g}") for value in ticks]
    return _frame(parts, marks, x_label, y_label)


def _free(labels: Sequence[Point], x: float, y: float) -> Point:
    """Where a label fits: there, or below those that stand in its way, or to the right of them at the bottom."""
    while any(abs(x - other_x) < LABEL_WIDTH and abs(y - other_y) < LABEL_HEIGHT for other_x, other_y in labels):
        y += LABEL_HEIGHT
        if y > HEIGHT - BOTTOM:
            x, y = x + LABEL_WIDTH, TOP + LABEL_HEIGHT
    return x, y


def curves(lines: Mapping[str, Sequence[Point]], x_label: str, y_label: str) -> str:
    """One line a name, both axes linear, the vertical one from 0 to 1."""
    low, high = _extent(lines)
    parts = []
    for number, (name, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [(_x((x - low) / max(high - low, 1e-9)), _y(y)) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{places[-1][0] + 6:.1f}" y="{places[-1][1] + 4:.1f}">{escape(name)}</text>')
    marks = [(step / 4, f"{low + (high - low) * step / 4:g}") for step in range(5)]
    return _frame(parts, marks, x_label, y_label)


def _extent(lines: Mapping[str, Sequence[Point]]) -> Point:
    values = [x for points in lines.values() for x, _ in points]
    return min(values), max(values)


def bars(groups: Mapping[str, Mapping[str, float]]) -> str:
    """For each group a bar for each name, from 0 to 1."""
    names = list(next(iter(groups.values())))
    slot = (WIDTH - LEFT - RIGHT) / len(groups)
    width = slot * 0.8 / len(names)
    parts, marks = [], []
    for place, (group, values) in enumerate(groups.items()):
        marks.append(((place + 0.5) / len(groups), group))
        for number, name in enumerate(names):
            top = _y(values[name])
            left = LEFT + place * slot + slot * 0.1 + number * width
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * 0.9:.1f}" height="{_y(0) - top:.1f}" '
                f'fill="{COLOURS[number % len(COLOURS)]}">'
                f"<title>{escape(f'{group}, {name}: {values[name]:.3f}')}</title></rect>"
            )
    for number, name in enumerate(names):
        top = TOP + 14 + 18 * number
        parts.append(
            f'<rect x="{WIDTH - RIGHT + 8}" y="{top - 10}" width="11" height="11" fill="{COLOURS[number % 8]}"/>'
        )
        parts.append(f'<text x="{WIDTH - RIGHT + 24}" y="{top}">{escape(name)}</text>')
    return _frame(parts, marks, "", "F1")


def series(values: Sequence[float], chosen: Sequence[bool], x_label: str, y_label: str) -> str:
    """Numbers in a row as thin bars, the chosen ones coloured: a density graph, a tag-ratio histogram."""
    highest = max([*values, 1e-9])
    step = (WIDTH - LEFT - RIGHT) / max(len(values), 1)
    parts = [
        f'<rect x="{LEFT + number * step:.2f}" y="{_y(value / highest):.1f}" width="{max(step * 0.9, 0.5):.2f}" '
        f'height="{_y(0) - _y(value / highest):.1f}" fill="{COLOURS[1] if is_chosen else COLOURS[7]}"/>'
        for number, (value, is_chosen) in enumerate(zip(values, chosen, strict=True))
        if value > 0
    ]
    marks = [(part / 4, str(round(len(values) * part / 4))) for part in range(5)]
    return _frame(parts, marks, x_label, y_label, highest)


def cloud(points: Sequence[Point], chosen: Sequence[bool], x_label: str, y_label: str) -> str:
    """Points in the plane from the origin on, the chosen ones coloured."""
    right, top = max((x for x, _ in points), default=0.0) or 1.0, max((y for _, y in points), default=0.0) or 1.0
    parts = [
        f'<circle cx="{_x(x / right):.1f}" cy="{_y(y / top):.1f}" r="3.5" '
        f'fill="{COLOURS[1] if is_chosen else COLOURS[7]}" fill-opacity="0.8"/>'
        for (x, y), is_chosen in zip(points, chosen, strict=True)
    ]
    marks = [(part / 4, f"{right * part / 4:.3g}") for part in range(5)]
    return _frame(parts, marks, x_label, y_label, top)


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _frame(
    parts: Sequence[str], marks: Sequence[tuple[float, str]], x_label: str, y_label: str, top: float = 1.0
) -> str:
    grid = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(share / 5):.1f}" y2="{_y(share / 5):.1f}" stroke="#ddd"/>'
        f'<text x="{LEFT - 6}" y="{_y(share / 5) + 4:.1f}" text-anchor="end">{top * share / 5:.3g}</text>'
        for share in range(6)
    )
    below = "".join(
        f'<text x="{_x(share):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{escape(label)}</text>'
        for share, label in marks
    )
    middle = TOP + 150
    labels = (
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>'
        f'<text x="12" y="{middle}" transform="rotate(-90 12 {middle})" text-anchor="middle">{escape(y_label)}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        f"{grid}{below}{labels}{''.join(parts)}</svg>"
    )
