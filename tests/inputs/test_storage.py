"""Objects of a store are read as the files they are copies of: in memory, and of a server of S3."""

import gzip
import logging
import sys

import numpy as np
import pandas as pd
import pytest
from pyarrow import fs

import abrank
from abrank._support.errors import ArgumentError, NotFoundError

fsspec = pytest.importorskip("fsspec")

QUERIES = range(30)
TREC = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
QRELS = "".join(f"q{i} 0 d{j} {int((i + j) % 3 == 0)}\n" for i in QUERIES for j in range(10))


def ranked(step: int) -> str:
    return "".join(
        f"q{i} Q0 d{(j * step + i) % 10} {j + 1} {10 - j} x\n" for i in QUERIES for j in range(10)
    )


@pytest.fixture
def folder(tmp_path):
    scores = pd.DataFrame(
        {"query_id": [f"q{i}" for i in QUERIES], "A": [i / 30 for i in QUERIES],
         "B": [(7 * i % 30) / 25 for i in QUERIES]}
    )  # fmt: skip
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(ranked(3))
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(ranked(7).encode()))
    scores.to_csv(tmp_path / "scores.csv", index=False)
    scores.to_parquet(tmp_path / "scores.parquet", index=False)
    for name in ("a.run", "b.run.gz"):
        table = pd.read_csv(tmp_path / name, sep=" ", names=TREC)
        (tmp_path / name[0]).mkdir()
        for part in range(3):
            rows = table[table.query_id.str[1:].astype(int) // 10 == part]
            rows.to_parquet(tmp_path / name[0] / f"part-{part}.parquet", index=False)
    return tmp_path


@pytest.fixture(scope="session")
def s3_server():
    """Start a server that speaks S3 on this machine, and return its address."""
    moto = pytest.importorskip("moto.server", reason="needs moto[server]")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request
    server = moto.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["memory", pytest.param("s3", marks=pytest.mark.slow)])
def store(request, folder, monkeypatch):
    """Copy the files of ``folder`` to a store, and return its URI."""
    if request.param == "memory":
        memory = fsspec.filesystem("memory")
        memory.put(f"{folder}/", "/store/", recursive=True)
        yield "memory://store"
        memory.rm("/store", recursive=True)
        return
    options = {
        "AWS_ENDPOINT_URL": request.getfixturevalue("s3_server"), "AWS_ACCESS_KEY_ID": "user",
        "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1",
    }  # fmt: skip
    for name, value in options.items():
        monkeypatch.setenv(name, value)
    address = options["AWS_ENDPOINT_URL"]
    remote = fs.S3FileSystem(endpoint_override=address, allow_bucket_creation=True)
    remote.create_dir("store")
    for file in folder.rglob("*.*"):
        name = file.relative_to(folder).as_posix()
        with remote.open_output_stream(f"store/{name}", compression=None) as stream:
            stream.write(file.read_bytes())
    yield "s3://store"


def test_runs_and_judgments_are_those_of_the_files(folder, store) -> None:
    names = ("qrels.txt", "a.run", "b.run.gz")
    there = abrank.compare(*(f"{store}/{name}" for name in names), measures="AP")
    here = abrank.compare(*(folder / name for name in names), measures="AP")
    assert there.n_queries == len(QUERIES)
    np.testing.assert_array_equal([there.a, there.b], [here.a, here.b])
    assert there.rows == here.rows
    assert there.evidence == here.evidence
    for role in ("qrels", "a", "b"):
        mine, theirs = (item.provenance["inputs"][role] for item in (there, here))
        assert mine["sha256"] == theirs["sha256"]
        assert mine["path"].startswith(f"{store}/")


@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet"])
def test_scores_are_those_of_the_file(folder, store, name, command) -> None:
    there, here = (abrank.compare_scores(f"{at}/{name}") for at in (store, folder))
    assert there.rows == here.rows
    np.testing.assert_array_equal([there.a, there.b], [here.a, here.b])
    assert "30 queries" in command(["compare", "--scores", f"{store}/{name}"]).out


def test_partitions_of_a_run_are_those_of_the_file(folder, store) -> None:
    there = abrank.compare(
        f"{store}/qrels.txt", f"{store}/a", f"{store}/b/*.parquet", measures="AP", engine="local"
    )
    here = abrank.compare(
        folder / "qrels.txt", folder / "a.run", folder / "b.run.gz", measures="AP"
    )
    np.testing.assert_array_equal([there.a, there.b], [here.a, here.b])


def test_what_is_not_there_is_said(folder, store) -> None:
    with pytest.raises(NotFoundError, match=rf"{store}/c\.run: there is no such object"):
        abrank.compare(f"{store}/qrels.txt", f"{store}/c.run", folder / "a.run")


def test_a_store_that_nobody_knows_is_refused(folder) -> None:
    with pytest.raises(ArgumentError, match="Protocol not known"):
        abrank.compare("nowhere://qrels.txt", folder / "a.run", folder / "b.run.gz")


def test_a_package_that_a_store_needs_is_named(folder, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ArgumentError, match="huggingface_hub"):
        abrank.compare("hf://datasets/x/y/qrels.txt", folder / "a.run", folder / "b.run.gz")
