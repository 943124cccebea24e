"""Run a role's program from one yield to the next, with an explicit environment and explicit frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import ModelError, Place
from . import evaluate, program as instructions
from .evaluate import Escaped
from .lower import lower
from .requests import RoleRequest
from .role import Role, RoleCall
from .source import read_source
from .values import LocalKeys, Unsuitable, ValueKey, copies, key

#: So many instructions without a yield are refused.
MOST_STEPS = 20_000
#: So many roles that delegate to each other are refused.
MOST_FRAMES = 50


@dataclass(frozen=True)
class Frame:
    """A role that is stopped: where it goes on, and the variables that it may still read."""

    program: instructions.Program
    at: int
    variables: Mapping[str, Any]

    @cached_property
    def key(self) -> ValueKey:
        known = LocalKeys()
        return (
            id(self.program),
            self.at,
            *((name, known.key(self.variables[name])) for name in sorted(self.variables)),
        )


@dataclass(frozen=True)
class Waiting:
    """A point where a role waits: the frames, outermost first, and what it has yielded."""

    frames: tuple[Frame, ...]
    request: RoleRequest
    line: int
    failure = ""

    @property
    def group(self) -> str:
        return self.request.at or ""

    @property
    def durable(self) -> bool:
        return self.request.durable

    @property
    def place(self) -> Place:
        return self.frames[-1].program.source.place(self.line)

    @cached_property
    def key(self) -> ValueKey:
        """Nothing that the function can observe differs between two points with equal keys."""
        return (*(frame.key for frame in self.frames), self.request.key())


@dataclass(frozen=True)
class Returned:
    """The role has returned."""

    place: Place | None = None
    group = failure = ""
    durable = False

    @property
    def key(self) -> ValueKey:
        return ("ended",)


@dataclass(frozen=True)
class Raised:
    """An exception has escaped."""

    kind: str
    text: str
    place: Place
    group = ""
    durable = False

    @property
    def failure(self) -> str:
        return self.text or self.kind

    @property
    def key(self) -> ValueKey:
        return ("raised", self.kind, self.place.file, self.place.line)


RolePoint = Waiting | Returned | Raised


class Interpreter:
    """Runs roles; each function is read, checked and lowered once."""

    def __init__(self) -> None:
        self._programs: dict[int, tuple[Role[Any], instructions.Program]] = {}

    def program(self, role: Role[Any]) -> instructions.Program:
        if id(role) not in self._programs:
            source = read_source(role)
            try:
                self._programs[id(role)] = (role, lower(source))
            except RecursionError:
                place = source.place(source.tree.lineno)
                hint = "use match instead of a long chain of elif"
                raise ModelError(f"{role.name} is nested too deeply", place=place, hint=hint) from None
        return self._programs[id(role)][1]

    def start(self, call: RoleCall) -> RolePoint:
        """The first point where the role waits."""
        return self._run([self._enter(call)])

    def resume(self, point: Waiting, given: Any) -> RolePoint:
        """The next point, when what was yielded gives this. The point stays as it is."""
        frames = [_Running(f.program, f.at, copies(f.variables)) for f in point.frames]
        frames[-1].variables[instructions.GIVEN] = given
        return self._run(frames)

    def _enter(self, call: RoleCall) -> _Running:
        program = self.program(call.role)
        for name, value in call.arguments.items():
            try:
                key(value)
            except Unsuitable as problem:
                place = program.source.place(program.source.tree.lineno)
                raise ModelError(f"the argument '{name}' is {problem}", place=place) from None
        return _Running(program, 0, dict(call.arguments))

    def _run(self, frames: list[_Running]) -> RolePoint:
        try:
            for _ in range(MOST_STEPS):
                point = self._step(frames)
                if point is not None:
                    return point
        except Escaped as problem:
            return Raised(problem.kind, str(problem), frames[-1].place())
        problem_ = f"after {MOST_STEPS:,} steps there is still no yield"
        raise ModelError(problem_, place=frames[-1].place(), hint="a loop does not end, or not soon enough")

    def _step(self, frames: list[_Running]) -> RolePoint | None:
        here = frames[-1]
        instruction = here.program.code[here.at]
        line, variables = instruction.line, here.variables
        match instruction:
            case instructions.YieldRequest():
                found = evaluate.request(instruction.snippet, variables, line)
                here.at += 1
                return Waiting(tuple(frame.stopped() for frame in frames), found, line)
            case instructions.Delegate():
                self._delegate(frames, evaluate.delegate(instruction.snippet, variables, line))
            case instructions.Return():
                return self._return(frames, evaluate.evaluate(instruction.snippet, variables, line))
            case _:
                here.step()
        return None

    def _delegate(self, frames: list[_Running], call: RoleCall) -> None:
        if len(frames) >= MOST_FRAMES:
            problem = f"more than {MOST_FRAMES} roles delegate to each other"
            raise ModelError(problem, place=frames[-1].place())
        if call.role.durable:
            problem = (
                f"{call.role.name} has durable parameters, and only a role that is run itself gets them again"
            )
            hint = "give them to it as ordinary parameters, and save them by the names of the outermost role"
            raise ModelError(problem, place=frames[-1].place(), hint=hint)
        frames[-1].at += 1
        frames.append(self._enter(call))

    def _return(self, frames: list[_Running], value: Any) -> RolePoint | None:
        frames.pop()
        if not frames:
            return Returned()
        frames[-1].variables[instructions.GIVEN] = value
        return None


@dataclass
class _Running:
    """A role between two yields."""

    program: instructions.Program
    at: int
    variables: dict[str, Any]

    def place(self) -> Place:
        return self.program.source.place(self.program.code[self.at].line)

    def stopped(self) -> Frame:
        """Where it goes on after a yield, with what may be read there."""
        live = self.program.live[self.at] - {instructions.GIVEN}
        kept = {name: value for name, value in self.variables.items() if name in live}
        return Frame(self.program, self.at, kept)

    def step(self) -> None:
        """One instruction that neither yields nor returns."""
        instruction = self.program.code[self.at]
        line, variables = instruction.line, self.variables
        at, self.at = self.at, self.at + 1
        try:
            match instruction:
                case instructions.Compute():
                    variables.update(evaluate.bound(instruction.snippet, variables, line))
                case instructions.ComputeSome():
                    variables.update(evaluate.bound_some(instruction.snippet, variables, line))
                case instructions.Check():
                    evaluate.evaluate(instruction.snippet, variables, line)
                case instructions.Fork():
                    if not evaluate.evaluate(instruction.snippet, variables, line):
                        self.at = instruction.otherwise
                case instructions.Case():
                    found = evaluate.matched(instruction.snippet, variables, line)
                    variables.update(found or {})
                    self.at = instruction.otherwise if found is None else self.at
                case instructions.Begin():
                    items, over = evaluate.items(instruction.snippet, variables, line)
                    variables |= {instruction.items: items, instruction.over: over}
                case instructions.Next():
                    self._next(instruction)
                case instructions.Jump():
                    self.at = instruction.to
        except Escaped:
            self.at = at
            raise

    def _next(self, instruction: instructions.Next) -> None:
        left = self.variables[instruction.items]
        if not self.variables[instruction.over].goes_on(left):
            problem = "what this loop goes through is changed inside it"
            place = self.program.source.place(instruction.line)
            raise ModelError(problem, place=place, hint="go through a copy: for x in list(...)")
        if left:
            self.variables[instructions.GIVEN], self.variables[instruction.items] = left[0], left[1:]
        else:
            self.at = instruction.otherwise
