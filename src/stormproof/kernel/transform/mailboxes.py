"""Systems that communicate by mailboxes, as they are searched: every message carries its sender
(definitions 12.1).

With that alone the mailbox of a process is one queue that several processes put messages into: an action says
by its message which queue it touches (`channel_of`), and everything that steps through channels needs no
other rule.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import UsageError
from ..model.actions import Action, Channel, Internal, Message, Send, Transition, letter
from ..model.failures import FailureModel
from ..model.goal import And, Contains, Goal, Head, Holds, Not, Or, show
from ..model.process import Process
from ..model.run import Act, Witness
from ..model.system import System


def with_senders(system: System) -> System:
    """The system with the sender in every message, if its processes communicate by mailboxes."""
    if not system.mailboxes:
        return system
    return replace(system, processes=tuple(_process(p) for p in system))


def refuse_mailboxes(system: System, consequence: str) -> None:
    """Refuse what is defined, or proved, for the channels of pairs only."""
    if system.mailboxes:
        raise UsageError(
            f"the processes communicate by mailboxes, and {consequence}",
            hint="without `communication mailbox` each ordered pair of processes has a channel of its own",
        )


def _process(process: Process) -> Process:
    rows = tuple(Transition(s, _action(process.name, a), t) for s, a, t in process.transitions)
    return replace(process, transitions=rows)


def _action(owner: str, action: Action) -> Action:
    if isinstance(action, Internal):
        return action
    sender = owner if isinstance(action, Send) else action.peer
    return type(action)(action.peer, letter(action.message, sender))


# ---- goals ---------------------------------------------------------------------------------------------


def mailbox_goal(goal: Goal, system: System, model: FailureModel) -> Goal:
    """A goal on the channels of pairs as one on mailboxes: the content of A->B is what A has sent to the
    mailbox of B, and its head is the head of the mailbox (definitions 12.3)."""
    if isinstance(goal, Not):
        return Not(mailbox_goal(goal.part, system, model))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(mailbox_goal(part, system, model) for part in goal.parts))
    if isinstance(goal, Contains | Head) and not goal.channel.is_mailbox:
        sender, receiver = goal.channel
        return type(goal)(Channel("", receiver), letter(goal.message, sender))
    if isinstance(goal, Holds) and not goal.channel.is_mailbox:
        return _content(goal, system, model)
    return goal


def _content(goal: Holds, system: System, model: FailureModel) -> Goal:
    sender, receiver = goal.channel
    mailbox = Channel("", receiver)
    into = [c for c in system.channels if c.receiver == receiver]
    if into == [goal.channel] or not into:
        return Holds(mailbox, tuple(letter(m, sender) for m in goal.word))
    if goal.word:
        raise UsageError(
            f"the goal {show(goal)} is not decided with mailboxes: that of {receiver} also has messages from "
            "others, between them",
            hint=f"ask whether {goal.channel} contains a message, or is empty",
        )
    standing: dict[Message, None] = dict.fromkeys(
        (*system.alphabet(goal.channel), *model.on(goal.channel).pool)
    )
    return Not(Or(tuple(Contains(mailbox, letter(m, sender)) for m in standing)))


# ---- runs ----------------------------------------------------------------------------------------------


def run_with_senders(system: System, witness: Witness) -> Witness:
    """A run whose messages are names, as one of the system with the sender in every message."""
    if not system.mailboxes:
        return witness
    acts = (act_with_sender(system, s) if isinstance(s, Act) else s for s in witness.steps)
    return replace(witness, steps=tuple(acts))


def act_with_sender(system: System, act: Act) -> Act:
    """An action whose message is a name, as one of that system."""
    return replace(act, action=_action(act.process, act.action)) if system.mailboxes else act
