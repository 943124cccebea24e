"""Random texts with roles that have variables, and sometimes a family."""

from __future__ import annotations

from random import Random

STATES = ("s", "t", "u")


def random_data(seed: int) -> str:
    """A text; some are refused, since an alternative is never taken or a new name is not read."""
    return _Writer(Random(seed)).text()


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.family = random.random() < 0.5
        self.member = False
        self.bound: list[str] = []

    def text(self) -> str:
        roles = [self.role("A", ""), self.role("B", "")]
        if self.family:
            roles.append(self.role("N", f"[i: 1..{self.random.choice((2, 2, 3))}]"))
        return "const most = 2\n" + "\n".join(roles)

    def role(self, name: str, index: str) -> str:
        self.me, self.member = name, bool(index)
        lines = [f"role {name}{index} {{", "  var x, y: 0..most", "  var f: bool", "  var w: {red, green}"]
        if self.family:
            lines += ["  var set: set of N", "  var who: N?"]
        for state in STATES:
            lines.append(f"  {state}:")
            lines += [f"     {self.alternative()}" for _ in range(self.random.randint(1, 4))]
        return "\n".join([*lines, "}"])

    # ---- expressions ----

    def number(self, depth: int = 1) -> str:
        choice = self.random.random()
        simple = ["x", "y", "0", "1", "most", *(b for b in self.bound if b == "n")]
        if depth == 0 or choice < 0.45:
            return self.random.choice(simple)
        one, other = self.number(depth - 1), self.number(depth - 1)
        made = [
            f"({one} + {other}) mod 3",
            f"({one} + {other}) mod 3",
            f"min({one}, {other})",
            f"max({one}, {other})",
            f"(if {self.truth(0)} then {one} else {other})",
            f"({one} - {other}) mod 3",
            f"{one} + 1" if self.random.random() < 0.3 else one,
            f"{one} mod {other}" if self.random.random() < 0.3 else one,
        ]
        if self.family:
            made += ["size(set)", "count(k in set: k = who)"]
        return self.random.choice(made)

    def truth(self, depth: int = 1) -> str:
        one, other = self.number(0), self.number(0)
        made = ["f", "not f", f"{one} = {other}", f"{one} < {other}", f"{one} >= {other}", "w = red"]
        if self.family:
            made += ["who = none", "size(set) > 1", "some k in set: k != who", "all k in N: k in set"]
        if "j" in self.bound:
            made += ["j in set", "j not in set", "j = who"]
        if depth:
            made += [f"{self.truth(0)} and {self.truth(0)}", f"({self.truth(0)} or {self.truth(0)})"]
        return self.random.choice(made)

    def members(self) -> str:
        made = ["set", "set + {who}" if self.random.random() < 0.1 else "{}", "N - set"]
        made += ["set + {j}", "set - {j}"] if "j" in self.bound else []
        return self.random.choice(made + (["set + {i}"] if self.member else []))

    # ---- alternatives ----

    def alternative(self) -> str:
        self.bound = []
        choice = self.random.random()
        if choice < 0.4:
            return self.send()
        if choice < 0.8:
            return self.reception()
        if choice < 0.9:
            return f"timeout{self.guard(0.6)} -> {self.then()}"
        return f"if {self.truth()} -> {self.then()}"

    def guard(self, often: float) -> str:
        return f" if {self.truth()}" if self.random.random() < often else ""

    def then(self) -> str:
        updates = []
        if self.random.random() < 0.6:
            updates.append(f"x = {self.number()}")
        if self.random.random() < 0.3:
            updates.append(f"y = {self.number()}")
        if self.random.random() < 0.2:
            updates.append(self.random.choice(["f = not f", "w = green", f"f = {self.truth(0)}"]))
        if self.family and self.random.random() < 0.3:
            updates.append(f"set = {self.members()}")
        if self.family and ("j" in self.bound or self.random.random() < 0.1):
            updates.append(f"who = {'j' if 'j' in self.bound else 'none'}")
        said = " ".join(updates)
        if "n" in self.bound and "n" not in said.replace("then", "").replace("none", "").split():
            updates = [u for u in updates if not u.startswith("x =")] + ["x = n"]
        return self.random.choice(STATES) + (f" {{ {', '.join(updates)} }}" if updates else "")

    def others(self) -> list[str]:
        return [name for name in ("A", "B") if name != self.me] + (["N"] if self.family else [])

    def send(self) -> str:
        peer = self.random.choice(self.others())
        if peer == "N":
            index = self.random.choice(
                ["*", "set", "who", "most", *(["number(i) mod 2 + 1"] if self.member else [])]
            )
            peer = f"N[{index}]"
        message = self.random.choice(["p", f"m({self.number()})", f"k({self.truth()})"])
        return f"{peer}!{message}{self.guard(0.4)} -> {self.then()}"

    def reception(self) -> str:
        peer = self.random.choice(self.others())
        if peer == "N":
            index = self.random.choice(["_", "j", "j", "who"])
            self.bound += ["j"] if index == "j" else []
            peer = f"N[{index}]"
        message = self.random.choice(["p", "m", "m", "k"])
        if message == "m":
            field = self.random.choice(["_", "n", "n", "x", "1", "(y + 1) mod 3"])
            self.bound += ["n"] if field == "n" else []
            message = f"m({field})"
        elif message == "k":
            message = f"k({self.random.choice(['_', 'f', 'true'])})"
        also = "or " if self.random.random() < 0.2 else ""
        return f"{also}{peer}?{message}{self.guard(0.3)} -> {self.then()}"
