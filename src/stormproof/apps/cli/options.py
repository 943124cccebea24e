"""Arguments and flags that commands share: the input, the failures, the limits."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from ...errors import UsageError
from ...kernel.model.actions import Channel
from ...kernel.model.failures import Failures, parse_channel
from ...kernel.model.faults import CORRUPTION, CUT, KINDS, PROCESS_KINDS, SCOPES, FaultKind
from ...kernel.model.part import whole
from ...kernel.model.system import MAILBOX, System
from ...kernel.model.timers import MODES
from ...languages import formats, protocols
from ...limits import EFFORT, Limits, interrupting, is_over, parse_memory, why_interrupted, within
from .problems import Undecided

if TYPE_CHECKING:
    from ...languages.formats.storm_places import NoPlaces, Places
    from ...tell.lint.warning import Warning

#: Where a command keeps what --set gave.
CONSTANTS = "stormproof constants"

F = TypeVar("F", bound=Callable[..., Any])


def missing_for_studio() -> list[str]:
    """The packages of the studio's extra that are not installed; none of them is imported."""
    return [name for name in ("starlette", "uvicorn", "websockets") if not importlib.util.find_spec(name)]


def load_input(source: str, format: str | None = None) -> System:
    """The system that FILE names: standard input, a built-in protocol, a file in any language, or
    `module.py:protocol`, which runs the module. Its automata are whole."""
    return whole(load_partly(source, format))


def load_partly(source: str, format: str | None = None) -> System:
    """The same, with automata that may be made in part."""
    if format is not None:
        formats.format_named(format)
    constants = constants_asked()
    if source != "-" and protocols.is_library_name(source):
        if constants:
            text, name = protocols.source(source), f"{source}.storm"
            return _as_asked(formats.loads(text, "storm", name, constants))
        return _as_asked(protocols.protocol(source))
    from ...programs.extraction.load import load_protocol, split_python

    python = split_python(source)
    if python is None:
        return _as_asked(formats.load(source, format, constants))
    if constants:
        raise UsageError("--set is for constants of .storm files; a role in Python has arguments")
    from ...programs.automata.explore import showing
    from .console import counter_line
    from .copy_of_process import running

    with running(python[0]), counter_line("local states of roles") as progress, showing(progress):
        return _as_asked(load_protocol(*python))


def mailbox_asked() -> bool:
    """Was --mailbox given to the command that runs?"""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(MAILBOX))


def constants_asked() -> dict[str, str]:
    """What --set gave to the command that runs."""
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(CONSTANTS, {})) if context is not None else {}


def _as_asked(system: System) -> System:
    return replace(system, communication=MAILBOX) if mailbox_asked() else system


def load_with_places(
    source: str, format: str | None = None
) -> tuple[System, tuple[Warning, ...], Places | NoPlaces | None]:
    """The system that FILE names, the warnings about it, and its places; a built-in one has none. Its
    automata may be made in part."""
    if source != "-" and protocols.is_library_name(source):
        return load_partly(source, format), (), None  # nobody can mend a built-in protocol
    from ...tell.lint.api import lint_with_places, warnings

    if formats.is_stream(source):
        text, name = formats.read_text(source), formats.display_name(source)
        read, found, known = lint_with_places(text, name, format, constants_asked())
        return _as_asked(read), found, known
    system = load_partly(source, format)
    places = _places(system, source, format)
    return system, warnings(system, places), places


def _places(system: System, source: str, format: str | None) -> Places | NoPlaces:
    from ...programs.extraction.load import split_python

    if split_python(source) is None:
        from ...tell.lint.api import places_in

        return places_in(source, format, system)
    from ...tell.lint.source_places import SourcePlaces

    return SourcePlaces(system, source)


def load_with_text(source: str, format: str | None = None) -> tuple[System, str | None]:
    """The system that FILE names, and its text where that is a .storm file that can be edited."""
    from ...programs.extraction.load import split_python

    in_library = source != "-" and protocols.is_library_name(source)
    if in_library or split_python(source) is not None or formats.split_part(source) != (source, ""):
        return load_input(source, format), None
    text, name = formats.read_text(source), formats.display_name(source)
    stream = formats.is_stream(source)
    read = formats.loads(text, format, name, constants_asked()) if stream else load_input(source, format)
    system = whole(_as_asked(read))
    return system, text if formats.language_of(text, name, format) == "storm" else None


def mailbox_option(command: F) -> F:
    """--mailbox, which `load_input` takes into account."""

    def remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        context.meta[MAILBOX] = value

    return click.option(
        "--mailbox",
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Let the processes communicate by mailboxes, one queue per receiver.",
    )(command)


def set_option(command: F) -> F:
    """--set, which `load_input` takes into account."""

    def remember(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> None:
        pairs = [text.partition("=") for text in given]
        for text, (name, equals, value) in zip(given, pairs, strict=True):
            if not (name.strip() and equals and value.strip()):
                raise UsageError(f"'{text}' sets no constant", hint="write: --set numbers=4")
        context.meta[CONSTANTS] = {name.strip(): value.strip() for name, _, value in pairs}

    return click.option(
        "--set",
        metavar="NAME=VALUE",
        multiple=True,
        expose_value=False,
        callback=remember,
        help="Give a constant of FILE another value.",
    )(command)


def input_argument(command: F) -> F:
    """FILE, --format, --mailbox and --set; the command gets `source` and `format`."""
    command = set_option(mailbox_option(command))
    command = click.option(
        "--format",
        "format",
        metavar="LANGUAGE",
        help="The language of FILE; default: determined from its name and content.",
    )(command)
    return click.argument("source", metavar="FILE")(command)


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def output_options(command: F) -> F:
    """-o and --force; the command gets `output`, None for standard output, and `force`."""
    decorators = [
        click.option(
            "-o",
            "--output",
            metavar="PATH",
            callback=output_path,
            help="The file to write; default: standard output, also written -.",
        ),
        click.option("--force", is_flag=True, help="Overwrite PATH if it exists."),
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def output_path(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """-o - is standard output, as - is standard input."""
    if value == "":
        raise UsageError("-o needs the name of a file", hint="leave it out for standard output")
    return None if value == "-" else value


def question_options(command: F) -> F:
    """-k, --max-k and --property; the command gets `k`, `max_k` and `properties`."""

    @functools.wraps(command)
    def wrapper(*args: Any, **flags: Any) -> Any:
        if flags["k"] is not None and _given("max_k"):
            raise UsageError(
                "-k checks one bound and --max-k searches for the least one; give only one of them"
            )
        return command(*args, **flags)

    decorators = [
        click.option("-k", "k", type=int, metavar="N", help="Check at this bound only."),
        click.option(
            "--max-k",
            type=int,
            metavar="N",
            help="The largest bound to try: 6 for survival, 10 for the k-properties.",
        ),
        click.option(
            "--property",
            "properties",
            multiple=True,
            metavar="NAME",
            help="Check this property; may be repeated.",
        ),
    ]
    for decorate in reversed(decorators):
        wrapper = decorate(wrapper)
    return wrapper  # type: ignore[return-value]


def effort_option(command: F) -> F:
    """--effort; the command gets `effort`."""

    @functools.wraps(command)
    def wrapper(*args: Any, **flags: Any) -> Any:
        if flags["effort"] < 0:
            raise UsageError(f"--effort must be 0 or more, not {flags['effort']}")
        return command(*args, **flags)

    return click.option(
        "--effort",
        type=int,
        default=EFFORT,
        show_default=True,
        metavar="N",
        help="So many configurations, or as much of what a method counts instead, for what only makes an "
        "answer stronger.",
    )(wrapper)  # type: ignore[return-value]


def _given(name: str) -> bool:
    """Did the user write this flag, or is it the default?"""
    return click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT


#: At most so many faults in a run.
budget_option = click.option(
    "--budget", metavar="N", help="At most N faults in a run; or by kind: loss=2,reorder=1."
)


def failure_options(command: F) -> F:
    """--loss and the other flags for failures; the command gets one `failures` in their place."""

    @functools.wraps(command)
    def wrapper(*args: Any, **flags: Any) -> Any:
        return command(*args, failures=_failures(flags), **flags)

    decorators = [
        *(_everywhere_option(kind) for kind in KINDS),
        *(_channels_option(kind) for kind in KINDS),
        click.option(
            "--corrupt-scope",
            type=click.Choice(SCOPES),
            default="channel",
            show_default=True,
            help="What a message may become: any message of its channel, of its sender, of the system.",
        ),
        click.option(
            "--corrupt-map",
            multiple=True,
            metavar="A:B:x=y,...",
            help="Only these corruptions: on the channel from A to B, x may become y.",
        ),
        click.option(
            "--crash", multiple=True, metavar="P,Q", help="These processes may crash, and inform everybody."
        ),
        *(
            click.option(f"--{kind.keyword}", multiple=True, metavar="P,Q", help=kind.option)
            for kind in PROCESS_KINDS
        ),
        click.option(
            "--partition",
            metavar="'A,B | C'",
            help="Messages from one side to another may be lost; 'A,B | C stays': one cut, for good.",
        ),
        click.option(f"--{CUT.keyword}", is_flag=True, help="Any link may be cut, both ways and for good."),
        click.option(
            f"--{CUT.keyword}-on",
            multiple=True,
            metavar="A:B,...",
            help="These channels may be cut, one by one.",
        ),
        click.option(
            f"--{CUT.keyword}-link",
            multiple=True,
            metavar="A:B,...",
            help="These links may be cut, both ways.",
        ),
        budget_option,
        click.option(
            "--timers",
            type=click.Choice(MODES),
            help="Timers expire on time, while all else takes no time, or at any time (as FILE says).",
        ),
        click.option("--as-written", is_flag=True, help="Add no crash handling to a protocol that has none."),
        click.option("--no-file-faults", is_flag=True, help="Ignore the faults that FILE declares."),
    ]
    for decorate in reversed(decorators):
        wrapper = decorate(wrapper)
    return wrapper  # type: ignore[return-value]


def _everywhere_option(kind: FaultKind) -> Callable[[F], F]:
    return click.option(f"--{kind.keyword}", is_flag=True, help=f"Messages may {kind.may}, on all channels.")


def _channels_option(kind: FaultKind) -> Callable[[F], F]:
    spelling = ": Sender:Receiver,..." if kind is KINDS[0] else "."
    words = f"{kind.noun.capitalize()} on these channels only{spelling}"
    return click.option(f"--{kind.keyword}-on", multiple=True, metavar="A:B,...", help=words)


def _failures(flags: dict[str, Any]) -> Failures:
    """Take the failure flags out of `flags` and make them one value."""
    on: dict[str, Any] = {}
    for kind in KINDS:
        everywhere, some = flags.pop(kind.keyword), _named(flags, f"{kind.keyword}_on", "channel")
        on[kind.keyword] = everywhere or [parse_channel(c) for c in some] or False
    if _given("corrupt_scope") and not on[CORRUPTION.keyword]:
        raise UsageError(
            "--corrupt-scope has no effect without corruption",
            hint="add --corrupt or --corrupt-on",
        )
    cut, cut_link = _cuts(flags)
    of_roles: dict[str, Any] = {
        kind.keyword: _named(flags, kind.keyword, "process") for kind in PROCESS_KINDS
    }
    return Failures(
        **on,
        corrupt_scope=flags.pop("corrupt_scope"),
        corrupt_map=[pair for text in flags.pop("corrupt_map") for pair in parse_corrupt_map(text)],
        crash=_named(flags, "crash", "process"),
        **of_roles,
        partition=_partition(flags.pop("partition")),
        cut=cut,
        cut_link=cut_link,
        file_faults=not flags.pop("no_file_faults"),
        budget=flags.pop("budget"),
        as_written=flags.pop("as_written"),
        timers=flags.pop("timers"),
    )


def _cuts(flags: dict[str, Any]) -> tuple[bool | list[Channel], list[str]]:
    """Which channels and which links may be cut."""
    everywhere, word = flags.pop(CUT.keyword), CUT.keyword
    some = [parse_channel(c) for c in _named(flags, f"{word}_on", "channel")]
    return everywhere or some or False, _named(flags, f"{word}_link", "link")


def _partition(text: str | None) -> str | tuple[str, ...]:
    if text is not None and not text.strip():
        raise UsageError("--partition names no process", hint="write it 'A,B | C'")
    return text or ()


def _named(flags: dict[str, Any], flag: str, what: str) -> list[str]:
    """The names behind a flag. One that names nobody is a mistake and not a wish for no failure."""
    found = []
    for text in flags.pop(flag):
        names = split_list(text)
        if not names:
            raise UsageError(f"--{flag.replace('_', '-')} names no {what}")
        found += names
    return found


def split_list(text: str) -> list[str]:
    """Split at commas that stand outside brackets, since messages may carry payloads: `a(int,str),b`."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "(<[{") - (letter in ")>]}" and depth > 0)
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    parts.append(current.strip())
    return [part for part in parts if part]


def parse_corrupt_map(text: str) -> list[tuple[Channel, str, str]]:
    """`A:B:x=y,z=w`: the pairs after a channel belong to it until the next one is named."""
    found: list[tuple[Channel, str, str]] = []
    channel: Channel | None = None
    for part in split_list(text):
        before, equals, after = part.partition("=")
        where, colon, message = before.rpartition(":")
        if colon:
            channel = parse_channel(where)
        if channel is None or not equals or not message.strip() or not after.strip():
            raise UsageError(f"'{part}' is not a corruption", hint="write it A:B:x=y, or 'A->B:x=y'")
        found.append((channel, message.strip(), after.strip()))
    return found


def _named_limit(flag: str, text: str) -> int:
    """An amount of memory; what is wrong with it is said with the option's name."""
    try:
        return parse_memory(text)
    except UsageError as problem:
        raise UsageError(f"{flag}: {problem.message}", hint=problem.hint) from None


def disk_option(command: F) -> F:
    """--disk, which becomes part of the `limits` of the command."""

    @functools.wraps(command)
    def wrapper(*args: Any, **flags: Any) -> Any:
        folder = flags.pop("disk")
        if folder == "":
            raise UsageError("--disk needs the name of a folder")
        return command(*args, **flags | {"limits": replace(flags["limits"], disk=folder)})

    return click.option(
        "--disk",
        metavar="DIR",
        help="Go on in this folder when memory ends; the same command resumes what was stopped.",
    )(wrapper)  # type: ignore[return-value]


def limit_options(command: F) -> F:
    """--timeout, --memory, --max-states; the command gets one `limits` in their place, and ends within its
    time."""

    @functools.wraps(command)
    def wrapper(*args: Any, limits: Limits, **flags: Any) -> Any:
        with within(limits.seconds), interrupting():
            try:
                return command(*args, limits=limits, **flags)
            except KeyboardInterrupt:
                if not is_over():
                    raise
                raise Undecided(f"undecided: {why_interrupted()}") from None

    return limits_of_each("command", wrapper)


def limits_of_each(what: str, command: F | Callable[..., Any]) -> F:
    """The same options, where a command does many such things and each has the time for itself."""

    @functools.wraps(command)
    def wrapper(*args: Any, **flags: Any) -> Any:
        seconds, memory, states = (flags.pop(name) for name in ("timeout", "memory", "max_states"))
        for flag, value in (("--timeout", seconds), ("--max-states", states)):
            if value is not None and not value > 0:
                raise UsageError(f"{flag} must be more than 0, not {value:g}")
        chosen: dict[str, Any] = {"states": states}
        if seconds is not None:
            chosen["seconds"] = seconds
        if memory is not None:
            chosen["memory"] = _named_limit("--memory", memory)
        return command(*args, limits=Limits(**chosen), **flags)

    decorators = [
        click.option(
            "--timeout", type=float, metavar="SECONDS", help=f"The most time that a {what} may take (300)."
        ),
        click.option("--memory", metavar="AMOUNT", help="Use at most this much memory, for example 4GiB."),
        click.option("--max-states", type=int, metavar="N", help="Give up after this many configurations."),
    ]
    for decorate in reversed(decorators):
        wrapper = decorate(wrapper)
    return wrapper  # type: ignore[return-value]
