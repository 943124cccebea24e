"""From actions with silent interference to a run in which every fault is a step (definitions 2.5).

The engine keeps a channel in the coarsest form that loses no information (a multiset, a length), so its runs
do not say *which* message was lost, corrupted or overtaken. `match_sends` chooses, channel by channel, with
the fewest faults; this module builds the run with them. A message is lost right after it is sent, so that a
send into a full lossy channel is followed immediately by the loss that makes it legal; it is overtaken or
corrupted right before it leaves.

The length of a run is its number of actions; faults do not count. Among the runs of that length one with the
fewest faults is chosen, and among those one with the fewest changes of process (`minimise`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...errors import InternalError
from ...kernel.model.actions import Channel, Firing, Internal, Message, Receive, Send, channel_of, pair_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.run import Act, Step, Witness
from ...kernel.model.system import System
from ..engine.k_properties import ViolationEnd
from .channel_faults import leading_steps, loss_step, staying_steps, with_stayed
from .group_actions import changes, grouped
from .match_sends import FAR, ChannelEvent, Matching, MatchingProblem, cheapest
from .minimise import Shortest, fewest

#: Places that the search for a better run of the same length may see.
POLISH = 10_000


def build_witness(
    system: System,
    failures: FailureModel,
    moves: Sequence[Firing],
    channels: Mapping[Channel, tuple[Message, ...]] | None,
    bound: int | None,
    communication: Iterable[tuple[int, int]] | None = None,
    *,
    culprit: Mapping[str, str] | None = None,
    shortest: bool = True,
    runs: Shortest | None = None,
    polish: int = POLISH,
) -> Witness:
    """The run that these moves make with the fewest faults, ending in exactly `channels`.

    A channel that `channels` does not name ends empty; `channels` None: any content will do. `bound` None is
    no bound. `communication` pairs receptions with sends, both as indices into `moves`; the run then realises
    that matching, and the witness carries it with the indices of its steps. `runs` describes all shortest
    runs, of which the best is then shown; without it a better run is sought to the same end, no longer than
    this one. That search sees at most `polish` places. Raises `InternalError` when the moves are not those of
    any such run.
    """
    pairs = None if communication is None else tuple((int(r), int(s)) for r, s in communication)
    made = _play(system, failures, tuple(moves), channels, bound, pairs)
    blame = dict(culprit or {})
    if system.mailboxes:  # the search for a better run lets what several processes send commute
        runs, polish = None, 0
    elif runs is None and pairs is None and channels is not None and (made.faults or not shortest):
        end = ViolationEnd(*made.end(system), blame)
        runs = Shortest(system, failures, bound, len(made.acts), (end,), known=shortest)
    # A place costs as much as there are processes; without control states to keep to, the search finds less.
    budget = polish * 10 // max(10, len(system.names)) // (1 if runs is not None and runs.controls else 5)
    better = fewest(runs, len(made.faults), budget) if runs is not None and budget else None
    if better is not None:
        words = dict(zip(system.channels, better.words))
        again = _play(system, failures, better.moves, words, bound, None)
        if quality(again) < quality(made):
            made, blame = again, _blamed(better.end, again)
    return Witness(made.steps, made.states, made.channels, made.communication, blame, shortest=shortest)


def quality(witness: Witness) -> tuple[int, int, int]:
    """What is compared: actions, then faults, then changes of process; less is better."""
    acts = witness.acts
    return len(acts), len(witness.faults), changes([a.process for a in acts])


def _blamed(end: ViolationEnd, witness: Witness) -> dict[str, str]:
    """The culprit of the end; of a channel whose head it names, the message that stands there now."""
    culprit = dict(end.culprit)
    if "message" in culprit and "process" not in culprit:
        word = next(w for c, w in witness.channels.items() if str(pair_of(c, w[0])) == culprit["channel"])
        culprit["message"] = str(word[0])
    return culprit


def _play(
    system: System,
    failures: FailureModel,
    moves: tuple[Firing, ...],
    channels: Mapping[Channel, tuple[Message, ...]] | None,
    bound: int | None,
    pairs: Sequence[tuple[int, int]] | None,
) -> Witness:
    choices = _choices(failures, moves, channels, bound, pairs)
    # What several processes put into a mailbox stays in its order.
    order = range(len(moves)) if system.mailboxes else grouped(moves, choices, bound)
    run = _Run(system, choices)
    run.play(moves, order)
    run.end(channels)
    return run.witness(pairs)


def _choices(
    failures: FailureModel,
    moves: tuple[Firing, ...],
    channels: Mapping[Channel, tuple[Message, ...]] | None,
    bound: int | None,
    pairs: Sequence[tuple[int, int]] | None,
) -> dict[Channel, Matching]:
    choices = {}
    matched = None if pairs is None else frozenset(s for _, s in pairs)
    for channel, events in _by_channel(moves, pairs).items():
        final = None if channels is None else tuple(channels.get(channel, ()))
        room = FAR if bound is None else bound
        problem = MatchingProblem(channel, failures.on(channel), events, final, room, matched)
        found = cheapest(problem)
        if found is None:
            raise InternalError(_impossible(problem))
        choices[channel] = found
    for channel, word in (channels or {}).items():
        if word and channel not in choices:
            raise InternalError(f"nothing is ever sent on {channel}, which is to hold {_words(word)}")
    return choices


def _by_channel(
    moves: tuple[Firing, ...], pairs: Sequence[tuple[int, int]] | None
) -> dict[Channel, tuple[ChannelEvent, ...]]:
    forced = dict(pairs or ())
    table: dict[Channel, list[ChannelEvent]] = {}
    for i, (process, transition) in enumerate(moves):
        action = transition.action
        channel = channel_of(process, action)
        if channel is not None:
            assert not isinstance(action, Internal)
            event = ChannelEvent(i, action.message, isinstance(action, Send), forced.get(i))
            table.setdefault(channel, []).append(event)
    return {c: tuple(events) for c, events in table.items()}


def _impossible(problem: MatchingProblem) -> str:
    events = " ".join(f"{'!' if e.send else '?'}{e.message}" for e in problem.events)
    end = "" if problem.final is None else f", ending with {_words(problem.final)}"
    return f"no interference makes this sequence of actions possible on {problem.channel}: {events}{end}"


def _words(word: Iterable[Message]) -> str:
    return "[" + ", ".join(str(m) for m in word) + "]"


class _Run:
    """Plays the moves with the chosen faults in between."""

    def __init__(self, system: System, choices: Mapping[Channel, Matching]) -> None:
        self.choices = choices
        self.kept = {c: choice.kept for c, choice in choices.items()}
        self.states = {p.name: p.initial for p in system}
        self.words: dict[Channel, list[tuple[int, Message]]] = {c: [] for c in choices}
        self.steps: list[Step] = []
        self.at: dict[int, int] = {}

    def play(self, moves: tuple[Firing, ...], order: Iterable[int]) -> None:
        for i in order:
            process, (source, action, target) = moves[i]
            if self.states[process] != source:
                raise InternalError(f"{process} is in {self.states[process]}, not in {source}")
            channel = channel_of(process, action)
            if channel is not None and isinstance(action, Receive):
                self._take(channel, i, action.message)
            self.at[i] = len(self.steps)
            self.steps.append(Act(process, action, target))
            self.states[process] = target
            if channel is not None and isinstance(action, Send):
                self._put(channel, i, action.message)

    def _take(self, channel: Channel, i: int, message: Message) -> None:
        choice = self.choices[channel]
        stay = choice.stays.get(i)
        self._lead(channel, choice.taken[i], 0, message if stay is None else stay.message)
        head, *rest = self.words[channel]
        self.words[channel] = rest
        if stay is not None:
            self.steps += staying_steps(channel, stay, message)
            self.words[channel] = list(with_stayed(stay, head, tuple(rest)))

    def _put(self, channel: Channel, i: int, message: Message) -> None:
        word = self.words[channel]
        if i in self.kept[channel]:
            word.append((i, message))
        else:
            self.steps.append(loss_step(channel, len(word), message))

    def _lead(self, channel: Channel, sent: int, to: int, wanted: Message | None) -> None:
        """Bring a message forward to a position, and make it the wanted one."""
        word = self.words[channel]
        at = next(p for p, (i, _) in enumerate(word) if i == sent)
        _, message = word.pop(at)
        becomes = message if wanted is None else wanted
        self.steps += leading_steps(channel, at, to, message, becomes)
        word.insert(to, (sent, becomes))

    def end(self, channels: Mapping[Channel, tuple[Message, ...]] | None) -> None:
        for channel, choice in self.choices.items():
            word = None if channels is None else channels.get(channel, ())
            for j, sent in enumerate(choice.final):
                self._lead(channel, sent, j, None if word is None else word[j])

    def witness(self, pairs: Sequence[tuple[int, int]] | None) -> Witness:
        found = None if pairs is None else sorted((self.at[r], self.at[s]) for r, s in pairs)
        return Witness(
            steps=tuple(self.steps),
            states=dict(self.states),
            channels={c: tuple(m for _, m in w) for c, w in self.words.items() if w},
            communication=None if found is None else tuple(found),
        )
