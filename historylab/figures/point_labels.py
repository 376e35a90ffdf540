"""Labels of points in a plot: each beside its point, where it lies on no other label and on no point that is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CHARACTER, LINE = 6.8, 16.0
"""The width of a character and the height of a line, in pixels, at 12 px."""
GAP = 10.0
"""From a point to its label, in pixels, on either axis."""
NEAR = 8.0
"""The reach of a point, in pixels."""
PLACES = (
    "top right",
    "top left",
    "bottom right",
    "bottom left",
    "middle right",
    "middle left",
    "top center",
    "bottom center",
)
Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text and the point it names, in pixels from the plot's top left; `place` where that is settled."""

    text: str
    x: float
    y: float
    place: str = ""


def place_labels(labels: Sequence[Label], width: float, height: float) -> list[str | None]:
    """For each label, the first come first, the place beside its point that is free; None where there is none.

    It is on no other label, and on no other point if that can be.
    """
    points = [(each.x - NEAR, each.y - NEAR, each.x + NEAR, each.y + NEAR) for each in labels]
    taken: list[Box] = []
    found: list[str | None] = []
    for number, label in enumerate(labels):
        boxes = {place: _box(label, place) for place in PLACES}
        inside = [place for place, box in boxes.items() if _is_inside(box, width, height) and not _meets(box, taken)]
        others = [*points[:number], *points[number + 1 :]]
        clear = (place for place in inside if not _meets(boxes[place], others))
        place = label.place or next(clear, next(iter(inside), None))
        if place:
            taken.append(boxes[place])
        found.append(place)
    return found


def _box(label: Label, place: str) -> Box:
    vertical, horizontal = place.split()
    wide = CHARACTER * len(label.text)
    left = {"right": label.x + GAP, "left": label.x - GAP - wide, "center": label.x - wide / 2}[horizontal]
    top = {"top": label.y - GAP - LINE, "bottom": label.y + GAP, "middle": label.y - LINE / 2}[vertical]
    return left, top, left + wide, top + LINE


def _is_inside(box: Box, width: float, height: float) -> bool:
    return box[0] >= 0 and box[1] >= -LINE and box[2] <= width and box[3] <= height


def _meets(box: Box, others: Sequence[Box]) -> bool:
    return any(_overlap(box, other) for other in others)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
