"""A path is passed on where no server reads it in two ways; it says the app and whose API is asked."""

from __future__ import annotations

import pytest

from historylab.proxy.routes import first_product, is_base, route_of


def form_of(path: str, method: str = "POST") -> str | None:
    found = route_of(method, path.encode(), "")
    return found.form if found else None


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/v1/chat/completions", "chat_completions"),
        ("/v1/messages", "anthropic"),
        ("/v1/responses", "responses"),
        ("/ferry-bot/v1/messages", "anthropic"),
        ("/v1/messages/", "anthropic"),
        ("/openai/deployments/pier-7/chat/completions", "chat_completions"),
        ("/api/paas/v4/chat/completions", "chat_completions"),
        ("/openai/v1/responses", "responses"),
        ("/chat/completions", "chat_completions"),
        ("/v1/chat/%63ompletions", "chat_completions"),
        ("/v1/messages/count_tokens", ""),
        ("/v1/embeddings", ""),
        ("/v1/models/ft:small-1", ""),
        ("/v1", ""),
    ],
)
def test_the_apis_that_take_messages_are_known_and_all_else_passes_through(path, form):
    assert form_of(path) == form


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/v2/models", "/v1x", "/a/b/v1/files", "/admin", "/messages/new", "/a/xmessages", "/a/b/../messages"),
        *("/v1//messages", "//v1/messages", "/v1/./messages", "/v1/../secrets", "/../v1/messages", "/v1/..;/secrets"),
        *("/v1/%2e%2e/secrets", "/v1/a%2Fb", "/v1/a%5cb", "/v1/a%00b", "/v1/a%0ab", "/v1/a%252fb", "/v1/a%zz"),
        *("http://other.example/v1/messages", "other.example:443", "*", "/v1/messages#a", "/v1/a\\b", "/v1/é"),
    ],
)
def test_any_other_path_is_refused(path):
    assert form_of(path) is None


def test_only_a_post_carries_messages():
    assert form_of("/v1/messages", "GET") == ""
    assert form_of("/v1/messages", "CONNECT") is form_of("/v1/messages", "TRACE") is None


def test_the_app_is_named_by_the_path_or_else_by_its_own_name():
    assert route_of("POST", b"/ferry-bot/v1/messages", "OpenAI/Python 3.1").app == "ferry-bot"
    assert route_of("POST", b"/v1/messages", "ferry-desk/1.0 OpenAI/Python").app == "ferry-desk"
    assert route_of("POST", b"/openai/deployments/D/chat/completions", "ferry-desk/1.0").app == "ferry-desk"
    assert first_product("") == first_product("<script>") == ""


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1/messages", "/v1/messages"),
        ("/ferry-bot/v1/messages", "/v1/messages"),
        ("/messages", "/v1/messages"),
        ("/messages/count_tokens", "/v1/messages/count_tokens"),
        ("/ferry-bot/v1beta/models", "/v1beta/models"),
        ("/openai/v1/responses", "/openai/v1/responses"),
        ("/openai/deployments/pier-7/chat/completions", "/openai/deployments/pier-7/chat/completions"),
        ("/api/paas/v4/chat/completions", "/api/paas/v4/chat/completions"),
    ],
)
def test_the_name_of_an_app_goes_no_further_and_a_path_of_a_provider_s_own_goes_whole(path, asked):
    assert route_of("POST", path.encode(), "").path == asked.encode()


def test_a_question_whether_anything_is_there_is_no_request():
    assert is_base("HEAD", b"/") and is_base("GET", b"/") and is_base("HEAD", b"/ferry-bot/")
    assert not (is_base("POST", b"/") or is_base("HEAD", b"/v1") or is_base("HEAD", b"/a/b") or is_base("HEAD", b"/.."))


@pytest.mark.parametrize(
    ("method", "path", "may"),
    [
        *(("POST", "/v1/embeddings", True), ("POST", "/v1/completions", True), ("PUT", "/v1/files/1", True)),
        *(("POST", "/v1/messages", False), ("POST", "/v1/messages/count_tokens", False), ("GET", "/v1/models", False)),
        ("POST", "/v1/messages/batches", True),
    ],
)
def test_text_that_no_filter_sees_may_be_in_other_posts_alone(method, path, may):
    assert route_of(method, path.encode(), "").may_carry_text(method) is may
