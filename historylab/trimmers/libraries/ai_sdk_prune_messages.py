"""The AI SDK's `pruneMessages`, run by Node from the npm package `ai` of the current folder or of NODE_PATH.

In its list: all messages but the prompt, which stands outside, as `instructions`. Names aren't set. All parallel
results are one message. Asked: before each call of the model, as in `prepareStep`, with the whole history.
Source: ai, src/generate-text/prune-messages.ts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import weakref
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from historylab.errors import InstrumentError, MissingLibrary
from historylab.registry import register

ALL_OF = Literal["all", "before-last-message", "none"]
NODE = "ai_sdk.pruneMessages needs Node, which isn't on the path: install it (https://nodejs.org), then npm install ai"
PACKAGE = "ai_sdk.pruneMessages needs the npm package ai, in the current folder or in NODE_PATH: npm install ai"
SCRIPT = """
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const say = answer => process.stdout.write(JSON.stringify(answer) + '\\n')
let pruneMessages
try {
  const found = createRequire(process.cwd() + '/').resolve('ai')
  pruneMessages = (await import(pathToFileURL(found))).pruneMessages
} catch (problem) {
  if (problem.code !== 'MODULE_NOT_FOUND') throw problem
}
say({ found: typeof pruneMessages })
for await (const line of createInterface({ input: process.stdin })) {
  try {
    say({ messages: pruneMessages(JSON.parse(line)) })
  } catch (problem) {
    say({ error: String(problem) })
  }
}
"""


def package_version() -> str:
    """The version of the package that Node would find; "" where either is missing."""
    here = Path.cwd()
    folders = [folder / "node_modules" for folder in (here, *here.parents)]
    folders += [Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder]
    found = next((file for folder in folders if (file := folder / "ai" / "package.json").is_file()), None)
    if found is None or shutil.which("node") is None:
        return ""
    try:
        return str(json.loads(found.read_text("utf-8"))["version"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


@register(
    "trimmer",
    "ai_sdk.pruneMessages",
    title="AI SDK pruneMessages",
    library="ai (npm)",
    install="npm install ai",
    version=package_version,
)
class PruneMessages:
    """Removes older calls with their results, and reasoning; nothing unless told what."""

    form = "ai_sdk"
    system_inside = False
    carries = False
    asked = "request"
    summarizes = False

    def __init__(
        self,
        *,
        reasoning: Annotated[ALL_OF, Field(description="reasoning that goes")] = "none",
        toolCalls: Annotated[
            str | list[dict[str, Any]],
            Field(
                description="calls that go: all, before-last-message, before-last-N-messages, none, or a list of rules"
            ),
        ] = "none",
        emptyMessages: Annotated[Literal["keep", "remove"], Field(description="messages with nothing left")] = "remove",
    ):
        self._options = {"reasoning": reasoning, "toolCalls": toolCalls, "emptyMessages": emptyMessages}
        self._node = _start_node()
        self._end = weakref.finalize(self, _end, self._node)
        if self._answer().get("found") == "undefined":
            raise MissingLibrary(PACKAGE, name="ai")

    def __call__(self, items: list[Any]) -> list[Any]:
        line = json.dumps({"messages": items, **self._options}) + "\n"
        assert self._node.stdin is not None
        self._node.stdin.write(line)
        self._node.stdin.flush()
        answer = self._answer()
        if "messages" not in answer:
            raise InstrumentError(f"pruneMessages: {answer.get('error')}")
        return list(answer["messages"])

    def _answer(self) -> dict[str, Any]:
        assert self._node.stdout is not None
        line = self._node.stdout.readline()
        if not line:
            raise InstrumentError(f"Node ended: {_last_words(self._node)}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _start_node() -> subprocess.Popen[str]:
    program = shutil.which("node")
    if program is None:
        raise MissingLibrary(NODE, name="node")
    command, pipe = [program, "--input-type=module", "--eval", SCRIPT], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")


def _end(node: subprocess.Popen[str]) -> None:
    """End the process; its end of the pipes goes with it."""
    node.kill()
    node.wait()
    for pipe in (node.stdin, node.stdout, node.stderr):
        if pipe is not None:
            pipe.close()


def _last_words(node: subprocess.Popen[str]) -> str:
    said = node.stderr.read() if node.stderr else ""
    lines = [line for line in said.splitlines() if "Error" in line]
    return (lines or ["without a word"])[-1][:200]
