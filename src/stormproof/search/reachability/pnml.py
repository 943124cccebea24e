"""The vector addition system as a Petri net in PNML, so that other tools can be asked the same question.

A place for each local state (the initial ones hold a token), a place for each counter; a transition for
each transition of a process and for each fault. The names in the net are those of the system:
`Sender.wait0`, `Sender->Receiver.d0`, or `Sender->Receiver` where the channel is a length.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...errors import UsageError
from ...kernel.model.actions import CRASH, Internal, Receive, Send, channel_of
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.system import System
from ...kernel.transform.mailboxes import refuse_mailboxes
from ...kernel.transform.prepare import prepare, with_process_faults
from ...trust.reachability.channel_faults import received_and_kept
from ..engine.coverability import ChannelForm
from .channel_forms import Shape, shapes

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="net" type="http://www.pnml.org/version-2009/grammar/ptnet">
    <name><text>{name}</text></name>
    <page id="page">
"""
_TAIL = """    </page>
  </net>
</pnml>
"""

PetriTransition = tuple[str, tuple[str, ...], tuple[str, ...]]


def pnml(system: System, failures: Failures | None = None) -> str:
    """The net as a text; raises `UsageError` where the system is not one."""
    refuse_mailboxes(system, "no Petri net is written")
    marked, model, _ = prepare(system, failures or Failures())
    prepared = with_process_faults(marked, model).system
    forms = shapes(prepared, model)
    _refuse(prepared, forms)
    places = list(_places(prepared, forms))
    number = {name: f"p{i}" for i, (name, _) in enumerate(places)}
    text = [_HEAD.format(name=escape(prepared.name or "stormproof"))]
    text += [_place(number[name], name, tokens) for name, tokens in places]
    for i, (name, taken, put) in enumerate(_transitions(prepared, model, forms)):
        text.append(f'      <transition id="t{i}"><name><text>{escape(name)}</text></name></transition>\n')
        arcs = [(number[p], f"t{i}") for p in taken] + [(f"t{i}", number[p]) for p in put]
        for j, (source, target) in enumerate(arcs):
            text.append(f'      <arc id="t{i}a{j}" source="{source}" target="{target}"/>\n')
    return "".join([*text, _TAIL])


def _refuse(system: System, forms: tuple[Shape, ...]) -> None:
    for shape in forms:
        if shape.form == ChannelForm.QUEUE:
            raise UsageError(
                f"{shape.channel} keeps the order of its messages, so the system is no Petri net",
                hint="let it reorder, or corrupt all its messages: --reorder, --corrupt",
            )
        if shape.crash:
            raise UsageError(
                f"crash messages on {shape.channel} are received from an otherwise empty channel, "
                "which a Petri net cannot test"
            )


def _place(id: str, name: str, tokens: int) -> str:
    marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
    return f'      <place id="{id}"><name><text>{escape(name)}</text></name>{marking}</place>\n'


def _places(system: System, forms: tuple[Shape, ...]) -> Iterator[tuple[str, int]]:
    for process in system:
        for state in process.states:
            yield f"{process.name}.{state}", int(state == process.initial)
    for shape in forms:
        for name in dict.fromkeys(_counter(shape, m) for m in shape.letters):
            yield name, 0


def _counter(shape: Shape, message: str) -> str:
    return str(shape.channel) if shape.form == ChannelForm.LENGTH else f"{shape.channel}.{message}"


def _transitions(system: System, model: FailureModel, forms: tuple[Shape, ...]) -> Iterator[PetriTransition]:
    by_channel = {s.channel: s for s in forms}
    for process in system:
        for source, action, target in process.transitions:
            taken, put = [f"{process.name}.{source}"], [f"{process.name}.{target}"]
            channel = channel_of(process.name, action)
            if channel is not None and not isinstance(action, Internal) and action.message is not CRASH:
                shape, message = by_channel[channel], str(action.message)
                if isinstance(action, Receive):
                    kept = received_and_kept(model.on(channel), shape.letters, message)
                    for counter in dict.fromkeys(_counter(shape, m) for m in kept):
                        name = f"{process.name}: {action}, {counter} stays"
                        yield name, (*taken, counter), (*put, counter)
                (put if isinstance(action, Send) else taken).append(_counter(shape, message))
            yield f"{process.name}: {action}", tuple(taken), tuple(put)
    for shape in forms:
        yield from _faults(shape, model)


def _faults(shape: Shape, model: FailureModel) -> Iterator[PetriTransition]:
    failure = model.on(shape.channel)
    if failure.loss:
        for counter in dict.fromkeys(_counter(shape, m) for m in shape.letters):
            yield f"{counter} lost", (counter,), ()
    if shape.form != ChannelForm.LENGTH:
        for message, others in failure.becomes.items():
            for other in sorted(others):
                name = f"{shape.channel}: {message} becomes {other}"
                yield name, (_counter(shape, message),), (_counter(shape, other),)
