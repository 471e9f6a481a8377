"""The four addresses that are answered: the page, its events, its document, and whether the server is well."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from weaklink._version import __version__
from weaklink.show.live.board import Board
from weaklink.show.live.stream import StreamMessages, stream
from weaklink.show.renderers.html import write_live_page

EVENTS = "events"
PAGE_POLICY = "frame-ancestors 'none'"
"""What the page cannot say in its own head, where the rest of its policy stands."""


def build_application(board: Board) -> Starlette:
    """The application that shows a board."""
    page = write_live_page(EVENTS)
    messages = StreamMessages(board)

    async def show(_: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": PAGE_POLICY})

    async def events(request: Request) -> Response:
        if request.method == "HEAD":  # a stream without a body would never end
            return Response(media_type="text/event-stream")
        told = stream(board, messages, request.headers.get("last-event-id", ""))
        return StreamingResponse(told, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def document(_: Request) -> Response:
        return Response(board.state.document(), media_type="application/json")

    async def health(_: Request) -> Response:
        return JSONResponse({"weaklink": __version__, "status": "ok", "pages": len(board.state.sheets)})

    answers = {"/": show, f"/{EVENTS}": events, "/document": document, "/health": health}
    made = Starlette(routes=[Route(path, answer, methods=["GET"]) for path, answer in answers.items()])
    made.router.redirect_slashes = False
    return made
