"""Sliding windows: go-back-N and selective repeat, with retransmission, so that loss does not stop them.

A sender may send, repeat and listen in the same state: the automata have mixed states, as the protocols do.
A time-out is not modelled by a clock: the sender may repeat whenever something is unacknowledged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....kernel.model.actions import Action, Receive, Send
from ....kernel.model.system import System
from .sketch import RoleSketch, Sketch


def go_back_n(window: int) -> System:
    """Window N, numbers modulo N + 1, acknowledgements that name the next frame expected."""
    sketch = Sketch(f"go-back-{window}")
    _go_back_sender(sketch.role("Sender"), window)
    _go_back_receiver(sketch.role("Receiver"), window)
    return sketch.system()


def _go_back_sender(role: RoleSketch, window: int) -> None:
    """In `base_out`: `base` is the oldest unacknowledged frame, `out` frames from there on are sent."""
    modulus = window + 1
    for base in range(modulus):
        for out in range(window + 1):
            here = f"base{base}_out{out}"
            if out < window:
                role.add(here, Send("Receiver", f"frame{(base + out) % modulus}"), f"base{base}_out{out + 1}")
            if out > 0:
                # Go back: the window is sent again from its base.
                role.add(here, Send("Receiver", f"frame{base}"), f"base{base}_out1")
            for ahead in range(modulus):
                ack = (base + ahead) % modulus
                role.add(here, Receive("Receiver", f"ack{ack}"), f"base{ack}_out{max(out - ahead, 0)}")


def _go_back_receiver(role: RoleSketch, window: int) -> None:
    modulus = window + 1
    for expected in range(modulus):
        for frame in range(modulus):
            after = (expected + 1) % modulus if frame == expected else expected
            role.add(f"expect{expected}", Receive("Sender", f"frame{frame}"), f"ack{after}")
    for expected in range(modulus):
        role.add(f"ack{expected}", Send("Sender", f"ack{expected}"), f"expect{expected}")


def selective_repeat(window: int) -> System:
    """Window N at both ends, numbers modulo 2 N, each frame acknowledged and buffered by itself."""
    sketch = Sketch(f"selective-repeat-{window}")
    _selective_sender(sketch.role("Sender"), window)
    _selective_receiver(sketch.role("Receiver"), window)
    return sketch.system()


def _named(base: int, word: str, offsets: Iterable[int], modulus: int) -> str:
    """A state's name: the base and the frames of the window that are out, acknowledged or buffered."""
    frames = "".join(f"_{(base + o) % modulus}" for o in sorted(offsets))
    return f"base{base}_{word}{frames}" if frames else f"base{base}"


def _slide(base: int, marked: frozenset[int], modulus: int) -> tuple[int, frozenset[int]]:
    """Move the base over what is marked at its beginning."""
    steps = 0
    while steps in marked:
        steps += 1
    return (base + steps) % modulus, frozenset(o - steps for o in marked if o > steps)


#: The base, how many frames are out, and which of them (by distance from the base, never 0) are acknowledged.
_Sending = tuple[int, int, frozenset[int]]
#: The base, which later frames are buffered, and the frame to be acknowledged, if there is one.
_Receiving = tuple[int, frozenset[int], "int | None"]


def _selective_sender(role: RoleSketch, window: int) -> None:
    modulus = 2 * window

    def name(state: _Sending) -> str:
        base, out, acked = state
        waiting = [o for o in range(out) if o not in acked]
        return _named(base, "out", waiting, modulus) + (f"_upto{out}" if acked else "")

    def moves(state: _Sending) -> Iterator[tuple[Action, _Sending]]:
        base, out, acked = state
        if out < window:
            yield Send("Receiver", f"frame{(base + out) % modulus}"), (base, out + 1, acked)
        for offset in range(out):
            if offset not in acked:
                yield Send("Receiver", f"frame{(base + offset) % modulus}"), state
        for offset in range(modulus):
            after = state
            if offset < out:
                slid, left = _slide(base, acked | {offset}, modulus)
                after = (slid, out - (slid - base) % modulus, left)
            yield Receive("Receiver", f"ack{(base + offset) % modulus}"), after

    start: _Sending = (0, 0, frozenset())
    role.grow(start, name, moves)


def _selective_receiver(role: RoleSketch, window: int) -> None:
    modulus = 2 * window

    def name(state: _Receiving) -> str:
        base, buffered, owed = state
        return _named(base, "has", buffered, modulus) + ("" if owed is None else f"_ack{owed}")

    def moves(state: _Receiving) -> Iterator[tuple[Action, _Receiving]]:
        base, buffered, owed = state
        if owed is not None:
            yield Send("Sender", f"ack{owed}"), (base, buffered, None)
            return
        for offset in range(modulus):
            frame = (base + offset) % modulus
            slid = _slide(base, buffered | {offset}, modulus) if offset < window else (base, buffered)
            yield Receive("Sender", f"frame{frame}"), (*slid, frame)

    start: _Receiving = (0, frozenset(), None)
    role.grow(start, name, moves)
