"""The colours of all plots, each with one meaning; a plot chooses none of its own."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from abrank._support.display import DIGITS


@dataclass(frozen=True)
class Theme:
    """The look of a plot: its colours, each a hexadecimal string that stands for one meaning.

    Every colour drawn is one of these exactly (tints are opacity), so that a page can give them
    other values by attribute selectors such as ``[fill="#0068ad"]``.

    Attributes
    ----------
    name : str
    a, b : str
        The baseline and the candidate, wherever one of them is ahead.
    tie : str
        A tie.
    ink, muted : str
        Text and lines; text of less weight, and results that are unclear.
    grid, band : str
        Grid lines; the margin and every second row.
    paper : str
        What lies behind; ``"none"`` for transparent.
    digits : int
        Decimals of scores and differences.

    Examples
    --------
    >>> LIGHT.b, DARK.b
    ('#0068ad', '#62b5f0')
    """

    name: str
    a: str
    b: str
    tie: str
    ink: str
    muted: str
    grid: str
    band: str
    paper: str
    digits: int = DIGITS

    def colours(self) -> dict[str, str]:
        """Return the colours by meaning.

        Examples
        --------
        >>> LIGHT.colours()["a"]
        '#b84a06'
        """
        return {
            key: value
            for key, value in asdict(self).items()
            if isinstance(value, str) and key != "name"
        }

    def of_reading(self, reading: str) -> str:
        """Return the colour of a reading: B's for better, A's for worse, grey for all else.

        Examples
        --------
        >>> LIGHT.of_reading("worse") == LIGHT.a
        True
        """
        return {"better": self.b, "worse": self.a}.get(reading, self.muted)

    def of_outcome(self, outcome: int) -> str:
        """Return the colour of who wins a query: +1 is B, -1 is A, 0 a tie.

        Examples
        --------
        >>> LIGHT.of_outcome(0) == LIGHT.tie
        True
        """
        return {1: self.b, -1: self.a}.get(outcome, self.tie)

    def by_sign(self, *, higher_is_better: bool) -> Theme:
        """Return the theme that gives the sign of a difference the colour of who wins.

        Examples
        --------
        >>> LIGHT.by_sign(higher_is_better=False).of_outcome(-1) == LIGHT.b
        True
        """
        return self if higher_is_better else replace(self, a=self.b, b=self.a)


LIGHT = Theme(
    name="light",
    a="#b84a06",
    b="#0068ad",
    tie="#8b93a1",
    ink="#14181f",
    muted="#5b6472",
    grid="#dfe3e8",
    band="#eef1f4",
    paper="#ffffff",
)
DARK = Theme(
    name="dark",
    a="#ff9d5c",
    b="#62b5f0",
    tie="#7c8696",
    ink="#e9edf2",
    muted="#a4adba",
    grid="#30363d",
    band="#212830",
    paper="#161b22",
)
# Mid-tones that can be read on white and on black, for cells whose background is not ours.
NOTEBOOK = Theme(
    name="notebook",
    a="#d2691e",
    b="#2b87c8",
    tie="#8b93a1",
    ink="#7a7f87",
    muted="#7b8088",
    grid="#80868e40",
    band="#80868e1f",
    paper="none",
)
