"""Random role programs of the subset, as source text, and the functions that they define."""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Mapping
from typing import Any

from stormproof.programs.extraction.requests import choose, receive, send
from stormproof.programs.extraction.role import Role, RoleCall, role

VARIABLES = ("a", "b", "c")
_numbers = itertools.count()

ENVIRONMENT = """
@role
def Peer(me, other):
    while True:
        what = yield choose("m", "n", "quiet")
        if what == "quiet":
            reply = yield receive(other)
        else:
            field = yield choose(None, 0, 1, True, "0")
            if field is None:
                yield send(other, what)
            else:
                yield send(other, what, field)
"""


def define(text: str, **names: Any) -> dict[str, Any]:
    """Run a source text as a module would be, with its lines where tracebacks look for them."""
    file = f"<random role {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {
        "role": role,
        "send": send,
        "receive": receive,
        "choose": choose,
        "__name__": file,
        **names,
    }
    exec(compile(text, file, "exec"), namespace)
    return namespace


def random_protocol(seed: int) -> Mapping[str, RoleCall]:
    """A random role P with a helper role, and two peers that send it anything at any time."""
    peer: Role[Any] = define(ENVIRONMENT)["Peer"]
    return {"P": random_role(seed), "Q": peer("Q", "P"), "R": peer("R", "P")}


def random_role(seed: int) -> RoleCall:
    """The role P alone."""
    writer = _Writer(random.Random(seed))
    found: Role[Any] = define(writer.helper() + writer.main())["P"]
    return found(writer.chance.choice((0, 1, "x")))


class _Writer:
    """Writes statements, indented; depth and number are bounded."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.in_helper = False

    def helper(self) -> str:
        self.in_helper = True
        lines = [
            "@role",
            "def Helper(x, y=1):",
            "    a = x",
            "    row, table, same = [], {}, []",
            *self.block(1, 1, loop=False),
        ]
        lines.append(f"    return {self.expression()}")
        if not any("yield" in line for line in lines):
            lines.insert(4, f"    b = yield {self.request()}")
        self.in_helper = False
        return "\n".join(lines) + "\n\n"

    def main(self) -> str:
        lines = ["@role", "def P(x):", "    a, b = 0, (1, 'x')", "    row, table, same = [], {}, []"]
        for_ever = self.chance.random() < 0.7
        if for_ever:
            lines += ["    while True:", f"        b = yield {self.request()}", *self.block(2, 2, loop=True)]
        else:
            lines += [f"    a = yield {self.request()}", *self.block(1, 3, loop=False)]
        return "\n".join(lines) + "\n"

    def block(self, indent: int, depth: int, loop: bool) -> list[str]:
        return [
            line for _ in range(self.chance.randint(1, 3)) for line in self.statement(indent, depth, loop)
        ]

    def statement(self, indent: int, depth: int, loop: bool) -> list[str]:
        simple = [self.assign, self.waits, self.waits, self.waits]
        simple += [self.changes, self.steps]
        simple += [self.leave] if loop else []
        nested = [self.branch, self.go_through, self.repeat, self.cases] if depth else []
        if self.chance.random() < 0.03:
            return [self.pad(indent) + f"assert {self.condition()}"]
        write = self.chance.choice([*simple, *nested])
        return write(indent, depth, loop)

    @staticmethod
    def pad(indent: int) -> str:
        return "    " * indent

    def assign(self, indent: int, depth: int, loop: bool) -> list[str]:
        name = self.chance.choice(VARIABLES)
        form = self.chance.choice(
            (
                f"{name} = {self.expression()}",
                f"{name} = {self.expression()}",
                f"a, (b, c) = {self.expression()}, ({self.expression()}, {self.expression()})",
                f"{name} = a = {self.expression()}",
                f"{name}: object = {self.expression()}",
                f"a = ({self.number()}) % 3; a += {self.number()}; a %= 3",
            )
        )
        return [self.pad(indent) + form]

    def waits(self, indent: int, depth: int, loop: bool) -> list[str]:
        targets = ("", "", *(f"{v} = " for v in VARIABLES), "a = b = ", "c: object = ")
        if not self.in_helper and self.chance.random() < 0.25:
            given = f"yield from Helper({self.expression()}, y={self.expression()})"
        else:
            given = f"yield {self.request()}"
        return [self.pad(indent) + self.chance.choice(targets) + given]

    def changes(self, indent: int, depth: int, loop: bool) -> list[str]:
        """Lists and dictionaries, which stay small; `same` is the list `row`, or equal to it."""
        lines = self.chance.choice(
            (
                ["row.append(0)", "del row[:-2]"],
                ["row += [1]", "del row[:-2]"],
                ["row.insert(0, a == b)", "row.pop()"],
                ["table[a == 1] = len(row)"],
                ["table.pop(True, None)"],
                ["same = row"],
                ["same = list(row)"],
                ["same.append(row is not None)", "del same[:-2]"],
                ["a, *rest = (b, *row)", "c = len(rest)"],
                ["b = len(same), tuple(table)"],
                [
                    "try:",
                    "    c = row[0] // table[True]",
                    "except (KeyError, IndexError) as problem:",
                    "    b = type(problem).__name__",
                    "except ZeroDivisionError:",
                    "    row.clear()",
                ],
                [
                    "try:",
                    "    kept = row.index(1)",
                    "except ValueError:",
                    "    pass",
                    "else:",
                    "    a = kept",
                ],
            )
        )
        return [self.pad(indent) + line for line in lines]

    def steps(self, indent: int, depth: int, loop: bool) -> list[str]:
        """Waiting and assigning inside expressions."""
        request, other = f"(yield {self.request()})", f"(yield {self.request()})"
        form = self.chance.choice(
            (
                f"a = (b, {request}, (b := {self.expression()}), b)[1]",
                f"a = {request} or {other}",
                f"c = (a := {self.expression()}) == {request} and {other}",
                f"b = 1 if {request} is None else (a, {other})[0]",
                f"a = str({request})[:2]",
                f"row.append({request} is None); del row[:-1]",
                f"c = {{0: a, len(str({request})) % 2: {other}}}.get(0)",
                f"a = 0; a += {request} is None; a %= 3",
                f"assert (a := {self.expression()}) == a or {request}",
            )
        )
        return [self.pad(indent) + form]

    def leave(self, indent: int, depth: int, loop: bool) -> list[str]:
        word = self.chance.choice(("break", "continue", "pass", "return"))
        return [self.pad(indent) + f"if {self.condition()}:", self.pad(indent + 1) + word]

    def branch(self, indent: int, depth: int, loop: bool) -> list[str]:
        condition = self.condition()
        if self.chance.random() < 0.2:
            condition = f"(b := {self.expression()}) and (yield {self.request()})"
        lines = [self.pad(indent) + f"if {condition}:", *self.block(indent + 1, depth - 1, loop)]
        if self.chance.random() < 0.5:
            lines += [self.pad(indent) + "else:", *self.block(indent + 1, depth - 1, loop)]
        return lines

    def go_through(self, indent: int, depth: int, loop: bool) -> list[str]:
        target, values = self.chance.choice(
            (
                ("a", '["m1", "m2", "m1", "m3"]'),
                ("b", "(0, 1, True)"),
                ("c", "range(3)"),
                ("a, b", "enumerate('xy')"),
                ("a", "reversed((1, 2))"),
                ("a", "row"),
                ("b", "list(table)"),
                ("a, c", "enumerate(same)"),
                ("b", "reversed(range(2))"),
                ("c", f"({self.expression()}, {self.expression()})"),
                ("b", "sorted(frozenset((2, 1, 0)))"),
                ("a, (b, c)", "zip((0, 1), ((1, 2), (3, 4)))"),
            )
        )
        return self.looped(f"for {target} in {values}:", indent, depth)

    def repeat(self, indent: int, depth: int, loop: bool) -> list[str]:
        count = f"n{indent}"
        lines = self.looped(f"while {count} < {self.chance.randint(1, 3)}:", indent, depth)
        lines.insert(1, self.pad(indent + 1) + f"{count} += 1")
        return [self.pad(indent) + f"{count} = 0", *lines]

    def looped(self, head: str, indent: int, depth: int) -> list[str]:
        lines = [self.pad(indent) + head, *self.block(indent + 1, depth - 1, True)]
        if self.chance.random() < 0.3:
            lines += [self.pad(indent) + "else:", *self.block(indent + 1, depth - 1, False)]
        return lines

    def cases(self, indent: int, depth: int, loop: bool) -> list[str]:
        lines = [self.pad(indent) + f"match {self.expression()}:"]
        patterns = [
            "0",
            "True",
            "(a, b)",
            "None",
            "str()",
            "(0 | 1) as c",
            "object(fields=(a,))",
            "int() as b",
        ]
        for pattern in self.chance.sample(patterns, 2):
            guard = f" if {self.condition()}" if self.chance.random() < 0.4 else ""
            lines += [
                self.pad(indent + 1) + f"case {pattern}{guard}:",
                *self.block(indent + 2, depth - 1, loop),
            ]
        if self.chance.random() < 0.5:
            lines += [self.pad(indent + 1) + "case c:", *self.block(indent + 2, depth - 1, loop)]
        return lines

    # ---- expressions ----

    def request(self) -> str:
        peer = self.chance.choice(('"Q"', '"R"'))
        name = self.chance.choice(('"m"', '"n"'))
        kind = self.chance.random()
        if kind < 0.4:
            field = self.chance.choice(("", f", {self.small()}", f", {self.small()}, {self.small()}"))
            return f"send({peer}, {name}{field})"
        if kind < 0.55:
            return f"choose({self.small()}, {self.small()}, True)"
        pattern = self.chance.choice(
            (peer, f"({peer}, {name})", f"({peer}, {name}, 0)", f"({peer}, {name}, True)", '"Q", "R"')
        )
        timeout = self.chance.choice(("", ", timeout=True", ", timeout=0"))
        return f"receive({pattern}{timeout})"

    def small(self) -> str:
        """A value that a message can carry, whatever the variables are."""
        return self.chance.choice(
            (
                "0",
                "1",
                "'0'",
                "None",
                "a is None",
                "(a == 1) + 0",
                "int(b == c)",
                "str(x == 'x')",
                "type(a).__name__",
                "a == b",
            )
        )

    def number(self) -> str:
        return self.chance.choice(("1", "2", "(a == 1)", "len(str(x))", "(b == 0) + 1", "1 // (a != 2)"))

    def expression(self) -> str:
        return self.chance.choice(
            (
                "a", "b", "c", "x", "0", "1", "True", "None", "'x'", "(a == b, 0)", "not a",
                "frozenset((1, 0))",
                "b if a else 0", "a or b", "a and 1", "(1, 'x')", f"({self.number()}) % 3",
                "sum(1 for i in (1, 2) if i != a)", "(lambda v: (v, a == v))(0)",
                "max((0, 1), key=lambda v: v == a)",
                "[v for v in (a, 0)][1]", "len((a, b))", "isinstance(a, int)", "getattr(b, 'fields', ())",
            )
        )  # fmt: skip

    def condition(self) -> str:
        return self.chance.choice(
            (
                "a",
                "b",
                "c",
                "a == 0",
                "a == b",
                "a is None",
                "isinstance(b, int)",
                "x == 1",
                "not a",
                "a != c",
                "1 == True",
            )
        )
