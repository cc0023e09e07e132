"""Drives `tacit mcp` with the official Python SDK, over each protocol that the SDK can speak.

Usage: client.py TACIT STORY

The story is shared with the other clients: places to start a server in, and calls with what is said
to them. The rest is here: lists, schemas, resources, prompts, progress, cancellation.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import anyio
import jsonschema
from mcp import Client, StdioServerParameters

MODES = ("auto", "legacy")
FIRST = "a project with a memory"
NOT_FOUND = "there is no"


class Checks:
    """What was found to be so, and what was not."""

    def __init__(self):
        self.passed, self.failed = 0, []

    def that(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed.append(what)


def filled(value, kept):
    """The value with what was kept put in for `$name`, and repetitions written out."""
    if isinstance(value, str):
        return re.sub(r"\$([a-z]+)", lambda name: kept.get(name[1], name[0]), value)
    if isinstance(value, list):
        return [filled(item, kept) for item in value]
    if isinstance(value, dict):
        if set(value) == {"repeat", "times"}:
            return value["repeat"] * value["times"]
        return {name: filled(item, kept) for name, item in value.items()}
    return value


def matches(pattern, text):
    """Whether a text is as expected, where `[..]` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("[..]"))), text, re.S) is not None


def prepare(tacit, place, root):
    """Makes a place, and gives what a server is started with there."""
    project = Path(root, "project").resolve()
    project.mkdir(parents=True)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(root), "TACIT_HOME": str(Path(root, "home")),
        "TACIT_MAINTAIN_AUTO": "false", "GIT_CONFIG_NOSYSTEM": "1", **place.get("env", {}),
    }
    run = lambda *words: subprocess.run(
        words, cwd=project, env=environment, check=True, stdout=subprocess.DEVNULL
    )
    run("git", "init", "--quiet")
    if place["init"]:
        run(tacit, "init", "--no-hooks")
    for path, text in place.get("files", {}).items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return StdioServerParameters(command=tacit, args=["mcp"], env=environment, cwd=project)


def said(result):
    return "".join(block.text for block in result.content)


async def called(check, client, schemas, call, kept):
    """One call of the story."""
    tool, arguments = call["tool"], filled(call["arguments"], kept)
    about = f"{tool} {json.dumps(call['arguments'])}"
    result = await client.call_tool(tool, arguments)
    text = said(result)
    if "refused" in call:
        check.that(result.is_error and result.structured_content is None, f"{about}: no refusal")
        expected = filled(call["refused"], kept)
        check.that(matches(expected, text), f"{about}: said {text!r}, not {expected!r}")
        return
    check.that(not result.is_error, f"{about}: refused: {text}")
    value = result.structured_content or {}
    jsonschema.validate(value, schemas[tool])
    kept.update({name: value[field] for name, field in call.get("keep", {}).items()})
    expected = filled(call["says"], kept)
    check.that(matches(expected, text), f"{about}: said {text!r}, not {expected!r}")
    for name, item in call.get("value", {}).items():
        check.that(value.get(name) == item, f"{about}: {name} is {value.get(name)!r}")


async def misfits(check, client, tools, story):
    """Every parameter of every tool left out, of the wrong type, and one that there is not."""
    for tool in tools:
        good = next(call["arguments"] for call in story if call["tool"] == tool.name)
        required = tool.input_schema.get("required", [])
        rows = [({**good, "surplus": 1}, "Error: `surplus`: unknown field `surplus`, expected[..]")]
        for name in tool.input_schema["properties"]:
            wrong = {**good, name: {"not": ["of", "this", "type"]}}
            rows.append((wrong, f"Error: `{name}[..]"))
        for name in required:
            without = {key: item for key, item in good.items() if key != name}
            rows.append((without, f"Error: missing field `{name}`"))
        for arguments, expected in rows:
            result = await client.call_tool(tool.name, filled(arguments, {}))
            check.that(
                result.is_error and matches(expected, said(result)),
                f"{tool.name} {arguments}: said {said(result)!r}, not {expected!r}",
            )


async def fails(check, asked, about, expected):
    """That an error of the protocol comes back."""
    try:
        await asked
    except Exception as error:  # whatever the SDK makes of it
        check.that(expected in str(error), f"{about}: {error}")
    else:
        check.that(False, f"{about}: no error")


async def told(check, client, kept):
    """Resources, prompts, and what is not there."""
    resources = (await client.list_resources()).resources
    check.that([str(one.uri) for one in resources] == ["tacit://index"], "the resources")
    templates = (await client.list_resource_templates()).resource_templates
    check.that([one.uri_template for one in templates] == ["tacit://memory/{id}"], "the templates")
    index = (await client.read_resource("tacit://index")).contents[0].text
    check.that(kept["lesson"] in index, "the index has no lesson")
    memory = (await client.read_resource(f"tacit://memory/{kept['lesson']}")).contents[0].text
    check.that(json.loads(memory)["short_id"] == kept["lesson"], "a memory by its address")
    prompts = (await client.list_prompts()).prompts
    check.that([one.name for one in prompts] == ["remember", "when", "review"], "the prompts")
    for name, arguments, word in [
        ("remember", {"learning": "always run the linter"}, "always run the linter"),
        ("when", {"situation": "writing mock tests"}, "writing mock tests"),
        ("review", {}, kept["lesson"]),
    ]:
        prompt = await client.get_prompt(name, arguments)
        check.that(word in prompt.messages[0].content.text, f"the prompt {name}")
    for asked, about, expected in [
        (client.read_resource("tacit://other"), "another resource", NOT_FOUND),
        (client.read_resource("tacit://memory/ffffffff"), "no such memory", "no memory has"),
        (client.get_prompt("sing"), "another prompt", NOT_FOUND),
        (client.get_prompt("remember", {}), "no learning", "`learning` is missing"),
        (client.get_prompt("when", {}), "no situation", "`situation` is missing"),
        (client.call_tool("sing", {}), "another tool", NOT_FOUND),
    ]:
        await fails(check, asked, about, expected)


async def heard(check, client, kept):
    """Progress of a call, a call that is called off, and the server after that."""
    steps = []

    async def step(done, total, _message):
        steps.append((done, total))

    ids = [kept["lesson"], kept["mine"]]
    await client.call_tool("memory_get", {"ids": ids}, progress_callback=step)
    await client.call_tool("memory_search", {})
    check.that(steps == [(1, 2), (2, 2)], f"progress: {steps}")
    finished = []

    async def search(number, scope):
        with scope:
            await client.call_tool("memory_search", {"query": f"pool {number}"})
            finished.append(number)

    async with anyio.create_task_group() as group:
        scopes = [anyio.CancelScope() for _ in range(12)]
        for number, scope in enumerate(scopes):
            group.start_soon(search, number, scope)
        await anyio.lowlevel.checkpoint()
        scopes[-1].cancel()
    check.that(sorted(finished) == list(range(11)), f"of 12 calls, one called off: {finished}")
    huge = await client.call_tool("memory_search", {"query": "pool " * 2_000_000})
    check.that(not huge.is_error, "ten megabytes of a question")


async def play(check, tacit, story, mode, root):
    versions = set()
    for number, place in enumerate(story["places"]):
        server = prepare(tacit, place, Path(root, f"{mode}-{number}"))
        async with Client(server, mode=mode) as client:
            versions.add(client.protocol_version)
            check.that(client.server_info.name == "tacit", "the name of the server")
            tools = (await client.list_tools()).tools
            schemas = {tool.name: tool.output_schema for tool in tools}
            kept = {"root": str(server.cwd)}
            for call in place["calls"]:
                await called(check, client, schemas, call, kept)
            if place["name"] == FIRST:
                check.that("memory across sessions" in client.instructions, "the instructions")
                used = {call["tool"] for call in place["calls"] if "says" in call}
                check.that(used == set(schemas), f"not every tool was called: {used}")
                hints = all(tool.annotations.read_only_hint is not None for tool in tools)
                check.that(hints, "annotations")
                await misfits(check, client, tools, place["calls"])
                await told(check, client, kept)
                await heard(check, client, kept)
    return versions


async def main(tacit, story):
    check, versions = Checks(), set()
    with tempfile.TemporaryDirectory() as root:
        for mode in MODES:
            versions |= await play(check, tacit, story, mode, root)
    check.that(len(versions) == len(MODES), f"each mode has its protocol: {versions}")
    for failure in check.failed:
        print(f"failed: {failure}", file=sys.stderr)
    print(
        f"Python mcp {version('mcp')}, protocols {' and '.join(sorted(versions))}: "
        f"{check.passed} checks passed, {len(check.failed)} failed"
    )
    return 1 if check.failed else 0


if __name__ == "__main__":
    program, file = sys.argv[1:]
    sys.exit(asyncio.run(main(program, json.loads(Path(file).read_text()))))
