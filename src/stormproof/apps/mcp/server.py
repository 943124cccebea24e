"""The tools: each asks one question of a worker process, and answers briefly, with the next step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, ConfigDict, Field, create_model

from ...errors import StormproofError
from ...kernel.model.faults import CUT, KINDS, PROCESS_KINDS
from ...limits import EFFORT
from ...surveys.mutants.operators import OPERATORS
from ..workers.pool import Said, WorkerPool
from . import skill
from .folder import Folder

#: Said to an agent when it connects.
INSTRUCTIONS = """\
stormproof decides whether a message-passing protocol survives lost, duplicated, reordered and corrupted \
messages, and crashes, stops and restarts of its roles. Call `language` first: it has the grammar of .storm \
on one page, and examples. Write the protocol with its requirements, `lint` it, `check` it with the faults \
that can happen, and read the run of each violation before you change anything. `proved` is for channels of \
any length, `bounded` is not; `undecided` is no answer."""


GivenText = Annotated[str | None, Field(description="the protocol itself, in .storm or another language")]
GivenFile = Annotated[
    str | None, Field(description="a file below the folder that this server was started with")
]
GivenName = Annotated[str | None, Field(description="the name of a protocol of stormproof's library")]
_LOGS = 'the texts of the logs, a line per event: {"role": "A", "do": "send", "peer": "B", "message": "m"}'
_OPERATORS = f"only these kinds of mistakes: {', '.join(OPERATORS)}; all by default"
SomeNames = Annotated[list[str], Field(max_length=200)]
Where = bool | SomeNames


class _Faults(BaseModel):
    """What may happen, besides what the protocol declares."""

    model_config = ConfigDict(extra="forbid")
    budget: int | str | None = Field(None, description="at most so many faults in a run: 2, or 'restart=1'")
    file_faults: bool = Field(True, description="false ignores the faults that the protocol declares")


def _fields() -> dict[str, Any]:
    """A field for each kind of fault."""
    on = {
        kind: f"messages may {kind.may}: true for all channels, or channels such as 'A->B'" for kind in KINDS
    }
    fields: dict[str, Any] = {kind.keyword: (Where, Field(False, description=on[kind])) for kind in KINDS}
    cut = f"true: any one link {CUT.may}; or channels such as 'A->B', each of which may be"
    fields[CUT.keyword] = (Where, Field(False, description=cut))
    fields["cut_link"] = (SomeNames, Field([], description="links such as 'A:B' that may be cut for good"))
    roles = [("crash", "roles that may crash and inform everybody")]
    roles += [(kind.keyword, kind.option) for kind in PROCESS_KINDS]
    return fields | {name: (SomeNames, Field([], description=words)) for name, words in roles}


if TYPE_CHECKING:
    Faults = _Faults
else:
    Faults = create_model("Faults", __base__=_Faults, **_fields())


class Tools:
    """The tools of one server."""

    def __init__(self, folder: Folder, pool: WorkerPool) -> None:
        self.folder, self.pool = folder, pool

    async def language(
        self, example: Annotated[str | None, Field(description="the name of an example")] = None
    ) -> Said:
        """The grammar of .storm on one page, or a worked example: a protocol and the same with a mistake."""
        if example is None:
            return {"grammar": skill.grammar(), "examples": list(skill.examples()), "next": _READ}
        try:
            return {**skill.example(example), "next": "`check` both, and compare what is violated."}
        except StormproofError as problem:
            return _wrong(problem)

    async def lint(self, text: GivenText = None, file: GivenFile = None) -> Said:
        """Mistakes of a protocol in .storm, each with its line and a way out, and warnings."""
        return await self._ask("lint", text, file, None)

    async def check(
        self,
        text: GivenText = None,
        file: GivenFile = None,
        builtin: GivenName = None,
        faults: Faults | None = None,
    ) -> Said:
        """Does it survive the faults, and which requirements hold? A violation comes with its run."""
        return await self._ask("check", text, file, builtin, faults)

    async def explain(
        self,
        text: GivenText = None,
        file: GivenFile = None,
        builtin: GivenName = None,
        faults: Faults | None = None,
    ) -> Said:
        """Why is something violated, and which verified lines repair it?"""
        return await self._ask("explain", text, file, builtin, faults)

    async def reach(
        self,
        goal: Annotated[str, Field(max_length=2000, description="such as 'A@wait & B@idle' or 'deadlock'")],
        text: GivenText = None,
        file: GivenFile = None,
        builtin: GivenName = None,
        faults: Faults | None = None,
    ) -> Said:
        """Can a goal be reached, with channels of any length?"""
        return await self._ask("reach", text, file, builtin, faults, goal=goal)

    async def frontier(
        self, text: GivenText = None, file: GivenFile = None, builtin: GivenName = None
    ) -> Said:
        """Which sets of faults does it tolerate, and which smallest sets break it?"""
        return await self._ask("frontier", text, file, builtin)

    async def mutate(
        self,
        text: GivenText = None,
        file: GivenFile = None,
        builtin: GivenName = None,
        faults: Faults | None = None,
        operators: Annotated[SomeNames | None, Field(description=_OPERATORS)] = None,
    ) -> Said:
        """Do the requirements notice small mistakes in the protocol? Lists those that nothing notices."""
        return await self._ask("mutate", text, file, builtin, faults, operators=operators)

    async def trace(
        self,
        logs: Annotated[list[str], Field(min_length=1, max_length=50, description=_LOGS)],
        text: GivenText = None,
        file: GivenFile = None,
        builtin: GivenName = None,
        faults: Faults | None = None,
    ) -> Said:
        """Do logs of running roles conform to the protocol?"""
        return await self._ask("trace", text, file, builtin, faults, logs=logs)

    async def draw(self, text: GivenText = None, file: GivenFile = None, builtin: GivenName = None) -> Said:
        """The automata of the roles, as Mermaid text."""
        return await self._ask("draw", text, file, builtin)

    async def _ask(
        self,
        do: str,
        text: str | None,
        file: str | None,
        builtin: str | None,
        faults: Faults | None = None,
        **more: Any,
    ) -> Said:
        try:
            source = self.folder.source(text, file, builtin)
        except StormproofError as problem:
            return _wrong(problem)
        given: Said = {} if faults is None else {"faults": faults.model_dump(exclude_defaults=True)}
        said = await self.pool.ask({"ask": "brief", "do": do, "effort": EFFORT, **source, **given, **more})
        if "answer" in said:
            answer: Said = said["answer"]
            return answer
        words = said.get("problem") or said.get("defect") or "the question was stopped"
        return {"status": "undecided", "problems": [{"message": words}], "next": _SMALLER}


_READ = "Write the protocol, then `lint` and `check` it; `language` with a name shows an example."
_SMALLER = "Ask again with a smaller protocol or fewer faults."


def _wrong(problem: StormproofError) -> Said:
    hint = {} if problem.hint is None else {"hint": problem.hint}
    return {
        "status": "wrong",
        "problems": [{"message": problem.message, **hint}],
        "next": "Mend this; ask again.",
    }


def make_server(folder: Folder, pool: WorkerPool) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("stormproof", instructions=INSTRUCTIONS, version=version("stormproof"))
    tools = Tools(folder, pool)
    asked: list[Callable[..., Awaitable[Said]]] = [
        tools.language,
        tools.lint,
        tools.check,
        tools.explain,
        tools.reach,
        tools.frontier,
        tools.mutate,
        tools.trace,
        tools.draw,
    ]
    for tool in asked:
        server.tool()(tool)
    return server
