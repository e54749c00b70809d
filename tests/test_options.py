"""Every option is said once: signatures, flags and keys of a rule file are held to it."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import abrank
from abrank import Anytime, ArgumentError, Clusters, Engine, Looks, Machine, Planned, Question
from abrank import Scoring as HowScored
from abrank.options import Inputs, RankingQuestion
from abrank.options.parts import options_in, parts_of
from abrank.options.values import (
    COMMANDS,
    DESIGN,
    PAIR,
    PARTS,
    build,
    flag_of,
    flattened,
    nested,
    options_of,
    python_spelling,
)
from abrank.rule_file import answered_by

TAKERS = {
    "compare": Question, "compare_scores": Question, "compare_collections": Question,
    "rank": RankingQuestion, "rank_scores": RankingQuestion, "rank_collections": RankingQuestion,
    "evaluate": Question,
}  # fmt: skip
# What is no option: the inputs, and systems of one table that are to be taken.
OWN = {"a", "b", "qrels", "runs", "scores", "collections", "config", "baseline", "candidate"}
# A ready score that is missing is an error, not 0.
OTHER_DEFAULT = {("rank_scores", "missing"), ("compare_scores", "missing")}


@pytest.mark.every_case
@pytest.mark.parametrize("taker", TAKERS)
def test_a_signature_says_what_the_options_say(taker: str) -> None:
    parameters = inspect.signature(getattr(abrank, taker)).parameters
    assert len(parameters) <= 26
    names = {option.name: option for option in options_of(taker).values() if option.name}
    kinds = {field.name: field for field in fields(TAKERS[taker])}
    for name, parameter in parameters.items():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        if name in PARTS or name == "design" or (name in OWN and name not in names):
            continue
        assert name in names, name
        if (taker, name) not in OTHER_DEFAULT and parameter.default is not inspect.Parameter.empty:
            assert parameter.default == names[name].default, name
        if name in kinds:
            assert parameter.annotation == kinds[name].type, name


@pytest.mark.every_case
@pytest.mark.parametrize("taker", TAKERS)
def test_every_option_of_a_function_can_be_given(taker: str) -> None:
    """As a keyword, in the object of a keyword, or in the Question that config= takes."""
    parameters = inspect.signature(getattr(abrank, taker)).parameters
    for key, option in options_of(taker).items():
        if not option.name or key in DESIGN:
            continue
        part = next((word for word, kind in PARTS.items() if option in options_in(kind)), None)
        rare = f"Question({option.name}=" in python_spelling(key, taker)
        word = (
            ("config" if rare else option.name)
            if (taker, option.name) in OTHER_DEFAULT or not part
            else part
        )
        assert word in parameters, (taker, key)


def test_what_is_given_arrives() -> None:
    """Each keyword of compare, with another value than its default, is in the question."""
    heard: list[tuple[Any, Any]] = []

    def listen(inputs: Any, question: Any) -> str:
        heard.append((question, inputs))
        return "found"

    signature: Any = abrank.compare
    compare = answered_by(listen, Question, "qrels", "a", "b")(signature.__wrapped__)
    second: dict[str, Any] = {
        "measures": ["AP"], "margin": 0.1, "require": "better", "guard": "RR:-0.1",
        "accept_doubt": True, "alpha": 0.1, "test": "sign", "lower_is_better": ["ms"],
        "design": (Looks(1, of=2),), "scoring": HowScored(rel=2), "machine": Machine(qrels="m"),
        "engine": Engine("dask"), "resamples": 99, "rng": 7,
    }  # fmt: skip
    assert compare("q", {}, {}, **second) == "found"
    assert {name: getattr(heard[-1][0], name) for name in second} == second
    compare("q", {}, {}, fail_on="worse", config=Question(family="all", primary="AP"))
    assert (heard[-1][0].gate, heard[-1][0].family) == ("no-significant-loss", "all")
    about = {"segments": 1, "topics": 2, "docs": 3}
    compare("q", {}, {}, name_a="one", name_b="two", **about)
    assert heard[-1][1] == Inputs(qrels="q", a={}, b={}, name_a="one", name_b="two", **about)


@pytest.mark.every_case
@pytest.mark.parametrize("command", COMMANDS)
def test_flags_have_the_names_of_keys(command: str) -> None:
    longs = [option.long for option in options_of(*COMMANDS[command]).values()]
    assert len(set(longs)) == len(longs)
    assert all("_" not in long and "." not in long for long in longs)


def test_values_come_back_from_keys() -> None:
    keywords = {
        "measures": ["AP"], "scoring": HowScored(depth=9), "engine": Engine("dask:tcp://x"),
        "machine": Machine(scores=("a", "b"), judge="m"), "rng": 3,
        "design": (Clusters("u.csv"), Planned(400, spending="pocock", earlier="one.json")),
    }  # fmt: skip
    assert nested(flattened(keywords)) == keywords
    assert nested(flattened({"design": Anytime(9)}))["design"] == (Anytime(9),)
    assert nested(flattened({"design": None}))["design"] is None
    assert nested({"as": "trec_eval9"})["scoring"].interpolation == "9"
    assert build(Question, nested(flattened(keywords))).look is None


@pytest.mark.every_case
@pytest.mark.parametrize(("design", "parts"), [
    (None, ()),
    ("2/4", (Looks(2, of=4),)),
    ((2, 4), (Looks(2, of=4),)),
    ("1/3:pocock", (Looks(1, of=3, spending="pocock"),)),
    ("users.csv", (Clusters("users.csv"),)),
    (Anytime(9), (Anytime(9),)),
    ([Clusters("u"), Looks(1, of=2)], (Clusters("u"), Looks(1, of=2))),
])  # fmt: skip
def test_a_design_is_a_text_a_tuple_or_its_parts(design: Any, parts: Any) -> None:
    assert parts_of(design) == parts
    assert Question(design=design).design == (parts or None)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Looks(5, of=4), "look 5 of 4 is impossible"),
        (lambda: Looks.read("2of4"), "such as 2/4, not '2of4'"),
        (lambda: Looks(1, of=2, spending="x"), "unknown spending"),  # type: ignore[arg-type]
        (lambda: Planned.read("many"), "a number of queries, such as 400"),
        (lambda: Planned(0), "planned must be a whole number of at least 1"),
        (lambda: Anytime(0), "anytime must be"),
        (lambda: parts_of((Anytime(1), Anytime(2))), "each once"),
        (lambda: parts_of(3), "design is Clusters"),  # type: ignore[arg-type]
        (lambda: Machine(judge="m"), "machine.judge .* needs machine judgments"),
        (lambda: Machine(qrels="m", scores="n"), "not both"),
        (lambda: Engine("hadoop"), "unknown engine"),
        (lambda: Engine("local", "tcp://x"), "the engine local has no address"),
        (lambda: HowScored(missing="x"), "unknown missing"),  # type: ignore[arg-type]
        (lambda: Question(require="better", fail_on="worse"), "two different gates"),
        (lambda: Question(require="best"), "unknown require"),  # type: ignore[arg-type]
        (lambda: Question(fail_on="better"), "unknown fail_on"),
        (lambda: nested({"earlier": "one.json"}), "say with --config planned=N"),
    ],
)
def test_what_has_no_meaning_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises((ArgumentError, abrank.UnknownNameError), match=said):
        make()


@pytest.mark.every_case
@pytest.mark.parametrize(("word", "taker", "ours"), [
    ("depth", "compare", "scoring=Scoring(depth=...)"),
    ("depth", "rank", "scoring=Scoring(depth=...)"),
    ("clusters", "compare_scores", "design=Clusters(...)"),
    ("family", "compare", "config=Question(family=...)"),
    ("machine_qrels", "compare", "machine=Machine(qrels=...)"),
    ("shared_model", "compare", "machine=Machine(shared_model=...)"),
    ("keep_scores", "compare", "engine=Engine(keep_scores=...)"),
    ("names", "compare", "name_a= and name_b="),
    ("n_boot", "rank_scores", "resamples="),
    ("depth", "rank_scores", ""),
])  # fmt: skip
def test_a_wrong_keyword_finds_the_right_one(word: str, taker: str, ours: str) -> None:
    assert python_spelling(word, taker) == ours


def test_a_question_is_a_rule_in_python() -> None:
    a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.1}, {"q1": 0.3, "q2": 0.6, "q3": 0.2}
    rule = Question(margin=0.1, alpha=0.1, test="sign", adjust="holm")
    result = abrank.compare_scores(a, b, config=rule, test="t").rule
    assert (result.margin, result.alpha, result.test, result.adjust) == (0.1, 0.1, "t", "holm")
    with pytest.raises(ArgumentError, match=r"depth of the Question is not for abrank.compare_sc"):
        abrank.compare_scores(a, b, config=Question(scoring=HowScored(depth=3)))


def test_a_rule_file_serves_scores_and_collections(tmp_path: Path) -> None:
    for name, gain in (("a", 0.0), ("b", 0.1), ("c", 0.2)):
        rows = "".join(f"q{i},{(i % 7) / 10 + gain * (i % 3)}\n" for i in range(30))
        (tmp_path / f"{name}.csv").write_text(f"query_id,AP\n{rows}")
    rule = tmp_path / "rule.toml"
    rule.write_text('scores = ["a.csv", "b.csv"]\nmargin = 0.05\nresamples = 999\n')
    comparison = abrank.compare_scores(config=rule)
    assert (comparison.rule.margin, comparison.baseline) == (0.05, "a")
    assert comparison.provenance["declared"]["deviations"] == []
    (tmp_path / "table.tsv").write_text("name\ta\tb\none\ta.csv\tb.csv\ntwo\ta.csv\tc.csv\n")
    rule.write_text('collections = "table.tsv"\nalpha = 0.1\nfamily = "all"\n')
    both = abrank.compare_collections(config=rule, alpha=0.05)
    assert both.alpha == 0.05
    (changed,) = both.provenance["declared"]["deviations"]
    assert changed == {"setting": "alpha", "declared": "0.1", "used": "0.05"}
    rule.write_text('[machine]\nscores = ["a.csv", "b.csv"]\njudge = "m"\n')
    with pytest.raises(ArgumentError, match=r"machine.scores is not for abrank.compare_coll"):
        abrank.compare_collections({}, config=rule)


def test_collections_take_some_options_of_a_pair() -> None:
    assert options_of("compare_collections").keys() < options_of(*PAIR).keys()


def test_a_flag_that_a_command_lacks_is_told() -> None:
    assert (flag_of("--metrics", *PAIR), flag_of("--depth", *PAIR), flag_of("--depthh", *PAIR)) == (
        "--measure",
        "--config depth=...",
        "",
    )
