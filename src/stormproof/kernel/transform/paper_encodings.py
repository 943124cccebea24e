"""The paper's encodings of loss and corruption (its section 7) as transformations of systems.

They are not the definitions: the paper's experiments ran a tool for perfect channels on modified automata.
Definitions, chapter 8, determine them by comparison with the published table:

- loss: every receiving state gets a self-loop on *every* message of each lossy channel that it reads from,
  also on those that it accepts (the completely specified protocols of Finkel);
- corruption: every send into a corrupting channel may send any message that its sender sends to anyone;
  with given pairs, what the message may become;
- reordering is left to the channel.

Corruption is encoded before loss, so that what may arrive may also be lost. The crash message is left alone.
"""

from __future__ import annotations

from dataclasses import replace

from ..model.actions import Channel, Receive, Send, Transition
from ..model.failures import PERFECT, ChannelFailure, FailureModel, Failures
from ..model.process import Process
from ..model.system import System


def resolve(system: System, failures: Failures) -> FailureModel:
    """The failure model as the encoding reads it: corruption is among all that the sender sends.

    With the default scope a channel of just one message has nothing to corrupt it into, and would count as
    perfect; in the encoding another message of its sender may come instead.
    """
    declared = tuple(
        replace(f, corrupt=replace(f.corrupt, scope="sender"))
        if f.corrupt is not None and f.corrupt.pairs is None
        else f
        for f in system.faults
    )
    asked = replace(failures, corrupt_scope="sender")
    return asked.on(replace(system, faults=declared))


def encode(system: System, model: FailureModel, as_run: bool = False) -> tuple[System, FailureModel]:
    """The system in which loss and corruption are actions, and what is left of its failure model."""
    changed = encode_loss(encode_corruption(system, model), model, as_run)
    left = {c: replace(f, loss=False, becomes={}, pool=(), total=False) for c, f in model.channels.items()}
    return changed, replace(model, channels={c: f for c, f in left.items() if not f.perfect})


def encode_corruption(system: System, model: FailureModel) -> System:
    return replace(system, processes=tuple(_corrupted(p, model) for p in system))


def _corrupted(process: Process, model: FailureModel) -> Process:
    """Beside each send the sends of what may arrive instead."""
    sent = _messages(process, Send)
    rows: list[Transition] = []
    for row in process.transitions:
        rows.append(row)
        if isinstance(row.action, Send) and isinstance(row.action.message, str):
            failure = model.on(Channel(process.name, row.action.peer))
            for other in _instead(row.action.message, failure, sent):
                rows.append(Transition(row.source, Send(row.action.peer, other), row.target))
    return replace(process, transitions=tuple(rows))


def _messages(process: Process, kind: type[Send] | type[Receive]) -> tuple[str, ...]:
    """Every message that a process sends, or receives, the crash message aside."""
    found = (t.action.message for t in process.transitions if isinstance(t.action, kind))
    return tuple(dict.fromkeys(m for m in found if isinstance(m, str)))


def _instead(message: str, failure: ChannelFailure, sent: tuple[str, ...]) -> tuple[str, ...]:
    if not failure.corrupt:
        return ()
    return sent if failure.total else tuple(sorted(failure.becomes.get(message, ())))


def encode_loss(system: System, model: FailureModel, as_run: bool = False) -> System:
    return replace(system, processes=tuple(_losing(system, p, model, as_run) for p in system))


def _losing(system: System, process: Process, model: FailureModel, as_run: bool) -> Process:
    """Self-loops by which a state drops whatever comes from a lossy channel that it reads from."""
    rows = list(process.transitions)
    for state in process.states:
        for peer in dict.fromkeys(a.peer for a in process.receives(state)):
            channel = Channel(peer, process.name)
            if model.channels.get(channel, PERFECT).loss:
                dropped = _messages(process, Receive) if as_run else _on(system, channel)
                rows += [Transition(state, Receive(peer, m), state) for m in dropped]
    return replace(process, transitions=tuple(rows))


def _on(system: System, channel: Channel) -> tuple[str, ...]:
    return tuple(m for m in system.alphabet(channel) if isinstance(m, str))
