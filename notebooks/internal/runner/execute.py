"""Executes and exports notebooks for the Go program beside this file.

Reads requests from standard input, one JSON object a line, and answers with
events on standard output, likewise. The end of standard input, which also
comes when the Go program dies, ends the request under way and its kernel.

    {"execute": PATH, "to": PATH, "kernel": NAME, "cwd": PATH, "timeout": SECONDS, "env": {}}
        -> {"event": "cell", "cell": K, "of": N} as each code cell starts, then
           {"event": "executed", "failure": null | {"cell": K, "kind": KIND, "text": TEXT}}
    {"export": PATH, "to": PATH, "pages": [NAME]}
        -> {"event": "exported"}, with links to the pages of the notebooks NAME.ipynb, and to
           live pages if "live" is among the names, and "index" for a page of contents
    {"inline": [MARKDOWN], "pages": [NAME]}
        -> {"event": "inlined", "html": [HTML]}, escaped but for what markdown makes
    any  -> {"event": "broken", "text": TEXT} when the request itself failed

Cells are counted as a reader counts them, code cells from 1. KIND is "error"
(the cell raised), "command" (a ! command failed, which GoNB takes for
success), "timeout" or "dead" (the kernel ended).
"""

import asyncio
import functools
import json
import os
import pathlib
import re
import sys
import threading

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import v4

# Events go to the real standard output; whatever libraries print must not mix in.
_events = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

stopping = threading.Event()  # standard input has ended


def emit(event, **fields):
    """Writes one event."""
    _events.write(json.dumps({"event": event, **fields}) + "\n")
    _events.flush()


def command_failed(cell):
    """Tells whether a ! command in the cell failed: GoNB says so on stderr only."""
    if "raises-exception" in cell.metadata.get("tags", []):
        return False
    stderr = "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr")
    return re.search(r"\bexit status [1-9]", stderr) is not None


async def interrupt(client):
    """Interrupts the cell and lets its program save what it has: GoNB kills it after 5 seconds."""
    try:
        await client.km.interrupt_kernel()
        await client.kc.get_shell_msg(timeout=6)
    except Exception:  # it is shut down next, whatever this came to
        pass


async def execute(request):
    """Executes all code cells up to the first failure, and writes the notebook."""
    # Not nbformat.read and write, which give cells without an id one by chance.
    with open(request["execute"], encoding="utf-8") as f:
        notebook = v4.reads(f.read())
    codes = [(i, c) for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    for _, cell in codes:
        cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        timeout=request["timeout"],
        kernel_name=request["kernel"],
        resources={"metadata": {"path": request["cwd"]}},
        record_timing=False,
        coalesce_streams=True,
    )
    # What exports a notebook takes a second to load; meanwhile cells compile.
    asyncio.get_running_loop().run_in_executor(None, exporter)
    failure, at = None, 0
    try:
        async with client.async_setup_kernel(env={**os.environ, **request["env"]}):
            try:
                for at, (index, cell) in enumerate(codes, 1):
                    emit("cell", cell=at, of=len(codes))
                    await client.async_execute_cell(cell, index)
                    if command_failed(cell):
                        failure = {"cell": at, "kind": "command", "text": ""}
                        break
                reply = await client.async_wait_for_reply(client.kc.kernel_info())
                if reply:
                    notebook.metadata["language_info"] = reply["content"]["language_info"]
            except CellExecutionError:
                failure = {"cell": at, "kind": "error", "text": ""}
            except CellTimeoutError:
                failure = {"cell": at, "kind": "timeout", "text": f"took longer than {request['timeout']} seconds"}
            except DeadKernelError:
                if stopping.is_set():  # nbclient takes our cancelling for this
                    await interrupt(client)
                    raise asyncio.CancelledError from None
                failure = {"cell": at, "kind": "dead", "text": "the kernel ended"}
            if failure and failure["kind"] == "timeout":
                # The program may be deaf to its interrupt; don't wait for it.
                client.shutdown_kernel = "immediate"
    finally:
        with open(request["to"], "w", encoding="utf-8") as f:
            f.write(v4.writes(notebook))
    emit("executed", failure=failure)


@functools.cache
def exporter():
    """Makes an exporter whose pages need no network."""
    from pages import PageExporter

    return PageExporter(embed_images=True)


def export(request):
    """Writes a notebook as one HTML page."""
    from pages import bound, linked

    page, _ = exporter().from_filename(request["export"])
    title = pathlib.Path(request["to"]).stem
    page = bound(linked(page, request["pages"]), title, request["pages"])
    with open(request["to"], "w", encoding="utf-8") as f:
        f.write(page)
    emit("exported")


def inline(request):
    """Renders short texts, which may come from anywhere."""
    from pages import linked, markdown2html

    # A text that begins as a list, a quotation or code is none here.
    pages = [linked(markdown2html("\u200b" + text, escape=True).strip(), request["pages"]) for text in request["inline"]]
    emit("inlined", html=[re.sub("^<p>|</p>$|\u200b", "", page) for page in pages])


async def serve():
    """Carries out requests until standard input ends."""
    loop = asyncio.get_running_loop()
    requests = asyncio.Queue()
    me = asyncio.current_task()

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(requests.put_nowait, json.loads(line))
        stopping.set()
        loop.call_soon_threadsafe(me.cancel)

    threading.Thread(target=read, daemon=True).start()
    while True:
        request = await requests.get()
        try:
            if "execute" in request:
                await execute(request)
            elif "export" in request:
                export(request)
            else:
                inline(request)
        except Exception as err:
            emit("broken", text=f"{type(err).__name__}: {err}")


if __name__ == "__main__":
    try:
        asyncio.run(serve())
    except asyncio.CancelledError:
        pass
