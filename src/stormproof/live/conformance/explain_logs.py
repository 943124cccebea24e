"""All roles are logged: explain as much of the logs as possible, channel by channel, then order the events.

Whether a role can do what its log says does not depend on the others, and how a channel explains its
receptions does not depend on other channels, as long as every message is received after it was sent. So the
fewest faults of each channel add up to a lower bound, which is reached where an order of the events exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...kernel.model.actions import CRASH, CRASH_ACTION, Channel, Message
from ...kernel.model.process import Process
from ...kernel.model.survival import SurvivalModel
from .channel_plan import ChannelPlan, channel_plan
from .log import LogEvent, RoleLog
from .match_channel import ChannelMatch, match_channel
from .role_paths import RolePath, role_path


@dataclass(frozen=True)
class LogsExplained:
    """`lengths`: how many events of each role are explained. `exact`: each channel has its fewest faults.
    `ordered` False: with these faults some message would be received before it is sent."""

    paths: Mapping[str, RolePath]
    lengths: Mapping[str, int]
    matches: Mapping[Channel, ChannelMatch]
    plans: Mapping[Channel, ChannelPlan]
    exact: bool
    ordered: bool


def explain_logs(model: SurvivalModel, logs: Mapping[str, RoleLog], anywhere: bool = False) -> LogsExplained:
    """As many events as possible, from the first of each role on, with the fewest faults per channel."""
    paths = {p.name: role_path(_without_crashes(model, p), logs[p.name], anywhere) for p in model.system}
    lengths = {name: path.length for name, path in paths.items()}
    while True:
        matches = {c: _match(model, logs, lengths, c, anywhere) for c in model.system.channels}
        cut = {c: _cut(logs[c.receiver], lengths[c.receiver], c, m) for c, m in matches.items()}
        shorter = {n: min([lengths[n], *(at for c, at in cut.items() if c.receiver == n)]) for n in lengths}
        if shorter == lengths:
            break
        lengths = shorter
    exact = all(m.fewest for m in matches.values())
    if anywhere:
        return LogsExplained(paths, lengths, matches, {}, exact, True)
    plans = {c: _plan(logs, lengths, c, m) for c, m in matches.items()}
    order = sum(1 for _ in in_order(logs, lengths, plans))
    return LogsExplained(paths, lengths, matches, plans, exact, order == sum(lengths.values()))


def _without_crashes(model: SurvivalModel, process: Process) -> Process:
    """The process without actions that never happen in the failure model."""
    kept = tuple(t for t in process.transitions if model.can_happen(process.name, t))
    return process if len(kept) == len(process.transitions) else replace(process, transitions=kept)


def messages(log: RoleLog, length: int, do: str, peer: str) -> list[Message]:
    """What the role sent to a peer, or received from it, in the first events of its log."""
    wanted = {
        code: CRASH if event.message == CRASH_ACTION else event.message
        for code, event in enumerate(log.kinds)
        if (event.do, event.peer) == (do, peer)
    }
    return [wanted[code] for code in log.codes[:length] if code in wanted]


def _sequences(
    logs: Mapping[str, RoleLog], lengths: Mapping[str, int], c: Channel
) -> tuple[list[Message], list[Message]]:
    sends = messages(logs[c.sender], lengths[c.sender], "send", c.receiver)
    return sends, messages(logs[c.receiver], lengths[c.receiver], "receive", c.sender)


def _match(
    model: SurvivalModel, logs: Mapping[str, RoleLog], lengths: Mapping[str, int], c: Channel, anywhere: bool
) -> ChannelMatch:
    return match_channel(*_sequences(logs, lengths, c), model.failures.on(c), anywhere)


def _plan(
    logs: Mapping[str, RoleLog], lengths: Mapping[str, int], c: Channel, match: ChannelMatch
) -> ChannelPlan:
    return channel_plan(*_sequences(logs, lengths, c), match)


def _cut(log: RoleLog, length: int, channel: Channel, match: ChannelMatch) -> int:
    """The index of the first reception that the channel cannot explain; the length where there is none."""
    seen = 0
    for i, code in enumerate(log.codes[:length]):
        event = log.kinds[code]
        if event.do == "receive" and event.peer == channel.sender:
            if seen == match.explained:
                return i
            seen += 1
    return length


def in_order(
    logs: Mapping[str, RoleLog], lengths: Mapping[str, int], plans: Mapping[Channel, ChannelPlan]
) -> Iterator[tuple[str, int]]:
    """The events in an order in which each message is sent before it is received, sends first; it ends where
    there is none."""
    at = dict.fromkeys(lengths, 0)
    sent = dict.fromkeys(plans, 0)
    received = dict.fromkeys(plans, 0)
    ends = {role: [_channel(role, event) for event in logs[role].kinds] for role in lengths}
    moved = True
    while moved:
        moved = False
        for role, length in lengths.items():
            codes, channels = logs[role].codes, ends[role]
            while at[role] < length:
                receives, channel = channels[codes[at[role]]]
                if channel is not None and receives:
                    if plans[channel].sources[received[channel]] >= sent[channel]:
                        break
                    received[channel] += 1
                elif channel is not None:
                    sent[channel] += 1
                yield role, at[role]
                at[role] += 1
                moved = True


def _channel(role: str, event: LogEvent) -> tuple[bool, Channel | None]:
    """Whether the event is a reception, and the channel that it touches."""
    if event.do == "receive":
        return True, Channel(event.peer, role)
    return False, Channel(role, event.peer) if event.do == "send" else None
