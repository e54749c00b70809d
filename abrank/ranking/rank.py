"""Read ready scores of many systems, and rank them: order, intervals, pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np

from abrank import inference
from abrank._support import checks, display
from abrank._support.errors import ArgumentError, nearest
from abrank._support.rng import entropy
from abrank._support.typing import Missing, RandomSource, RankingFamily
from abrank.comparison.choosing import Directions, choose_from, directions
from abrank.comparison.pairing import on_all_queries, require_one_scale
from abrank.comparison.resolve import require_bounded
from abrank.comparison.two_systems import by_position, one_measure
from abrank.diagnostics import Note, inspect_systems, most_severe_first
from abrank.inference.systems.friedman import two_way_anova
from abrank.inference.systems.pairwise import MANY_PAIRS
from abrank.inputs.files import short_name
from abrank.inputs.score_reading import TableOptions
from abrank.measures.names import asks_direction, known, known_among, listed, names_measure
from abrank.options import Inputs, RankingQuestion
from abrank.provenance import provenance as recorded
from abrank.ranking.details import (
    measure_agreements,
    pair_rows,
    pair_spread,
    rank_chances,
    system_rows,
    undone_pairs,
)
from abrank.ranking.result import Ranking
from abrank.rule_file import answered_by
from abrank.scoring.score_files import read_with_gaps
from abrank.scoring.scores import MISSING, Scores, resolve_missing

UNNAMED = "score"


def read_systems(
    source: object,  # Scores, a frame, a path, several of them, or a mapping
    *,
    measures: Sequence[str] | str | None = None,
    missing: Missing = "error",
    lower_is_better: Sequence[str] | str = (),
    options: TableOptions | None = None,
) -> Scores:
    """Read the scores of many systems from one or more sources.

    ``notes`` say how each source was interpreted, and what was missing.

    Parameters
    ----------
    source : Scores, DataFrame, path, sequence of these, or mapping
        Anything that :func:`abrank.read_scores` reads. Several sources hold different systems on
        the same queries. A mapping has scores by system name: a Series or dict by query id, or any
        of the above.
    measures : sequence of str, optional
        For a table with one column per system: the name of its only measure. Default: ``score``.
    missing : {"error", "zero", "drop", "worst"}
        A missing score is an error, counts 0, gets the worst score, or its query is dropped for
        all systems.
    lower_is_better : str or sequence of str
        Names of scores for which lower is better.
    options : TableOptions, optional
        The declared roles of the columns.

    Raises
    ------
    ReadError, NotFoundError
        If a source cannot be used.
    AlignmentError
        If scores are missing with ``missing="error"``, or no query remains.
    ArgumentError
        If two sources have a system with the same name, or differ in their measures.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"query_id": ["1", "2"], "bm25": [0.2, 0.4], "t5": [0.3, 0.6]})
    >>> read_systems(frame, measures="AP").systems
    ('bm25', 't5')
    """
    checks.one_of("missing", missing, MISSING)
    if isinstance(source, Scores):
        return source
    named = tuple(listed(measures)) if measures is not None else ()
    options = replace(
        options or TableOptions(),
        measures=named,
        purpose="rank",
        missing=missing,
        lower_is_better=tuple(listed(lower_is_better)),
    )
    parts = _parts(source, options)
    if not parts:
        raise ArgumentError("there are no scores to rank by")
    if named:  # ignore missing scores of measures that were not requested
        parts = [part.take(_chosen(part, named)) for part in parts]
    return resolve_missing(
        _joined(parts) if len(parts) > 1 else parts[0], missing, lower_is_better=lower_is_better
    )


def _parts(source: Any, options: TableOptions) -> list[Scores]:  # noqa: ANN401
    if isinstance(source, Mapping):
        return [_named(scores, str(system), options) for system, scores in source.items()]
    is_list = isinstance(source, (list, tuple)) and not any(
        isinstance(row, Mapping) and not any(isinstance(item, Mapping) for item in row.values())
        for row in source[:1]
    )  # a list of rows is a single table
    sources = source if is_list else [source]
    parts = [read_with_gaps(part, options=options) for part in sources]
    if len(parts) > 1 and all({*part.systems} & {*parts[0].systems} for part in parts):
        # Equal column names in all files are measures; then each file is a system.
        alone = replace(options, alone=False)
        parts = [read_with_gaps(part, options=alone) for part in sources]
    columns = {part.measures for part in parts}
    if len(columns) == 1 and len(parts) > 1:
        return parts
    measure = options.measures[0] if len(options.measures) == 1 else UNNAMED
    return [_by_column(part, measure) for part in parts]


def _by_column(part: Scores, measure: str) -> Scores:
    """Treat the only column as a system unless its name is a measure."""
    name = part.measures[0]
    is_plain = name.casefold() in (UNNAMED, "value") or names_measure(name) or asks_direction(name)
    is_named = part.reading is None or part.reading.variant or part.reading.metric
    if len(part.measures) > 1 or len(part.systems) > 1 or is_plain or is_named:
        return part
    source = next(iter(part.sources.values()), None)
    sources = {name: source} if source else {}
    return replace(
        part, systems=(name,), measures=(str(known(measure) or measure),), sources=sources
    )


def _named(source: object, system: str, options: TableOptions) -> Scores:
    """Return the scores of one system in a mapping, under its name there."""
    import pandas as pd

    of_measures = isinstance(source, Mapping) and any(
        isinstance(item, Mapping) for item in source.values()
    )
    if (values := by_position(source)) is not None and not isinstance(source, pd.Series):
        source = dict(enumerate(values.tolist()))
    if isinstance(source, (Mapping, pd.Series)) and not of_measures:
        measure = options.measures[0] if len(options.measures) == 1 else UNNAMED
        return replace(one_measure(source, system), systems=(system,), measures=(measure,))
    scores = read_with_gaps(source, options=replace(options, alone=False))
    if len(scores.systems) != 1:
        raise ArgumentError(f"{system}: one system is asked for, not {_some(scores.systems)}")
    (origin,) = scores.sources.values() or (None,)
    return replace(scores, systems=(system,), sources={system: origin} if origin else {})


def _joined(parts: Sequence[Scores]) -> Scores:
    systems = [system for part in parts for system in part.systems]
    twice = next((name for name, n in Counter(systems).items() if n > 1), None)
    if twice is not None:
        raise ArgumentError(f"two sources have a system {twice!r}: give a mapping by name")
    measures = parts[0].measures
    for part in parts[1:]:
        if set(part.measures) != set(measures):
            raise ArgumentError(
                f"the measures differ: {_some(measures)} of {parts[0].systems[0]},"
                f" {_some(part.measures)} of {part.systems[0]}"
            )
    alike = [part.take(measures) for part in parts]
    together = on_all_queries({part.systems[0]: part for part in alike})
    return Scores(
        query_ids=together[0].query_ids,
        systems=tuple(systems),
        measures=measures,
        values=np.concatenate([part.values for part in together], axis=1),
        sources={name: source for part in parts for name, source in part.sources.items()},
        notes=display.merged(note for part in parts for note in part.notes),
        named=None if all(part.named is None for part in parts) else (),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


DEFAULT_TEST = "max-t"
MOST_PAIRS = 2_000_000  # a row is stored for each
MOST_RANKED = 10_000  # systems, each of which has an interval
MOST_SYSTEMS = 300  # with more systems, all pairs are tested only on request
# Full names of adjustments known by initials.
_INITIALS = {"bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


def rank_recorded(
    inputs: Inputs, question: RankingQuestion, *, on_stage: Callable[[str], None] | None = None
) -> Ranking:
    """Rank ready scores, report each stage of the work, and record the provenance."""
    scores = _scores_of(inputs, question)
    roles = {name: name for name in scores.systems}
    origin = recorded(scores, roles, settings={"missing": inputs.missing}, command=inputs.command)
    return ranking_of(scores, question, provenance=origin, on_stage=on_stage)


def _scores_of(inputs: Inputs, question: RankingQuestion) -> Scores:
    return read_systems(
        inputs.scores, measures=question.measures, missing=inputs.missing,
        lower_is_better=question.lower_is_better, options=inputs.table,
    )  # fmt: skip


@answered_by(lambda x, y: ranking_of(_scores_of(x, y), y), RankingQuestion, "scores")
def rank_scores(
    scores: object,  # whatever read_systems reads
    *,
    measures: Sequence[str] | str | None = None,
    columns: Mapping[str, str | Sequence[str]] | Sequence[str] | str | None = None,
    variant: Sequence[str] | str | None = None,
    where: Mapping[str, Any] | Sequence[str] | str | None = None,
    missing: Missing = "error",
    baseline: str | Sequence[str] | None = None,
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    family: RankingFamily = "measure",
    lower_is_better: Sequence[str] | str = (),
    higher_is_better: Sequence[str] | str = (),
    pairs: bool = False,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> Ranking:
    """Rank the systems of ``scores``, and test all pairs or all systems against a baseline.

    The result does not depend on the order of the systems in the input.

    Source: that of each test is ``abrank.inference.JOINT_TESTS[name].source``.

    Parameters
    ----------
    scores : Scores, DataFrame, path, list of these, or mapping
        Scores of two or more systems on the same queries, from :func:`abrank.evaluate` or in any
        form that :func:`abrank.read_scores` reads. A file with one system names it. A mapping has
        scores by system name.
    measures : sequence of str, optional
        The first orders the systems; each measure is tested separately. Default: all except counts
        and constants, ordered by a ranking measure. For a table with one column per system: the
        name of its only measure.
    columns, variant, where
        The roles of the columns of a table, and the rows to use; see :func:`abrank.read_scores`.
    missing : {"error", "zero", "drop", "worst"}
        A missing ready score is an error, counts 0, gets the worst score, or its query is dropped.
    test : str, optional
        A joint test: ``max-t`` (default), ``tukey``, ``randomised-tukey``, ``nemenyi``,
        ``conover``; against a baseline ``max-t`` (default), ``dunnett``, ``bonferroni-dunn``,
        ``conover``. Or a paired test for each pair: ``t``, ``permutation``, ``bootstrap``,
        ``wilcoxon``, ``sign``.
    adjust : str, optional
        For conover and paired tests: a key of ``abrank.inference.ADJUSTMENTS``. Default: ``holm``.
        The other tests need no adjustment.
    alpha : float
        Familywise significance level.
    baseline : str or sequence of str, optional
        One or more systems to compare all others with, adjusted over all comparisons.
    family : {"measure", "all"}
        Whether alpha holds per measure, or for all measures together, which then share it equally
        (Bonferroni).
    lower_is_better, higher_is_better : str or sequence of str
        Directions of scores that are no known measures.
    pairs : bool
        For more than 300 systems: whether to test all pairs, which takes long. By default max-t
        keeps only the pairs with the first system, and other tests need a baseline.
    resamples : int, optional
        Number of resamples of Monte Carlo tests; the default depends on the test.
    rng : int, Generator, SeedSequence or None
        Random source; the result records the seed.

    Raises
    ------
    UnknownNameError
        If the test or adjustment is unknown.
    ReadError, NotFoundError, AlignmentError
        If ready scores cannot be used, or some are missing.
    ArgumentError
        If there are fewer than two systems, the measure or the baseline is not in the scores, or
        the test does not support the requested comparisons.

    Examples
    --------
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6], [0.7, 0.7, 1.0]] * 3)
    >>> ids = tuple(f"q{i}" for i in range(12))
    >>> scores = Scores(ids, ("A", "B", "C"), ("nDCG",), values[:, :, None])
    >>> ranking = rank_scores(scores)
    >>> ranking.to_frame()[["system", "mean", "group"]]
      system   mean group
    0      C  0.825     a
    1      B  0.500     b
    2      A  0.400     c
    """
    raise NotImplementedError  # answered by ranking_of, without provenance


def ranking_of(
    scores: Scores,
    question: RankingQuestion,
    *,
    provenance: Mapping[str, Any] | None = None,
    on_stage: Callable[[str], None] | None = None,
) -> Ranking:
    """Rank scores as :func:`rank_scores` does."""
    joint_test, *_ = _joint_test(question)
    checks.level("alpha", question.alpha)
    checks.one_of("family", question.family, get_args(RankingFamily))
    if len(scores.systems) < 2:
        text = "".join(f"\n  {note}" for note in scores.notes)
        raise ArgumentError(
            f"a ranking needs two systems or more, and there is one: {scores.systems[0]}{text}"
        )
    baselines = baselines_of(question.baseline, scores.systems)
    n_pairs = _pairs_of(len(scores.systems), len(baselines), joint_test, requested=question.pairs)
    cautions: tuple[Note, ...] = ()
    if question.measures is None:
        scores, _, cautions = choose_from(scores)
    chosen = _chosen(scores, question.measures)
    require_one_scale(scores.take(chosen))
    if question.test == "bounded":
        require_bounded(scores.take(chosen))
    better = directions(chosen, question.lower_is_better, question.higher_is_better)
    better = better.by_name(chosen[:1])
    if better.undeclared:
        values = {"measures": list(better.undeclared)}
        cautions += (Note("direction-not-declared", 4, values),)
    whole = bool(baselines) or question.pairs or len(scores.systems) <= MOST_SYSTEMS
    if not whole:
        sizes = {"n_systems": len(scores.systems), "n_pairs": n_pairs}
        cautions += (Note("pairs-of-first", 1, sizes),)
    rank_by = partial(
        _rank_by, scores, replace(question, rng=entropy(question.rng)), better, baselines,
        n_families=len(chosen) if question.family == "all" else 1, whole=whole,
        on_part=_announce(on_stage, n_pairs, len(scores.systems), len(chosen)),
    )  # fmt: skip
    first, *rest = map(rank_by, map(scores.measures.index, chosen))
    chances, n_drawn = rank_chances(first)
    result = replace(
        first,
        stability=chances,
        n_drawn=n_drawn,
        agreements=measure_agreements([first, *rest]),
        spread=pair_spread(first.scores),
        audits=scores.audits,
        notes=scores.notes,
        cautions=most_severe_first([*cautions, *inspect_systems(scores)]),
        provenance=dict(provenance or {}),
        secondary=tuple(rest),
    )
    if len(scores.systems) <= MOST_SYSTEMS:
        undone = undone_pairs(result, scores.cluster_column())
        result = replace(result, cautions=most_severe_first([*result.cautions, *undone]))
    return result


def rank_again(saved: Ranking) -> Ranking:
    """Recompute a ranking from its stored scores and question."""
    # Facts that only the runs provide are copied from `saved`.
    blocks = [item.scores_of(saved.systems) for item in saved.by_measure]
    declared = [item for item in saved.by_measure if item.measure not in saved.undeclared]
    question = RankingQuestion(
        measures=saved.measures,
        lower_is_better=[item.measure for item in declared if not item.higher_is_better],
        higher_is_better=[item.measure for item in declared if item.higher_is_better],
        test=saved.test,
        adjust=saved.adjust,
        alpha=saved.alpha,
        baseline=saved.baselines or None,
        family=saved.family,
        resamples=saved.n_resamples or None,
        rng=saved.seed,
        pairs=saved.has_all_pairs,
    )
    again = ranking_of(
        Scores(saved.query_ids, saved.systems, saved.measures, np.stack(blocks, axis=2)),
        question,
        provenance=saved.provenance,
    )
    of_runs = {name: getattr(saved, name) for name in ("audits", "cautions", "notes")}
    return replace(again, **of_runs)


def baselines_of(baseline: str | Sequence[str] | None, systems: Collection[str]) -> tuple[str, ...]:
    """Return the baselines, each given by its name or by its file."""
    requested = [baseline] if isinstance(baseline, str) else baseline or []
    short_names = tuple(
        element if element in systems else short_name(element) for element in requested
    )
    for item, name in zip(requested, short_names, strict=True):
        if name not in systems:
            close = nearest(name, systems)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ArgumentError(f"the baseline {item!r} is not among {', '.join(systems)}{hint}")
    return short_names


def _pairs_of(n_systems: int, n_baselines: int, test: str, *, requested: bool) -> int:
    multiple = n_systems * (n_systems - 1) // 2
    pairs = n_systems * n_baselines if n_baselines else multiple
    if n_systems > MOST_RANKED:
        raise ArgumentError(
            f"{display.count(n_systems)} systems, and {display.count(MOST_RANKED)} at most are"
            " ranked together: give fewer, and see that a column is a system and not a query"
        )
    text = f"{display.count(n_systems)} systems make {display.plural(pairs, 'pair')}, and"
    if pairs > MOST_PAIRS:
        sentence = (
            f"{text} {display.count(MOST_PAIRS)} at most are tested together: name one system to"
            " compare the others with,"
        )
        raise ArgumentError(f'{sentence} baseline="NAME"', command=f"{sentence} --baseline NAME")
    if n_systems > MOST_SYSTEMS and not n_baselines and not requested and test != DEFAULT_TEST:
        sentence = (
            f"{text} testing them by {test} takes long: name one system to compare the others with,"
        )
        raise ArgumentError(
            f'{sentence} baseline="NAME", or ask for all pairs, pairs=True',
            command=f"{sentence} --baseline NAME, or ask for all pairs, --pairs",
        )
    return pairs


def _announce(
    on_stage: Callable[[str], None] | None, n_pairs: int, n_systems: int, n_measures: int
) -> Callable[[int, int], None] | None:
    """Report what is tested, and return a function that reports the progress of many pairs."""
    if on_stage is None:
        return None
    by, words = display.plural(n_measures, "measure"), display.plural(n_pairs, "pair")
    on_stage(f"testing {words} of {display.count(n_systems)} systems by {by}")

    def tell(done: int, total: int) -> None:
        on_stage(f"tested {display.count(done)} of {display.plural(total, 'pair')}")

    return tell if n_pairs > MANY_PAIRS else None


def _rank_by(
    scores: Scores,
    question: RankingQuestion,
    better: Directions,
    baselines: tuple[str, ...],
    column: int,
    *,
    n_families: int,
    whole: bool,
    on_part: Callable[[int, int], None] | None,
) -> Ranking:
    name, paired, adjust = _joint_test(question)
    alpha, seed = question.alpha, entropy(question.rng)
    options = {"test": paired, "adjust": adjust, "alone_of_first": None if whole else True}
    is_higher = better.higher[scores.measures[column]]
    sign = 1.0 if is_higher else -1.0
    means = scores.means()[:, column]
    order = sorted(range(len(means)), key=lambda i: (-sign * means[i], scores.systems[i]))
    systems = tuple(scores.systems[i] for i in order)
    block = np.ascontiguousarray(scores.values[:, order, column])
    joint_test = inference.run_joint_test(
        name,
        block,
        baseline=[systems.index(baseline) for baseline in baselines] or None,
        confidence=1.0 - alpha / n_families,
        seed=seed,
        n_resamples=question.resamples,
        on_part=on_part,
        **{option: value for option, value in options.items() if value is not None},
    )
    if not whole:
        joint_test = joint_test.with_first()
    if n_families > 1:
        shared = np.minimum(1.0, n_families * joint_test.pvalue_adj)
        joint_test = replace(joint_test, pvalue_adj=shared, confidence=1.0 - alpha)
    title = inference.JOINT_TESTS[name].title
    if paired is not None and adjust is not None:
        by = f"adjusted by {_INITIALS.get(adjust, adjust.title())}"
        by = "not adjusted" if adjust == "none" else by
        title = f"{inference.TESTS[paired].title}, {by}"
    return Ranking(
        measure=scores.measures[column],
        query_ids=scores.query_ids,
        systems=systems,
        scores=block,
        rows=system_rows(systems, block, means[order], joint_test, sign),
        pair_rows=pair_rows(
            systems, block, means[order], joint_test, sign,
            declared=scores.measures[column] not in better.undeclared,
        ),
        test=paired or name,
        title=title,
        alpha=alpha,
        baseline=baselines[0] if baselines else None,
        baselines=baselines,
        adjust=adjust,
        family=question.family,
        n_families=n_families,
        shares=two_way_anova(block).shares,
        seed=seed,
        method=joint_test.method,
        n_resamples=joint_test.n_resamples,
        higher_is_better=is_higher,
    )  # fmt: skip


def _chosen(scores: Scores, measures: Sequence[str] | str | None) -> list[str]:
    if measures is None:
        return list(scores.measures)
    names = [known_among(name, scores.measures) for name in listed(measures)]
    if not names:
        raise ArgumentError("no measures given to rank by")
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"{name} is named twice")
    return names


def _joint_test(question: RankingQuestion) -> tuple[str, str | None, str | None]:
    """Return the joint test, the paired test that it runs pair by pair, and the adjustment."""
    test, adjust = question.test or DEFAULT_TEST, question.adjust
    if adjust is not None:
        checks.one_of("adjust", adjust, inference.ADJUSTMENTS)
    if test in inference.TESTS:
        return "pairwise", test, adjust or "holm"
    names = [name for name in inference.JOINT_TESTS if name != "pairwise"]
    checks.one_of("test", test, [*names, *inference.TESTS])
    return test, None, adjust or ("holm" if test == "conover" else None)
