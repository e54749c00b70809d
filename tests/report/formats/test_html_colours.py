"""The colours of the page can be read in both themes."""

from __future__ import annotations

from abrank.report.formats.page import PALETTE


def test_text_colours_have_enough_contrast_in_both_themes() -> None:
    for theme in (0, 1):
        for text, ground in (
            *((name, "paper") for name in ("ink", "muted", "a", "b", "warn")),
            *((name, "page") for name in ("ink", "muted")),
            *((name, "band") for name in ("ink", "muted", "a", "b")),
            *((name, "find") for name in ("ink", "a", "b", "muted")),
            ("a", "a-wash"),
            ("b", "b-wash"),
            ("warn", "warn-wash"),
            ("ink", "warn-wash"),
        ):
            ratio = contrast(PALETTE[text][theme], PALETTE[ground][theme])
            assert ratio >= 4.5, (text, ground, theme, ratio)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG 2.2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
