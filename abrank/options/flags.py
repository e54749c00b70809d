"""Flags of the command line, and keys that say in one word what several options do in Python."""

from __future__ import annotations

from abrank.options.option import BOARD, MANY, PAIR, RUNS, SINGLE, Option
from abrank.options.parts import AS

_NOTED = "Write no notes and no progress to standard error."
FLAGS = (
    Option(
        key="scores", of=("compare_scores",), group="Inputs", kind="path", pair=True,
        metavar="A B", first=True,
        help="Two files of ready scores per query. In the place of QRELS RUN_A RUN_B.",
    ),
    Option(
        key="scores", of=("rank_scores",), group="Inputs", kind="flag", first=True, default=False,
        help="All files are ready scores per query. Without QRELS: CSV, TSV or Parquet tables with"
        " a column a system, or with columns query_id, system, measure and score; or the output of"
        " trec_eval -q and its like, a file a system.",
    ),
    Option(
        key="collections", of=("compare_collections",), group="Inputs", kind="path",
        metavar="FILE", first=True,
        help="Several collections at once. In the place of QRELS RUN_A RUN_B: a TSV with columns"
        " name, qrels, a and b, a TOML file with such keys, a folder with a folder a"
        " collection (BEIR's qrels/test.tsv, too), or a pattern: 'beir/*/qrels.txt'.",
    ),
    Option(
        key="collections", of=("rank_collections",), group="Inputs", kind="path", metavar="FILE",
        first=True,
        help="Several collections at once. In the place of QRELS RUNS: a TSV with columns name,"
        " qrels and one a system (or name and scores), a TOML file with such keys, or a folder with"
        " a folder a collection.",
    ),
    Option(
        key="clusters", of=(*SINGLE, "intervals"), group="Designs and further analyses",
        kind="path", python="design=Clusters(...)", metavar="FILE|COLUMN", first=True,
        help="Test clusters of queries, not queries. They come in conversations, users or"
        " topic variants: a CSV with query_id and one column, or a column of --segments.",
        peers=("cluster",),
    ),
    Option(
        key="look", of=PAIR, group="Designs and further analyses", kind="look",
        python="design=Looks(2, of=4)", metavar="K/N[:pocock]",
        help="This is look K of N planned, evenly spaced: it decides by its own boundary, which"
        " hardly spends alpha early, or with :pocock all alike.",
        peers=("spending", "looks"),
    ),
    Option(
        key="planned", of=SINGLE, group="Designs and further analyses", kind="planned",
        python="design=Planned(400)", metavar="N[:pocock]",
        help="N queries are planned in all: each look before spends a share of alpha by the queries"
        " seen. From the second look on with --earlier.",
    ),
    Option(
        key="earlier", of=SINGLE, group="Designs and further analyses", kind="path", metavar="FILE",
        python="design=Planned(400, earlier=...)",
        help="results.json of the look before this one, which records all looks so far.",
    ),
    Option(
        key="anytime", of=SINGLE, group="Designs and further analyses", kind="count", least=1,
        python="design=Anytime(400)", metavar="N", peers=("watch", "sequential"),
        help="Decide by a confidence sequence, which holds however often you look; narrowest at N"
        " queries.",
    ),
    Option(
        key="as", of=RUNS, group="Scoring of runs", kind="choice", choices=tuple(AS),
        python='scoring=Scoring(score_dtype="float32")',
        peers=("score_dtype", "interpolation"),
        help="Score as trec_eval 9 and pytrec_eval: scores of 32 bits, which decide what is a tie,"
        " and its interpolated precision.",
    ),
    Option(
        key="report", of=PAIR, group="Output", metavar="PATH", several=True, first=True,
        declared=False, peers=("out", "output", "html"),
        help="Write a report: .html .md .json .csv .tex. Also .txt .bib .methods .junit"
        " .parquet, by suffix, or FORMAT:PATH. A FORMAT alone, such as html, writes"
        " reports/B-vs-A.html. What is there is replaced. Repeat for more.",
    ),
    Option(
        key="report", of=MANY, group="Output", metavar="PATH", several=True, first=True,
        declared=False, peers=("out", "output", "html"),
        help="Write a report: .html .md .json .csv .tex. Also .txt, by suffix, or FORMAT:PATH. A"
        " FORMAT alone, such as html, writes reports/ranking-MEASURE.html. What is there is"
        " replaced. Repeat for more.",
    ),
    Option(
        key="report", of=("intervals", "audit"), group="Output", metavar="PATH", several=True,
        first=True, declared=False, peers=("out", "output", "html"),
        help="Write a report: .html .md .json .csv .txt, by suffix, or FORMAT:PATH. A FORMAT alone,"
        " such as html, writes to reports/. What is there is replaced. Repeat for more.",
    ),
    Option(
        key="interval", of=("intervals",), group="Measures and tests", kind="flag", default=False,
        first=True,
        help="Say between which limits each mean lies, in a table in the place of the lines.",
    ),
    Option(
        key="at_least", of=("intervals",), group="Gates", metavar="MEASURE:X", several=True,
        first=True, peers=("floor", "threshold", "min"),
        help="A floor, as nDCG@10:0.35. The exit code is 1 unless the lower end of the interval"
        " clears it, for every run. Repeat for more.",
    ),
    Option(
        key="test", of=("intervals",), group="Measures and tests", kind="choice",
        default="bootstrap", choices=("bootstrap", "t", "permutation", "bounded"),
        help="What gives the interval: the studentised bootstrap, Student's t, sign flips of the"
        " centred scores, or bets, which hold for any scores of a bounded measure.",
    ),
    Option(
        key="figures", of=PAIR, group="Output", kind="folder", metavar="DIR", declared=False,
        help="Write the figures that a paper uses as PDF, in the width of a column; svg:DIR and"
        " png:DIR (300 dpi) write these.",
    ),
    Option(
        key="all_figures", of=("render",), group="Output", kind="flag", default=False,
        declared=False,
        help="In .html, draw also the figures that show again what others show.",
    ),
    Option(
        key="format", of=PAIR, group="Output", kind="choice", default="text", first=True,
        declared=False, peers=("json",),
        choices=("text", "html", "md", "json", "csv", "tex", "methods", "bib", "junit", "parquet"),
        help="What goes to standard output.",
    ),
    Option(
        key="format", of=MANY, group="Output", kind="choice", default="text", first=True,
        declared=False, peers=("json",), choices=("text", "html", "json", "csv", "md", "tex"),
        help="What goes to standard output.",
    ),
    Option(
        key="format", of=("power", "margin", "aa"), group="Output", kind="choice", default="text",
        first=True, declared=False, choices=("text", "json", "csv"),
        help="What goes to standard output.",
    ),
    Option(
        key="measure", name="measures", short="-m", of=("evaluate",), group="Measures and tests",
        kind="measure", metavar="NAME", several=True, first=True,
        peers=("metrics", "metric", "eval_metrics"),
        help="Measure, as nDCG@10, map, mrr@10. In any dialect. Repeat for more.",
    ),
    Option(
        key="measure", short="-m", of=("margin", "agreement", "audit"), group="Measures and tests",
        kind="measure", metavar="NAME", default="nDCG@10", first=True, peers=("metric", "metrics"),
        help="Measure, in any dialect; without it nDCG@10.",
    ),
    Option(
        key="measure", short="-m", of=("power", "aa", "sample"), group="Measures and tests",
        kind="measure", metavar="NAME", first=True, peers=("metric", "metrics"),
        help="Measure, in any dialect; without it nDCG@10.",
    ),
    Option(
        key="power", of=("power", "margin", "audit"), group="Planning", kind="number", default=0.8,
        metavar="X", first=True, peers=("target",),
        help="Probability with which a test is to show the difference.",
    ),
    Option(
        key="sd", of=("power", "margin", "audit"), group="Planning", kind="number",
        metavar="X", first=True,
        help="Standard deviation of the differences, where no runs tell it.",
    ),
    Option(
        key="interval", of=BOARD, group="Output", kind="choice", default="difference",
        declared=False, choices=("difference", "own", "within"),
        help="What the intervals are of: the difference from the first or the baseline, as the test"
        " has it; each mean by itself; or the means with the queries' difficulty taken out.",
    ),
    Option(
        key="digits", of=("render", *MANY), group="Output", kind="count", least=1, most=15,
        metavar="N", declared=False,
        help="Decimals of scores and differences; without it as many as the interval that decides"
        " asks for, 3 at least.",
    ),
    Option(
        key="style", of=("render", *BOARD), group="Output", kind="choice", declared=False,
        choices=("interval", "superscript"),
        help="What a .tex table shows: difference, interval and p, or means with superscripts.",
    ),
    Option(
        key="color", of=(*PAIR, "intervals", "audit"), group="Output", kind="choice",
        default="auto", declared=False, choices=("auto", "always", "never"),
        help="Colour the terminal's text; NO_COLOR and FORCE_COLOR are honoured.",
    ),
    Option(
        key="ascii", of=(*PAIR, *MANY, "intervals", "audit"), group="Output", kind="flag",
        default=False, declared=False, help="Write ASCII characters only.",
    ),
    Option(
        key="quiet", short="-q", of=(*PAIR, *MANY, "intervals"), group="Output", kind="flag",
        default=False, declared=False, help=_NOTED,
    ),
    Option(
        key="verbose", short="-v", of=(*PAIR, *MANY), group="Output", kind="flag", default=False,
        declared=False, help="Say how long each stage took.",
    ),
)  # fmt: skip
