"""Plain decimals against one regular expression a text."""

from __future__ import annotations

import json
import re

import numpy as np

from abrank.inputs.scores.decimals import MOST_WHOLE, count_decimals, written

PLAIN = re.compile(rf"-?[0-9]{{1,{MOST_WHOLE}}}(?:\.([0-9]+))?")


def expected(text: str) -> int:
    found = PLAIN.fullmatch(text)
    return -1 if found is None else len(found[1] or "")


def test_short_texts_against_a_regular_expression() -> None:
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(list("01-.e x"), random.integers(0, 6))) for _ in range(4000)]
    texts += ["1" * 17, "1" * 18, "-" + "1" * 17 + ".5", "0." + "3" * 300, "٣", "0.5\x00", "\udce9"]
    assert count_decimals(texts).tolist() == [expected(text) for text in texts]


def test_a_text_of_two_lines_hides_no_number_as_another() -> None:
    assert count_decimals(["0.5", "1\n2", "3"]).tolist() == [-1, -1, -1]
    assert count_decimals(["0.5\n"]).tolist() == [-1]
    assert count_decimals([]).tolist() == []


def test_numbers_are_written_as_python_writes_them() -> None:
    random = np.random.default_rng(1)
    values = np.concatenate(
        [
            random.random(20_000),
            np.round(random.random(20_000), 4),
            random.normal(size=20_000) * 10.0 ** random.integers(-8, 19, 20_000),
            random.integers(0, 2**63, 20_000).view(np.float64),
            [0.0, -0.0, 1.0, -3.0, 1e-4, 9.999e-5, 1e9, 1e9 - 0.5, 5e-324, 1e22, 2.0**53],
        ]
    )
    values = values[np.isfinite(values)]
    assert written(values, ", ") == json.dumps(values.tolist())[1:-1]
    assert written(values[:1][::-1], ",") == repr(float(values[0]))
