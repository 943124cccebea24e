"""Single-decree Paxos with p proposers, a acceptors and r ballots each (the paper, appendix, Figure 5).

The paper describes the automata by a figure and leaves choices open. Those made here:

- *Ballots.* Proposer i uses the numbers i, p + i, 2 p + i, ...: r of them, which is what `retries` counts.
  After the last one it gives up. Proposer i proposes the value v<i>.
- *Comparing numbers.* An acceptor's state holds the highest number that it has promised and the last
  proposal that it has accepted, so it promises, accepts and rejects as Lamport's does; nothing is left to
  chance. A promise carries the accepted proposal, and a proposer takes the value of the highest one.
- *Counting.* `?_k` is unrolled: answers come in any order, a majority of promises (of accepts) moves the
  proposer on. It falls back when a majority of promises is out of reach, and at the first rejection of an
  accept request, as in the figure. Answers to what it no longer waits for are taken and dropped.
- *The end.* A proposer ends by telling all acceptors `chosen` or `giveup`; each answers `bye`, before
  which the proposer receives what is still in flight; an acceptor ends when all proposers have. The figure
  leaves this out, and without it acceptors wait for ever. Learners are proposers, as in the paper.
- *Time-outs.* There are none, as in the figure.

Two options come closer to the figure, and make searches far smaller:

- `forgetful`: acceptors compare nothing. As in the figure they promise or reject, accept or reject, as they
  please, and remember neither; a proposer always proposes its own value. Agreement is then left to chance.
- `in_turn`: a proposer awaits the answers of all acceptors, one after the other, before it goes on. So no
  answer is ever late: nothing is to be dropped, and nobody needs to say `bye`. A proposal is chosen by a
  majority of accepts, and the proposer falls back without one.

With `as_published` the automata are those of `paxos_published` instead, which has choices of its own.
"""

from __future__ import annotations

from ....errors import UsageError
from ....kernel.model.system import System
from .paxos_published import PaxosReading, paxos_published
from .paxos_roles import Acceptor, ForgetfulAcceptor, PatientProposer, Proposer, RoleState, Size
from .sketch import RoleSketch, Sketch


def paxos(
    proposers: int,
    acceptors: int,
    retries: int,
    forgetful: bool = False,
    in_turn: bool = False,
    as_published: bool = False,
    **choices: bool,
) -> System:
    """Paxos with so many proposers and acceptors, and `retries` ballots a proposer."""
    if as_published:
        if forgetful or in_turn:
            raise UsageError("as published, acceptors remember and proposers wait as the reading says")
        return paxos_published(proposers, acceptors, retries, PaxosReading(**choices))
    if any(choices.values()):
        chosen = next(name for name, value in choices.items() if value)
        raise UsageError(f"{chosen} is a choice of Paxos as published", hint="add as_published")
    size = Size(proposers, acceptors, retries, forgetful, in_turn)
    words = [f"paxos-{proposers}p{acceptors}a-{retries}"]
    words += ["forgetful"] * forgetful + ["in-turn"] * in_turn
    sketch = Sketch("-".join(words))
    for i in range(1, proposers + 1):
        proposer = PatientProposer(size, i) if in_turn else Proposer(size, i)
        start: RoleState = ("prepare", i, 1)
        sketch.role(f"Proposer{i}").grow(start, proposer.name, proposer.moves)
    for name in size.names:
        _grow_acceptor(sketch.role(name), size)
    return sketch.system()


def _grow_acceptor(role: RoleSketch, size: Size) -> None:
    if size.forgetful:
        forgetful = ForgetfulAcceptor(size)
        idle: ForgetfulAcceptor.ForgetfulState = (frozenset(), None)
        role.grow(idle, forgetful.name, forgetful.moves)
    else:
        acceptor = Acceptor(size)
        fresh: Acceptor.AcceptorState = (0, None, frozenset(), None)
        role.grow(fresh, acceptor.name, acceptor.moves)
