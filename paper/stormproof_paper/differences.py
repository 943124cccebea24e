"""Why a cell differs from the published one: a replayed run, a certificate, or a theorem."""

from __future__ import annotations

from stormproof.errors import InternalError
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.system import System
from stormproof.languages import protocols
from stormproof.oracle.bounded import TooLarge, explore
from stormproof.search.certificates.bounded import MOST
from stormproof.search.checks.properties import K_ER, K_EXH, K_MC, RSC
from stormproof.surveys.paper_table.cell_certificates import asked, certificate_of
from stormproof.surveys.paper_table.matrix import Cell, Column
from stormproof.trust.check_certificate import CertificateCheck, check_certificate

from .published import Published, published

MONOTONE = (
    "more faults mean more executions, so RSC under interference implies RSC without errors, "
    "where the same row publishes ✘"
)
LOSSY_SENDS = (
    "under loss on all channels a send into a full channel fits when something is lost in the same step, "
    "so k-exhaustivity holds by definition"
)
ONE_MESSAGE = (
    "each channel carries one message only, so corruption within a channel changes nothing, "
    "and without errors the same row publishes ✔"
)
NOTHING_NEW = (
    "at every k up to {max_k} corruption leads to no configuration that is not reached without errors, and "
    "takes no run away, so what holds without errors holds, and there the same row publishes ✔"
)
DRAINED = (
    "the automata are directed, without mixed states and internal actions, and no message is lost: the "
    "sender into a full channel can only wait until the first message there is received, so k-er implies "
    "k-exh at the same k, and the same row publishes k-er ✔"
)
SAME_AUTOMATON = "the automaton is that of {other}, whose published cell is {mark}"


def grounds(cell: Cell, row: Published, max_k: int) -> tuple[str, str]:
    """The kind (`witness`, `runs`, `theorem`, or `exhaustive` where the others fail) and it in words."""
    column = Column(cell.failures, cell.property)
    theorem = contradicted(row, column, cell.semantics) or _harmless(cell, row, max_k)
    also = f"; and {theorem}" if theorem else ""
    if cell.holds is False:
        return "witness", _witness(cell) + also
    runs = confirmed(cell)
    if runs is not None:
        return "runs", f"replayed: {runs.message}{also}"
    if theorem:
        return "theorem", theorem
    where = f"at k = {cell.k}" if cell.k else "of the search"
    return "exhaustive", f"all {cell.states:,} configurations {where} were examined"


def _witness(cell: Cell) -> str:
    word = "replayed" if cell.replayed else "not replayed"
    bound = f" at k = {cell.witness_k}" if cell.witness_k else ""
    faults = f", {cell.faults} of them faults" if cell.faults else ""
    twin = " under corruption as defined, whose violations are the encoding's too" if cell.twin else ""
    return f"a {word} run{bound} of {cell.steps} steps{faults}{twin}: {cell.reason}"


def confirmed(cell: Cell, most: int = MOST) -> CertificateCheck | None:
    """The certificate of a cell that holds, checked step by step; None where there is none."""
    certificate = certificate_of(cell, most)
    if certificate is None:
        return None
    found = check_certificate(*asked(cell), certificate)
    if not found.ok:
        raise InternalError(
            f"the certificate of {cell.property} of {cell.protocol} is refused: {found.message}"
        )
    return found


def contradicted(row: Published, column: Column, semantics: str = "definition") -> str:
    """The theorem that a published cell contradicts, if any, under that semantics."""
    value = row.cells.get(column)
    if semantics == "definition" and column == Column("loss", K_EXH.name) and value is False:
        return LOSSY_SENDS
    if column.property == RSC.name and column.failures != "none":
        if value is True and row.cells.get(Column("none", RSC.name)) is False:
            return MONOTONE
    if _undrained(row, column, semantics):
        return DRAINED
    for other in published():
        twins = {row.protocol, other.protocol} == {"alternating-bit", "alternating-bit-boigelot"}
        if twins and other.cells[column] != value:
            return SAME_AUTOMATON.format(other=other.protocol, mark="✔" if other.cells[column] else "✘")
    return ""


def _undrained(row: Published, column: Column, semantics: str) -> bool:
    """k-er and not k-exh, of automata for which one implies the other.

    The encodings keep automata directed and without mixed states, and their channels lose nothing.
    """
    lossless = column.failures == "corruption" or semantics != "definition"
    if (
        row.protocol is None
        or not lossless
        or column.property != K_EXH.name
        or row.cells[column] is not False
    ):
        return False
    found = protocols.protocol(row.protocol).classification
    plain = found.directed and not found.mixed and not found.internal
    return plain and row.cells.get(Column(column.failures, K_ER.name)) is True


def _harmless(cell: Cell, row: Published, max_k: int) -> str:
    """k-MC without errors, and corruption that adds nothing to what is reached without them."""
    if (cell.failures, cell.semantics) != ("corruption", "definition") or not cell.property.startswith("k-"):
        return ""
    if row.cells[Column("none", K_MC.name)] is not True or not cell.holds:
        return ""
    system, model = asked(cell)
    if model.perfect:
        return ONE_MESSAGE
    return NOTHING_NEW.format(max_k=max_k) if _nothing_new(system, model, max_k) else ""


def _nothing_new(system: System, model: FailureModel, max_k: int) -> bool:
    none = Failures(file_faults=False).on(system)
    try:
        return all(
            set(explore(system, model, k, MOST).steps) == set(explore(system, none, k, MOST).steps)
            for k in range(1, max_k + 1)
        )
    except TooLarge:
        return False
