"""One sentence for a violation: which process in which state, which channel, which message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...kernel.model.actions import Channel, Crash, Internal, Message, Receive, Send, channel_of, pair_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.phrases import (
    arrow,
    awaited,
    clauses,
    content,
    few,
    listed,
    named,
    own_actions,
    sends_of,
    situation,
    taken,
    words_in,
)
from ...kernel.model.process import Process, StateKind
from ...kernel.model.run import Witness
from ...kernel.model.system import System


class RunEnd:
    """Where a run ends, and what its culprit names there."""

    def __init__(self, system: System, failures: FailureModel, k: int | None, witness: Witness) -> None:
        self.system, self.failures, self.k, self.witness = system, failures, k, witness
        self.held = {c: w for c, w in witness.channels.items() if w}
        self.culprit = witness.culprit

    def state(self, name: str) -> str:
        return self.witness.states[name]

    @property
    def process(self) -> Process | None:
        name = self.culprit.get("process", "")
        return next((p for p in self.system if p.name == name), None)

    @property
    def channel(self) -> Channel | None:
        sender, _, receiver = self.culprit.get("channel", "").partition("->")
        known = Channel(sender, receiver)
        return known if sender in self.system and receiver in self.system else None

    def queue(self, channel: Channel) -> Channel:
        """Where the messages of the pair stand: in its channel, or in the mailbox of the receiver."""
        return Channel("", channel.receiver) if self.system.mailboxes else channel

    def moves(self) -> bool:
        """Can somebody still send, act internally or take a message as it stands, without any fault?"""
        return any(self._moves(p, self.state(p.name)) for p in self.system)

    def _moves(self, process: Process, state: str) -> bool:
        for _, action, _ in process.outgoing(state):
            if isinstance(action, Internal):
                if action.is_fault:
                    continue
                return True
            channel = channel_of(process.name, action)
            word = self.held.get(channel, ()) if channel else ()
            if isinstance(action, Receive) and word[:1] == (action.message,):
                return True
            if isinstance(action, Send) and (self.k is None or len(word) < self.k):
                return True
        return False


def why(
    explain: Callable[[RunEnd], str], system: System, failures: FailureModel, k: int | None, witness: Witness
) -> str:
    """Why the run violates a property, in one sentence without a full stop; `explain` is the property's."""
    return explain(RunEnd(system, failures, k, witness))


def situations(end: RunEnd) -> str:
    """Where everybody stands; what can be said of any run."""
    return clauses(situation(end.system, p, end.state(p.name)) for p in end.system)


def waits_for_ever(end: RunEnd) -> str:
    process = end.process or _first(end, StateKind.RECEIVING)
    if process is None:
        return situations(end)
    state = end.state(process.name)
    if state in process.crashed_states:
        return f"{process.name}, which has crashed, waits in {state} for crash notices that never come"
    parts = [situation(end.system, process, state)]
    own = own_actions(process, state)
    if own:
        leads = "leads" if len(own) == 1 else "lead"
        never = f"and {listed(own)} {leads} to no send, reception or final state"
        waits = f"{process.name} waits in {state} for {awaited(end.system, process.receives(state))}"
        return f"{waits}, nothing of that can arrive any more, {never}"
    if end.moves():
        return f"{parts[0]}, and nothing of that can arrive any more"
    parts += [situation(end.system, p, end.state(p.name)) for p in end.system if p != process]
    in_flight = [words_in(c, w) for c, w in end.held.items()]
    return ", ".join(parts) + ", and " + (listed(in_flight) or "nothing is in flight")


def _first(end: RunEnd, kind: StateKind) -> Process | None:
    return next((p for p in end.system if p.kind(end.state(p.name)) is kind), None)


def never_received(end: RunEnd) -> str:
    return _unreceived(end, weak=False)


def nothing_received(end: RunEnd) -> str:
    return _unreceived(end, weak=True)


def _unreceived(end: RunEnd, weak: bool) -> str:
    known = end.channel or next(iter(end.held), None)
    queue = known and end.queue(known)
    if queue is None or not end.held.get(queue):
        return situations(end)
    receiver, head = end.system[queue.receiver], end.held[queue][0]
    channel = pair_of(queue, head)
    what = f"{content(queue, (head,))} is at the head of {arrow(queue)}"
    source = "its mailbox" if queue.is_mailbox else channel.sender
    never = f"never receives anything from {source} again" if weak else "never receives it"
    return f"{what}, and {receiver.name} {never}: {_instead(end, receiver, channel, head)}"


def _instead(end: RunEnd, receiver: Process, channel: Channel, head: Message) -> str:
    """What the receiver of a message that is never received is about."""
    state = end.state(receiver.name)
    if state in receiver.crashed_states:
        return "it has crashed"
    if receiver.kind(state) is StateKind.FINAL and not own_actions(receiver, state):
        return f"it has ended in {state}"
    wanted = Receive(channel.sender, head)
    later = [s for s in receiver.reachable(state) if wanted in receiver.receives(s)]
    if receiver.kind(state) is StateKind.RECEIVING:
        waits = f"it waits in {state} for {awaited(end.system, receiver.receives(state))}"
        return waits if later else f"{waits}, and never receives {taken(end.system, wanted)} from there on"
    if not later:
        return f"from {state} on it never receives {taken(end.system, wanted)}"
    return f"from {state} it does not come to {few(later)} any more"


def cannot_send(end: RunEnd) -> str:
    process = end.process or _first(end, StateKind.SENDING)
    if process is None:
        return situations(end)
    state, channel = end.state(process.name), end.channel
    sends = [a for a in process.sends(state) if channel is None or a.peer == channel.receiver]
    wanted = end.culprit.get("message")
    sends = [a for a in sends if wanted is None or str(a.message) == wanted] or sends
    full = end.queue(Channel(process.name, sends[0].peer))
    receiver = end.system[full.receiver]
    blocked = f"{arrow(full)} is full and stays full (k = {end.k}, it holds {_word(end, full)})"
    doing = situation(end.system, receiver, end.state(receiver.name))
    return f"{process.name} cannot send {sends_of(end.system, sends)} in {state}: {blocked}, and {doing}"


def _word(end: RunEnd, channel: Channel) -> str:
    return content(channel, end.held.get(channel, ())) or "nothing"


def outputs_depend_on_the_bound(end: RunEnd) -> str:
    process = end.process or end.system.processes[0]
    state = end.state(process.name)
    fits = [
        a for a in process.sends(state) if len(end.held.get(Channel(process.name, a.peer), ())) < (end.k or 0)
    ]
    blocked = [a for a in process.sends(state) if a not in fits]
    return (
        f"in {state} {process.name} can send {sends_of(end.system, fits)} within k = {end.k}, "
        f"but not {sends_of(end.system, blocked)}"
    )


def inputs_race(end: RunEnd) -> str:
    process = end.process or end.system.processes[0]
    state = end.state(process.name)
    ready = [
        a
        for a in process.receives(state)
        if end.held.get(Channel(a.peer, process.name), ())[:1] == (a.message,)
    ]
    others = [a for a in process.receives(state) if a.peer != ready[0].peer] if ready else []
    here = [a for a in others if a in ready]
    late = (
        f"{_from(here[0])} is there as well"
        if here
        else f"{listed(map(_from, others), 'or')} may still be sent"
    )
    return f"in {state} {process.name} can receive {listed(map(_from, ready[:1]))}, and {late}"


def _from(action: Receive) -> str:
    what = "the crash notice" if isinstance(action.message, Crash) else str(action.message)
    return f"{what} from {action.peer}"


def both_channels_hold(end: RunEnd) -> str:
    for channel, word in end.held.items():
        back = Channel(channel.receiver, channel.sender)
        if back in end.held:
            return f"{words_in(channel, word)} while {words_in(back, end.held[back])}"
    return situations(end)


def no_synchronous_order(end: RunEnd) -> str:
    """The cycle of the conflict graph: interactions that must each come before the next."""
    from ...kernel.model.conflict_graph import conflict_graph, matched_execution

    events, communication = matched_execution(end.witness)
    cycle = conflict_graph(events, communication, end.witness.bags).cycle()
    if cycle is None:
        return situations(end)
    names = [_ordinal(events, i[0]) + _interaction([events[j] for j in i]) for i in cycle]
    if len(names) == 2:
        return f"{names[0]} and {names[1]} must each come before the other, so no synchronous order exists"
    circle = ", which must come before ".join(names[1:])
    return (
        f"{names[0]} must come before {circle}, which must come before the first of these, "
        "so no synchronous order exists"
    )


def _ordinal(events: Sequence[tuple[str, object]], at: int) -> str:
    """`the second `, where the process sends the same to the same one several times."""
    same = [j for j, event in enumerate(events) if event == events[at]]
    return f"the {_nth(same.index(at) + 1)} " if len(same) > 1 else ""


def _nth(number: int) -> str:
    words = {1: "first", 2: "second", 3: "third"}
    tail = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return words.get(number, f"{number}{tail}")


def _interaction(events: list[tuple[str, object]]) -> str:
    process, action = events[0]
    if not isinstance(action, Send):
        return f"{action} of {process}"
    took = events[1][1] if len(events) == 2 else None
    what = named(action.message, process) + f" ({process}→{action.peer}"
    if isinstance(took, Receive) and took.message != action.message:
        what += f", received as {took.message}"
    return what + (")" if took else ", not received)")
