"""A ranking written as files, in the formats that a ranking has."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from abrank.ranking import Ranking
from abrank.report.formats.files import REPORTS, name_of, replace
from abrank.report.ranking.latex import ranking_latex
from abrank.report.ranking.markdown import ranking_markdown
from abrank.report.ranking.text import ranking_csv, ranking_json, ranking_text
from abrank.report.registry import format_of, is_format, require_options


def _text(ranking: Ranking, *, digits: int = 3, pairs: bool = True) -> str:
    return ranking_text(ranking, digits=digits, pairs=pairs) + "\n"


RANKING_WRITERS: Mapping[str, Callable[..., str]] = {
    ".md": ranking_markdown,
    ".tex": ranking_latex,
    ".csv": partial(ranking_csv, pairs=False),
    ".json": ranking_json,
    ".txt": _text,
}


def ranking_options(suffix: str) -> tuple[str, ...]:
    """Return the options that a format of a ranking has.

    Examples
    --------
    >>> ranking_options(".tex"), ranking_options(".json")
    (('digits', 'style'), ())
    """
    found = tuple(inspect.signature(RANKING_WRITERS[suffix]).parameters)[1:]
    return tuple(name for name in found if name != "pairs")


def write_ranking(
    ranking: Ranking,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401 - each format has its own
) -> Path:
    """Write a ranking; the file appears whole or not at all.

    ``.csv`` holds the leaderboard; the pairs go into a second file beside it, ``NAME.pairs.csv``.

    Parameters
    ----------
    ranking : Ranking
    path : str or Path
        Missing folders are made; a file that is there is replaced and keeps its mode. A format
        alone, such as ``md``, goes to ``reports/ranking-MEASURE.md``.
    format : str, optional
        A key of ``RANKING_WRITERS``; the path's suffix without it.
    **options
        ``digits``, the decimals of means and differences, where a format rounds; ``style`` of
        ``.tex``: ``"interval"`` or ``"superscript"``.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    UnknownNameError
        If no format is registered under the suffix; the message lists those that are.
    ArgumentError
        If an option is not one of the format's.
    WriteError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]])[:, :, None]
    >>> ranking = rank_scores(Scores(("q1", "q2", "q3", "q4"), ("A", "B"), ("AP",), values))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_ranking(ranking, Path(folder) / "out" / "table.tex", style="superscript").name
    'table.tex'
    """
    suffix = format_of(path, RANKING_WRITERS) if format is None else format
    require_options(suffix, ranking_options(suffix), options)
    target = Path(path)
    if format is None and is_format(path, RANKING_WRITERS):
        target = REPORTS / f"ranking-{name_of(ranking.measure) or 'measure'}{suffix}"
    content = {target: RANKING_WRITERS[suffix](ranking, **options)}
    if suffix == ".csv":
        content[target.with_suffix(".pairs.csv")] = ranking_csv(ranking, pairs=True)
    for each, text in content.items():
        replace(each, text.encode("utf-8", "replace"))
    return target
