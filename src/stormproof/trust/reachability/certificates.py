"""What proves that something is never reached: the certificates, and their JSON form.

- `Closure`: control states closed under the actions, linear functions that no step increases, and a finite
  basis whose upward closure is closed under predecessors. The initial configuration is not in that closure,
  and every configuration of the goal is, or is excluded by the control states or by a linear function.
- `Saturated`: finitely many configurations that are all, up to faults.
- `Summarised`: the same, where a channel keeps k messages and of the rest only which they are
  (`check_summary`).
- `HalfDuplexCertificate`: the rendezvous states of two processes; never can both send.
- `EquationCertificate`: the state equation has no solution in the integers; a solver is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...kernel.model.actions import Channel, Message
from ...kernel.model.message_json import message_to_json

Control = tuple[tuple[str, ...], tuple[bool, ...]]

#: In a summarised word: what follows is the set of messages behind the first k. No message is empty.
BEHIND = ""


class Element(NamedTuple):
    """A configuration: local states, which channels end in a crash message, the rest of each channel.

    A multiset is kept as a word in some fixed order, a length as copies of one message.
    """

    states: tuple[str, ...]
    marks: tuple[bool, ...]
    words: tuple[tuple[str, ...], ...]


class Weights(NamedTuple):
    """A linear function that no step increases: weights of local states and of messages in channels."""

    states: Mapping[tuple[str, str], int]
    messages: Mapping[tuple[Channel, Message], int]
    bound: int


class _Described:
    """What a certificate is, in a few words."""

    kind: str

    def sizes(self) -> dict[str, int]:
        raise NotImplementedError

    def describe(self) -> str:
        return f"{self.kind} with " + ", ".join(f"{n:,} {what}" for what, n in self.sizes().items())

    def summary(self) -> dict[str, Any]:
        return {"kind": self.kind, "sizes": self.sizes()}


@dataclass(frozen=True)
class Closure(_Described):
    """`forms` says how each channel is read: as a lossy "word", a "multiset" or a "length"."""

    forms: tuple[str, ...]
    controls: tuple[Control, ...]
    weights: tuple[Weights, ...]
    basis: tuple[Element, ...]

    @property
    def kind(self) -> str:  # type: ignore[override]
        return "backward closure" if self.basis else "invariant"

    def sizes(self) -> dict[str, int]:
        sizes = {"minimal configurations": len(self.basis), "linear functions": len(self.weights)}
        return {k: n for k, n in sizes.items() if n} | {"control states": len(self.controls)}

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "channels": list(self.forms),
            "controls": [_control_to_json(c) for c in self.controls],
            "invariants": [_weights_to_json(w) for w in self.weights],
            "basis": [_element_to_json(e) for e in self.basis],
        }


@dataclass(frozen=True)
class Saturated(_Described):
    """Every configuration there is, channels as they are before faults are applied."""

    configurations: tuple[Element, ...]

    kind = "saturated set"

    def sizes(self) -> dict[str, int]:
        return {"configurations": len(self.configurations)}

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "configurations": [_element_to_json(e) for e in self.configurations]}


@dataclass(frozen=True)
class Summarised(_Described):
    """Configurations in which a channel keeps `k` messages, and of the rest only which they are."""

    k: int
    configurations: tuple[Element, ...]

    kind = "summarised set"

    def sizes(self) -> dict[str, int]:
        return {"configurations": len(self.configurations), "messages kept a channel": self.k}

    def to_json(self) -> dict[str, Any]:
        rows = [_element_to_json(e) for e in self.configurations]
        return {"kind": self.kind, "k": self.k, "configurations": rows}


@dataclass(frozen=True)
class HalfDuplexCertificate(_Described):
    """The pairs of states that the two processes reach by rendezvous."""

    pairs: tuple[tuple[str, str], ...]

    kind = "half-duplex"

    def sizes(self) -> dict[str, int]:
        return {"pairs of states": len(self.pairs)}

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "pairs": [list(p) for p in self.pairs]}


@dataclass(frozen=True)
class EquationCertificate(_Described):
    """The control states among which the goal's were looked for; for none has the equation a solution."""

    controls: tuple[Control, ...]

    kind = "state equation"

    def sizes(self) -> dict[str, int]:
        return {"control states": len(self.controls)}

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "controls": [_control_to_json(c) for c in self.controls]}


Certificate = Closure | Saturated | Summarised | HalfDuplexCertificate | EquationCertificate


def _control_to_json(control: Control) -> dict[str, Any]:
    return {"states": list(control[0]), "crashed": [int(m) for m in control[1]]}


def _element_to_json(at: Element) -> dict[str, Any]:
    return {
        "states": list(at.states),
        "crashed": [int(m) for m in at.marks],
        "words": [list(w) for w in at.words],
    }


def _weights_to_json(w: Weights) -> dict[str, Any]:
    return {
        "states": [[p, s, n] for (p, s), n in w.states.items() if n],
        "messages": [[str(c), message_to_json(m), n] for (c, m), n in w.messages.items() if n],
        "bound": w.bound,
    }
