"""A sweep over objects of an S3-compatible server: workers read them, and what is written holds no key."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from binary_samples import table
from packed_chats import CHATS, PACKED

from historylab.cli.main import main
from historylab.formats.files.object_stores import Stamp, list_objects

SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYzzzzz"
LINES = "".join(json.dumps(chat) + "\n" for chat in CHATS[:20]).encode()

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("object store")]


@pytest.fixture(scope="module")
def environment() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(scope="module")
def bucket(environment) -> Iterator[Any]:
    """A bucket on a server of this machine, of which the environment alone knows."""
    moto = pytest.importorskip("moto.server", reason="needs an S3-compatible server: pip install 'moto[server]'")
    pytest.importorskip("s3fs", reason="needs s3fs: pip install 'historylab[cloud]'")
    import fsspec

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    where = {"AWS_ENDPOINT_URL": "http://{}:{}".format(*server.get_host_and_port()), "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**where, "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLQ", "AWS_SECRET_ACCESS_KEY": SECRET}.items():
        environment.setenv(name, value)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.mkdir("chats")
    files.pipe("chats/logs/a.jsonl", LINES)
    files.pipe("chats/logs/b.jsonl.gz", PACKED["gz"])
    files.pipe("chats/logs/c.jsonl.zst", PACKED["zst"])
    files.pipe("chats/table/day=1/part-0.parquet", table(CHATS[:30], row_group_size=10))
    files.pipe("chats/table/day=2/part-0.parquet", table(CHATS[30:70], row_group_size=10))
    files.pipe("chats/table/_SUCCESS", b"")
    yield files
    server.stop()


def swept(capsys, *given: str) -> tuple[int, str]:
    code = main(["sweep", *given, "--grid", "budget=1000,4000"])
    said = capsys.readouterr()
    return code, said.out + said.err


def written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_lines_and_tables_are_read_by_two_processes_and_no_key_is_written(bucket, tmp_path, capsys):
    out = tmp_path / "sweep.jsonl"
    given = ("s3://chats/logs/*.jsonl*", "s3://chats/table", "s3://chats/none.jsonl")
    code, said = swept(capsys, *given, "--workers", "2", "--out", str(out))
    assert code == 0
    rows = pandas.read_json(out, lines=True)
    assert rows.groupby("file").size().to_dict() == {
        "s3://chats/logs/a.jsonl": 2 * 20,
        "s3://chats/logs/b.jsonl.gz": 2 * len(CHATS),
        "s3://chats/logs/c.jsonl.zst": 2 * len(CHATS),
        "s3://chats/table/day=1/part-0.parquet": 2 * 30,
        "s3://chats/table/day=2/part-0.parquet": 2 * 40,
    }
    assert "there is no object 's3://chats/none.jsonl'" in said
    assert SECRET not in said and "AKIA" not in said
    assert SECRET.encode() not in written(tmp_path) and b"AKIA" not in written(tmp_path)


def test_an_object_that_changed_is_measured_anew_and_no_other(bucket, tmp_path, capsys):
    given = ("s3://chats/logs/a.jsonl", "s3://chats/table/day=1", "--out", str(tmp_path / "sweep.parquet"))
    swept(capsys, *given)
    assert "nothing was left to do" in swept(capsys, *given)[1]
    bucket.pipe("chats/logs/a.jsonl", LINES.replace(b"chat 1", b"talk 1"))
    assert "100 rows written" in (said := swept(capsys, *given)[1]) and "60 of them measured before" in said
    bucket.pipe("chats/logs/a.jsonl", LINES)


def test_a_stamp_is_the_size_and_what_the_store_calls_the_version(bucket):
    ((address, stamp),) = list_objects("s3://chats/logs/a.jsonl")
    expected: Stamp = (len(LINES), bucket.info("chats/logs/a.jsonl")["ETag"])
    assert (address, stamp) == ("s3://chats/logs/a.jsonl", expected)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("s3://no-such-bucket/a.jsonl", "there is no object 's3://no-such-bucket/a.jsonl'; check the bucket"),
        ("s3://no-such-bucket/*.jsonl", "there is no object 's3://no-such-bucket/*.jsonl'; check the bucket"),
        (f"s3://AKIAIOSFODNN7EXAMPLQ:{SECRET}@chats/logs", "s3://chats/… was given with credentials or options in it"),
    ],
)
def test_a_wrong_address_is_one_line(bucket, capsys, given, said):
    code, told = swept(capsys, given)
    assert code in (1, 2) and said in told and SECRET not in told and told.count("\n") == 1


def test_a_store_that_does_not_answer_is_one_line(bucket, capsys):
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        patched.setattr(type(bucket), "retries", 1)
        type(bucket).clear_instance_cache()
        code, told = swept(capsys, "s3://chats/logs/a.jsonl")
    type(bucket).clear_instance_cache()
    assert code == 1 and "'s3://chats/logs/a.jsonl' can't be read: " in told and told.count("\n") == 1
