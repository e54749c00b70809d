"""Write every format of eleven comparisons and three rankings, and a list of their SHA-256.

Two versions of the program that are meant to print the same are told apart by it::

    python tests/write_outputs.py before      # on the one version
    python tests/write_outputs.py after       # on the other
    diff before/SHA256SUMS after/SHA256SUMS

The inputs are the demo's, and the runs of ``../shared/data`` where that folder is; without it only
what needs no other data is written, and the list says so.
"""

import hashlib
import os
import shlex
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DEMO = "qrels.txt old.run new.run"
ROBUST = "robust03/qrels.txt.gz robust03/runs/{}.run.gz robust03/runs/{}.run.gz"
COMPARISONS = {
    "demo": f"{DEMO} -m nDCG@10 -m AP -m RR -m ERR@20 -m P@10 -m R@100 --margin 0.01"
    " --topics topics.tsv --segments segments.csv --seed 9",
    "demo-defaults": DEMO,
    "demo-permutation": f"{DEMO} -m P@10 -m RR --test permutation --config adjust=holm"
    " --require better",
    "demo-same": "qrels.txt old.run old.run -m AP",
    "robust": ROBUST.format("Sel50", "THUIRr0301") + " -m nDCG@10 -m AP -m RR --margin 0.02",
    "robust-bootstrap": ROBUST.format("pircRBa1", "humR03dc") + " --test bootstrap -m AP -m P@10",
    "ltr": "ltr/qrels.txt ltr/runs/ridge.run ltr/runs/constant.run --test wilcoxon",
    "demo-collections": "--collections collections.tsv -m nDCG@10 -m AP",
    "demo-collections-segments": "--collections collections.tsv -m nDCG@10 -m AP"
    " --segments by_collection.csv --margin 0.01 --require non-inferior",
    "demo-collections-clusters": "--collections collections.tsv -m nDCG@10 --segments"
    " by_collection.csv --clusters user --guard AP:-0.02 --require better --config on=each",
    "partial": "partial/qrels.txt.gz partial/runs/a.run.gz partial/runs/b.run.gz -m AP",
}
COLLECTIONS = "name\tqrels\ta\tb\n" + "".join(
    f"{name}\tqrels.txt\told.run\tnew.run\n" for name in ("first", "second")
)
RANKINGS = {
    "demo-rank": f"{DEMO} -m nDCG@10",
    "robust-rank": "robust03/qrels.txt.gz "
    + " ".join(f"robust03/runs/{name}.run.gz" for name in ("Sel50", "InexpC2", "pircRBa1"))
    + " -m AP",
    "vaswani-rank": "vaswani/qrels.txt vaswani/runs/bm25_k09_b40.run.gz"
    " vaswani/runs/lsa100.run.gz vaswani/runs/tfidf_cos.run.gz -m nDCG@10 --baseline lsa100",
}
SUFFIXES = {
    "compare": ["json", "html", "md", "tex", "csv", "txt"],
    "rank": ["json", "html", "md", "tex", "csv", "txt"],
}


def run(command: str, verb: str, name: str, folder: Path) -> None:
    """Write all formats of one call, and what it prints."""
    files = [
        str(DATA / word) if (DATA / word).exists() and "/" in word else word
        for word in shlex.split(command)
    ]
    reports = [part for suffix in SUFFIXES[verb] for part in ("--report", f"{name}.{suffix}")]
    call = [sys.executable, "-m", "abrank", verb, *files, *reports]
    done = subprocess.run(call, cwd=folder, env=_environment(), capture_output=True, check=False)
    (folder / f"{name}.stdout").write_bytes(done.stdout)
    (folder / f"{name}.stderr").write_bytes(done.stderr + f"exit {done.returncode}\n".encode())


def _environment() -> dict[str, str]:
    return {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "NO_COLOR": "1", "COLUMNS": "80"}


def main(folder: Path) -> None:
    """Write all outputs and their hashes into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    demo = [sys.executable, "-m", "abrank", "demo", ".", "-q"]
    subprocess.run(demo, cwd=folder, check=True, env=_environment(), capture_output=True)
    (folder / "collections.tsv").write_text(COLLECTIONS, encoding="utf-8")
    lines = (folder / "segments.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [
        f"{name},{line},u{i // 4}" for name in ("first", "second") for i, line in enumerate(lines)
    ]
    table = ["collection,query_id,intent,user", *rows]
    (folder / "by_collection.csv").write_text("\n".join(table), encoding="utf-8")
    for verb, calls in (("compare", COMPARISONS), ("rank", RANKINGS)):
        for name, command in calls.items():
            if "/" in command and not DATA.is_dir():
                print(f"{name}: left out, it needs {DATA.name} beside the project")
                continue
            run(command, verb, name, folder)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
        for path in sorted(folder.iterdir())
        if path.name != "SHA256SUMS"
    ]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    print(f"{len(sums)} files in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
