"""What belongs to one connection stays behind, what belongs to the message is passed on, keys stand in no record."""

from __future__ import annotations

from historylab.proxy.headers import LONGEST_SKETCH, secrets_in, sketch_header, to_client, to_upstream


def raw(**headers: str) -> list[tuple[bytes, bytes]]:
    return [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]


def names(headers: list[tuple[bytes, bytes]]) -> list[str]:
    return [name.decode() for name, _ in headers]


def test_headers_of_one_connection_and_those_it_names_are_dropped_both_ways():
    given = raw(
        connection="keep-alive, X-Hop", x_hop="1", keep_alive="5", te="trailers", transfer_encoding="chunked",
        upgrade="h2c", http2_settings="a", proxy_authorization="Basic x", anthropic_version="2023-06-01",
    )  # fmt: skip
    assert names(to_upstream(given, readable=False)) == names(to_client(given)) == ["anthropic-version"]


def test_the_upstream_gets_its_own_host_and_no_header_of_ours():
    given = raw(host="127.0.0.1:8484", content_length="9", expect="100-continue", historylab_token="t", x_api_key="k")
    assert names(to_upstream(given, readable=False)) == ["x-api-key"]


def test_an_answer_that_is_to_be_read_is_asked_for_uncompressed():
    given = raw(accept_encoding="gzip, br", accept="*/*")
    assert to_upstream(given, readable=False) == given
    assert to_upstream(given, readable=True) == [*raw(accept="*/*"), *raw(accept_encoding="identity")]


def test_no_upstream_speaks_in_our_name_and_repeated_headers_stay_repeated():
    given = [(b"Historylab-Mode", b"audit"), (b"Set-Cookie", b"a=1"), (b"Set-Cookie", b"b=2"), (b"Retry-After", b"3")]
    assert to_client(given) == [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2"), (b"retry-after", b"3")]


def test_keys_are_found_wherever_clients_send_them():
    assert secrets_in(raw(authorization="Bearer sk-abcdef", x_api_key="key-1234")) == ["sk-abcdef", "key-1234"]
    assert secrets_in(raw(authorization="Bearer ollama", cookie="notakeyatall")) == []
    given = raw(authorization="Basic bWU6cGFzczE=", cookie='seen=1; chat="key-1234"', x_goog_api_key="key-5678")
    assert secrets_in(given) == ["bWU6cGFzczE", "key-1234", "key-5678"]
    given = raw(helicone_auth="BEARER key-1234", traceparent="00-4bf92f3577b34da6")
    assert secrets_in(raw(x_author="claude-code", x_design="grid-12345", x_keyboard="qwertz-105")) == []
    assert secrets_in(given, b"key=k%2F567890&api-version=2026-10-21") == ["key-1234", "k/567890"]


def test_a_long_sketch_is_cut_to_its_newest_runs():
    assert sketch_header("P1D20K9") == "P1D20K9"
    cut = sketch_header("K10D1" * 200)
    assert len(cut) <= LONGEST_SKETCH and cut.startswith("...") and cut[3].isalpha() and cut.endswith("K10D1")
