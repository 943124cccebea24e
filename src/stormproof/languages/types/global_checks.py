"""What is wrong with the graph of a global protocol: recursion without a message, a branch of a choice that
somebody else starts, a crash that stands where nobody has crashed."""

from __future__ import annotations

from ...errors import ModelError, Place
from ...kernel.model.actions import CRASH
from .global_nodes import CHOICE, END, MESSAGE, SILENT, GlobalGraph, GlobalNode


def check_global(graph: GlobalGraph) -> None:
    """Raise ModelError with the place of what is wrong."""
    _check_guarded(graph)
    _check_choices(graph)


def _check_guarded(graph: GlobalGraph) -> None:
    """No recursion without a message: no cycle of silent steps and choices."""
    nodes = graph.nodes
    state = [0] * len(nodes)
    for root in range(len(nodes)):
        stack = [(root, False)]
        while stack:
            at, leave = stack.pop()
            if leave:
                state[at] = 2
            elif state[at] == 0 and nodes[at].kind in (SILENT, CHOICE):
                state[at] = 1
                stack.append((at, True))
                for below in nodes[at].next:
                    if state[below] == 1:
                        name = nodes[below].name or nodes[at].name
                        raise ModelError(
                            f"the recursion '{name}' repeats without any message",
                            place=nodes[below].place or nodes[at].place,
                        )
                    stack.append((below, False))


def _check_choices(graph: GlobalGraph) -> None:
    """Each branch of a choice starts with what the chooser sends, or with its crash."""
    headed: set[int] = set()
    for node in graph.nodes:
        if node.kind == CHOICE:
            for branch, place in zip(node.next, node.places, strict=True):
                first = _first(graph, branch)
                _check_first(node, graph.nodes[first], place)
                headed.add(first)
    _check_crashes(graph, headed)


def _check_crashes(graph: GlobalGraph, headed: set[int]) -> None:
    """`crash` heads a branch, or stands behind that in the branch, where one more role learns of it."""
    crashes = [i for i, node in enumerate(graph.nodes) if node.kind == MESSAGE and node.label is CRASH]
    later = [i for i in crashes if i not in headed]
    known = _detected(graph) if later else {}
    for number in later:
        node = graph.nodes[number]
        if number not in known:
            continue
        who = [receiver for crashed, receiver in known[number] if crashed == node.sender]
        if not who:
            raise ModelError(
                "'crash' stands only at the head of a branch of a choice at the role that crashes, or later "
                "in such a branch",
                place=node.place,
                hint=f"choice at {node.sender} {{ ... }} or "
                f"{{ crash from {node.sender} to {node.receiver}; ... }}",
            )
        if node.receiver in who:
            raise ModelError(
                f"{node.receiver} has learned of the crash of {node.sender} before", place=node.place
            )


def _detected(graph: GlobalGraph) -> dict[int, frozenset[tuple[str, str]]]:
    """For each node that is reached: who has crashed, and who knows, on every way to it."""
    known: dict[int, frozenset[tuple[str, str]]] = {graph.start: frozenset()}
    queue = [graph.start]
    for number in queue:
        node = graph.nodes[number]
        facts = known[number]
        if node.kind == MESSAGE and node.label is CRASH:
            facts |= {(node.sender, node.receiver)}
        for below in node.next:
            before = known.get(below)
            if before is None or not before <= facts:
                known[below] = facts if before is None else before & facts
                queue.append(below)
    return known


def _first(graph: GlobalGraph, at: int) -> int:
    """What a branch starts with: a message, the end, or a choice, which is looked at by itself."""
    while graph.nodes[at].kind == SILENT:
        at = graph.nodes[at].next[0]
    return at


def _check_first(choice: GlobalNode, first: GlobalNode, place: Place) -> None:
    if first.kind == END:
        raise ModelError(
            f"{choice.sender} chooses here, but this branch may end without any message, so that "
            f"nobody learns of the choice",
            place=place,
            hint=f"start the branch with a message from {choice.sender}",
        )
    if first.sender != choice.sender:
        what = "the crash" if first.label is CRASH else "a choice" if first.kind == CHOICE else "a message"
        raise ModelError(
            f"{choice.sender} chooses here, but this branch starts with {what} of {first.sender}",
            place=first.place or place,
            hint=f"start it with a message from {choice.sender}, or write: choice at {first.sender}",
        )
