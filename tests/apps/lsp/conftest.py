"""One language server for the tests of a module, which a real client talks to."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count

import pytest
import pytest_lsp
from lsprotocol import types as lsp

from tests.apps.lsp.editor import SHOP, Editor


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=pytest_lsp.ClientServerConfig(server_command=[sys.executable, "-m", "stormproof", "lsp"]),
    scope="module",
    loop_scope="module",
)
async def client(lsp_client: pytest_lsp.LanguageClient) -> AsyncIterator[None]:
    lsp_client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)(lambda params: None)
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=pytest_lsp.client_capabilities("visual-studio-code"))
    )
    yield
    await lsp_client.shutdown_session()


_NUMBERS = count()


@pytest.fixture
def edit(client: pytest_lsp.LanguageClient) -> Iterator[Callable[..., Editor]]:
    """Opens texts, and closes them afterwards."""
    opened: list[Editor] = []

    def open_text(text: str = SHOP) -> Editor:
        opened.append(Editor(client, f"file:///tmp/shop{next(_NUMBERS)}.storm", text))
        return opened[-1]

    yield open_text
    for editor in opened:
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(editor.identifier))
