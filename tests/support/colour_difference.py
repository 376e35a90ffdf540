"""How far two colours are apart (CIEDE2000), also for people who see them otherwise (Machado and others, 2009)."""

from __future__ import annotations

import math

import numpy as np

SEEN_BY = {
    "most": np.eye(3),
    "protanopes": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopes": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopes": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
WHITE = XYZ.sum(axis=1)


def colour_difference(one: str, other: str) -> float:
    """Of all who look, the least that anyone sees between two "#RRGGBB"."""
    return min(_ciede2000(_lab(seen @ _linear(one)), _lab(seen @ _linear(other))) for seen in SEEN_BY.values())


def contrast(one: str, other: str) -> float:
    """By WCAG, from 1 to 21."""
    darker, lighter = sorted(float(XYZ[1] @ _linear(colour)) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _linear(colour: str) -> np.ndarray:
    parts = np.array([*bytes.fromhex(colour[1:])]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _lab(linear: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (
        math.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in XYZ @ linear.clip(0, 1) / WHITE
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _ciede2000(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    stretch = 1 + 0.5 * (1 - math.sqrt(chroma / (chroma + 25**7)))
    c1, c2 = math.hypot(a1 * stretch, b1), math.hypot(a2 * stretch, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    lightness, c, h = (l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    waves = ((0.17, 1, -30), (-0.24, 2, 0), (-0.32, 3, 6), (0.2, 4, -63))
    t = 1 - sum(size * math.cos(math.radians(times * h + shift)) for size, times, shift in waves)
    by_l = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2))
    by_c, by_h = (c2 - c1) / (1 + 0.045 * c), hue / (1 + 0.015 * c * t)
    blue = math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    tilt = -2 * math.sqrt(c**7 / (c**7 + 25**7)) * blue
    return math.sqrt(by_l**2 + by_c**2 + by_h**2 + tilt * by_c * by_h)
