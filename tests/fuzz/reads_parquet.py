"""Score the Parquet files whose names come by standard input, by both doors; a line of JSON each.

A process of its own: a fault within Arrow would end that of the tests.
"""

import json
import sys
import traceback
from typing import Any

import abrank
from abrank.engines import Engine
from tests.safety.damaged_parquet import QRELS

DOORS = {"whole": None, "partitions": Engine(rows=100)}


def outcome(path: str, engine: Engine | None) -> Any:
    """Scores by query, the words of a refusal, or a fault of our own."""
    try:
        scores = abrank.evaluate(QRELS, {"A": path}, ["RR", "AP"], engine=engine)
    except abrank.AbrankError as error:
        return {"refused": str(error), "code": error.exit_code}
    except Exception:  # noqa: BLE001 - any: it is what the command line would call its own fault
        return {"fault": traceback.format_exc()}
    return {"scores": dict(zip(scores.query_ids, scores.of("A").tolist(), strict=True))}


if __name__ == "__main__":
    for line in sys.stdin:
        found = {door: outcome(line.strip(), engine) for door, engine in DOORS.items()}
        print(json.dumps(found), flush=True)
