"""What people write in a .storm file, out of habit from other languages, and what is written here instead."""

from __future__ import annotations

import re

from .storm_scan import NAME

#: Where the usual hint suffices.
ALTERNATIVE = "write  Peer!message -> next  or  Peer?message -> next"
STATE = "write  start: Peer!message -> next"
ONE_MESSAGE = "each message has an alternative of its own: Peer?message -> next"

_SEPARATED = "leave {} out: alternatives follow one another, usually each on its line"
_FINAL = "a final state has nothing behind its colon: done:"
_COLON = "a state has a colon behind its name: {}:"
_SEND = "a send is  Peer!message -> next"
_RECEPTION = "a reception is  Peer?message -> next"
TIMER = "a timer is  timeout -> next,  timeout name after 3 -> next  or  timeout at any time -> next"
_INTERNAL = "an action without a message is  internal name -> next, and a timer  timeout -> next"
_MARKED = "a state is just  name:  the first is the initial one, and one without alternatives is final"
_GLOBAL = "write what each role does: role A { start: B!message -> end }; a global protocol is Scribble"
_REQUIREMENT = "it is called require: require mutex: never A@busy & B@busy"
_ROLE = "it is called a role: role A { start: B!hello -> end }"

_SIGNS = {
    **dict.fromkeys("|,+", _SEPARATED.format("it")),
    ":": "the alternative before it does not say where it goes: Peer!message -> next",
    "{": "alternatives have no braces around them: " + STATE.removeprefix("write  "),
    "->": "first comes what happens: Peer!message -> next, or internal name -> next",
}
_WORDS = {
    **{word: _SEPARATED.format(f"'{word}'") for word in ("or", "and", "else", "case")},
    **dict.fromkeys(("send", "sends", "snd", "emit", "put"), _SEND),
    **dict.fromkeys(("receive", "receives", "recv", "rcv", "get", "on", "when"), _RECEPTION),
    **dict.fromkeys(("after", "timer", "delay", "sleep"), TIMER),
    **dict.fromkeys(("tau", "skip", "goto", "epsilon"), _INTERNAL),
    **dict.fromkeys(("state", "states", "initial", "init", "final", "accepting"), _MARKED),
}
_STATEMENTS = {
    "channel": "named channels are not there yet: between two roles there is one channel each way",
    **dict.fromkeys(("assert", "ensure", "invariant", "property", "prove", "spec"), _REQUIREMENT),
    **dict.fromkeys(
        ("actor", "agent", "automaton", "component", "machine", "module", "node", "participant", "process"),
        _ROLE,
    ),
}

#: Compiled when a mistake is found.
_INTERACTION = rf"(?:{NAME})[ \t]*(?:->|→)[ \t]*(?:{NAME})[ \t]*:"
_LABELLED = rf"[ \t]*(?:{NAME})[ \t]*:[ \t]*"
_ACTION = rf"[ \t]+(?:{NAME})[ \t]*[!?]"
_NOTHING = r"(?m)[ \t]*(?:\}|//|\r?$)"
_EMPTY = r"-(?![->])|\{[ \t]*\}"
_ARROW = r"[ \t]*->"


def before_alternative(text: str, start: int) -> str | None:
    """Where an alternative or a state should begin, and none does."""
    sign = "->" if text.startswith("->", start) else text[start : start + 1]
    head = text[text.rfind("\n", 0, start) + 1 : start]
    if sign in ("!", "?"):
        follows = bool(head.strip()) and not re.fullmatch(_LABELLED, head)
        return "an alternative ends with one state, which says how it goes on" if follows else _peer(sign)
    if re.fullmatch(_LABELLED, head) and _matches(_EMPTY, text, start):
        return _FINAL
    return _SIGNS.get(sign)


def _matches(pattern: str, text: str, at: int) -> bool:
    return re.compile(pattern).match(text, at) is not None


def _peer(sign: str) -> str:
    return f"name the other role: Peer{sign}message -> next"


def after_word(text: str, start: int, end: int) -> str | None:
    """Where a word begins neither an alternative nor a state."""
    word = text[start:end]
    if _matches(_INTERACTION, text, start):
        return _GLOBAL
    if _matches(_NOTHING, text, end):
        head = text[text.rfind("\n", 0, start) + 1 : start]
        return _FINAL if re.fullmatch(_LABELLED, head) else _COLON.format(word)
    if word.casefold() in _WORDS:
        return _WORDS[word.casefold()]
    if _matches(_ARROW, text, end):
        return _INTERNAL
    return _COLON.format(word) if _matches(_ACTION, text, end) else None


def instead_of_statement(text: str, start: int, word: str | None) -> str | None:
    """Where no statement begins."""
    if _matches(_INTERACTION, text, start):
        return _GLOBAL
    if text.startswith("{", start):
        return "roles have no braces around them: only each role has its own"
    return _STATEMENTS.get(word.casefold()) if word else None
