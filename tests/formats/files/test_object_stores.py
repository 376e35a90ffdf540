"""Object stores: what an address finds, how it is read, and that no key is ever told."""

from __future__ import annotations

import json
import sys

import pytest
from binary_samples import table
from packed_chats import CHATS, PACKED, TITLES

from historylab import load
from historylab.errors import LoadError, MissingLibrary, SettingsError
from historylab.formats.files import object_stores
from historylab.formats.files.folders import files_at
from historylab.formats.files.object_stores import list_objects, open_file
from historylab.formats.files.pieces import Piece
from historylab.tuning import corpus
from historylab.tuning.corpus import to_sources

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def store():
    """A bucket in the memory of this process, as every file system of fsspec is written to."""
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(corpus, "SOURCE_BYTES", 300_000)


def lines(chats) -> bytes:
    return "".join(json.dumps(chat) + "\n" for chat in chats).encode()


def titles(*addresses: str) -> list[str]:
    return [chat.title for source in to_sources(addresses) for chat in source.read()]


def test_an_object_is_found_by_its_address_below_a_prefix_and_by_wildcards(store):
    names = ["a/one.jsonl", "a/day=1/two.jsonl", "a/day=2/three.jsonl.gz", "b/four.jsonl"]
    for name in [*names, "a/_SUCCESS", "a/_delta_log/0.json", "a/.hidden/x.jsonl"]:
        store.pipe(f"/bucket/{name}", lines(CHATS[:1]))

    def found(address: str) -> list[str]:
        return [address.removeprefix("memory://bucket/") for address in files_at(address)]

    assert found("memory://bucket/a/one.jsonl") == ["a/one.jsonl"]
    assert found("memory://bucket/a") == found("memory://bucket/a/") == sorted(names[:3])
    assert found("memory://bucket/a/day=*") == found("memory://bucket/a/*/*.jsonl*") == names[1:3]
    assert found("memory://bucket/**/*.jsonl") == sorted([names[0], names[1], names[3]])
    assert found("memory://bucket/c/*.jsonl") == ["c/*.jsonl"]


@pytest.mark.parametrize(
    ("name", "data", "unit"),
    [
        ("chats.jsonl", lines(CHATS), "byte"),
        ("chats.jsonl.gz", PACKED["gz"], "packed byte"),
        ("chats.jsonl.zst", PACKED["zst"], "packed byte"),
        ("dt=1/chats.parquet", table(CHATS, row_group_size=30), "row"),
    ],
)
def test_an_object_is_read_in_pieces_of_ranges_and_never_whole(store, monkeypatch, name, data, unit):
    store.pipe(f"/bucket/{name}", data)
    asked = []
    whole = type(store).cat_file
    monkeypatch.setattr(type(store), "cat_file", lambda *given, **at: asked.append(at) or whole(*given, **at))
    found = list(to_sources([f"memory://bucket/{name}"]))
    assert len(found) > 2 and {piece.unit for piece in found} == {unit}
    assert [chat.title for piece in found for chat in piece.read()] == TITLES
    assert max(at["end"] - at["start"] for at in asked) < len(data) / 1.3


def test_an_object_of_any_other_kind_is_read_whole(store):
    store.pipe("/bucket/chats.json.zst", PACKED["zst"])
    assert titles("memory://bucket/chats.json.zst") == TITLES
    assert [chat.title for chat in load("memory://bucket/chats.json.zst")] == TITLES


def test_many_small_objects_are_listed_and_not_looked_at(store, monkeypatch):
    for n in range(50):
        store.pipe(f"/bucket/{n:02}.jsonl", lines(CHATS[n : n + 1]))
    with monkeypatch.context() as patched:
        patched.setattr(object_stores, "ObjectFile", lambda *_: pytest.fail("an object was opened"))
        found = list(to_sources(["memory://bucket"]))
    assert [chat.title for piece in found for chat in piece.read()] == TITLES[:50]


def test_an_object_that_was_written_anew_has_another_stamp(store):
    def stamp() -> object:
        ((_, found),) = list_objects("memory://bucket/chats.jsonl")
        return found

    store.pipe("/bucket/chats.jsonl", lines(CHATS[:2]))
    before = stamp()
    assert before == stamp() and before[0] == len(lines(CHATS[:2]))
    store.pipe("/bucket/chats.jsonl", lines(CHATS[:2]))
    assert stamp() != before


def test_what_is_not_there_is_said_when_it_is_read(store):
    store.pipe("/bucket/chats.jsonl", lines(CHATS[:1]))
    (missing,) = to_sources(["memory://bucket/none.jsonl"])
    assert missing == Piece("memory://bucket/none.jsonl")
    with pytest.raises(LoadError, match=r"there is no object 'memory://bucket/none\.jsonl'; check the bucket"):
        missing.read()


@pytest.mark.parametrize(
    "address",
    [
        "s3://AKIAIOSFODNN7EXAMPLQ:wJalrXUtnFEMI@bucket/a.jsonl",
        "s3://AKIAIOSFODNN7EXAMPLQ@bucket/a.jsonl",
        "s3://bucket/a.jsonl?access_key=AKIAIOSFODNN7EXAMPLQ&secret_key=wJalrXUtnFEMI",
        "az://bucket/a.jsonl?sv=2024&sig=wJalrXUtnFEMI",
        "az://me:wJalrXUtnFEMI@bucket/a.jsonl",
    ],
)
@pytest.mark.parametrize("read", [load, files_at, lambda address: list(to_sources([address]))])
def test_an_address_with_credentials_is_refused_and_not_repeated(address, read):
    with pytest.raises(
        SettingsError, match=r"(s3|az)://bucket/… was given with credentials .* in the environment"
    ) as no:
        read(address)
    assert "AKIA" not in str(no.value) and "wJal" not in str(no.value)


def test_an_address_that_names_no_bucket_is_refused():
    with pytest.raises(SettingsError, match="names no bucket; write s3://bucket/path"):
        files_at("s3://")


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (PermissionError("Forbidden"), "Forbidden; check the credentials in the environment"),
        (OSError("no route to http://me:hunter2@host:9000/bucket"), "no route to http://host:9000/bucket"),
        (RuntimeError("AKIAIOSFODNN7EXAMPLQ is no key"), r"\[redacted\] is no key"),
        (TimeoutError(), "can't be read: TimeoutError"),
    ],
)
def test_whatever_a_store_says_is_one_error_without_keys(store, monkeypatch, problem, said):
    def refuse(*_, **__):
        raise problem

    monkeypatch.setattr(type(store), "info", refuse)
    with pytest.raises(LoadError, match=f"^'memory://bucket/a.jsonl' can't be read: .*{said}$|{said}$"):
        open_file("memory://bucket/a.jsonl")


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingLibrary, match=r"reading s3:// needs fsspec, .* pip install 'historylab\[cloud\]'"):
        files_at("s3://bucket/a.jsonl")


def test_a_store_whose_library_is_missing_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "adlfs", None)
    with pytest.raises(MissingLibrary, match=r"reading az:// needs adlfs, .* pip install 'historylab\[cloud\]'"):
        files_at("az://bucket/a.jsonl")
