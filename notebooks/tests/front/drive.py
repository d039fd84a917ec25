"""Does with the kernel what JupyterLab does, and writes what came of it.

    drive.py cells KERNEL [CELL ...]   runs the cells as Run All does
    drive.py each KERNEL [CELL ...]    runs the cells one after the other, whatever comes of them
    drive.py help KERNEL               asks at once what Tab and Shift+Tab ask
    drive.py end KERNEL HOW            ends a kernel whose cell has no end: by shutdown, or by a
                                       signal (TERM, HUP, KILL), or by its own death (orphan)

The last line on standard output is JSON.
"""

import json
import os
import signal
import subprocess
import sys
import time

from jupyter_client import KernelManager


def below(root):
    """Returns the processes that root has started, and those that they have, and so on."""
    table = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parent = {int(pid): int(up) for pid, up in (line.split() for line in table.splitlines())}
    found = {root}
    while more := {pid for pid, up in parent.items() if up in found} - found:
        found |= more
    return sorted(found)


def published(client, msg_id, until):
    """Returns the messages of a request until one satisfies until."""
    seen = []
    while True:
        m = client.get_iopub_msg(timeout=120)
        if m["parent_header"].get("msg_id") == msg_id:
            seen.append(m)
            if until(m):
                return seen


def idle(m):
    return m["msg_type"] == "status" and m["content"]["execution_state"] == "idle"


def displays(messages):
    """Returns what the displays of a cell hold in the end: one with an id is written over."""
    found = {}
    for m in messages:
        if m["msg_type"].endswith("display_data"):
            key = m["content"].get("transient", {}).get("display_id") or m["header"]["msg_id"]
            found[key] = m["content"]["data"]
    return list(found.values())


def cells(client, sources):
    ids = [client.execute(source) for source in sources]
    replies = {}
    while len(replies) < len(ids):
        m = client.get_shell_msg(timeout=120)
        replies[m["parent_header"]["msg_id"]] = m["content"]
    outputs = [[m for m in published(client, id, idle) if m["msg_type"] in ("stream", "error", "display_data", "update_display_data")] for id in ids]
    return [
        {
            "status": replies[id]["status"],
            "evalue": replies[id].get("evalue", ""),
            "text": "".join(m["content"].get("text", "") for m in out if m["msg_type"] == "stream"),
            "traceback": "\n".join("\n".join(m["content"]["traceback"]) for m in out if m["msg_type"] == "error"),
            "displays": displays(out),
        }
        for id, out in zip(ids, outputs)
    ]


def complete(client, code):
    """Asks what Tab asks, again and again until there is an answer, as a person does."""
    while True:
        begin = time.monotonic()
        found = client.complete(code, len(code), reply=True, timeout=120)["content"]
        took = time.monotonic() - begin
        if not any(m.startswith("completion is") for m in found["matches"]):
            return found
        if took > 60:
            raise TimeoutError(f"{found['matches']} after {took:.0f} s")


def help_at_once(client):
    begin = time.monotonic()
    client.execute('import "bayescpace/viz"\n\nfunc early() viz.Figure { return viz.Figure{} }\n%%\ntime.Sleep(time.Second)')
    tab = complete(client, "%%\nviz.QOver")
    first = time.monotonic() - begin
    begin = time.monotonic()
    bare = complete(client, "import \"bayescpace/viz\"\nf := viz.QOver")
    second = time.monotonic() - begin
    inspect = lambda code: client.inspect(code, len(code), reply=True, timeout=120)["content"]
    return {
        "seconds": [first, second],
        "tab": tab,
        "bare": bare,
        "name": inspect('import "bayescpace/bcpace/nb"\n%%\nnb.Show'),
        "half": inspect('import "bayescpace/bcpace/nb"\n%%\nx := nb.Explore(envs.Tiger{}, '),
        "nothing": inspect("%%\nx := (((nowhere.What("),
    }


def main(what, kernel, *args):
    manager = KernelManager(kernel_name=kernel)
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    if what == "end":
        client.comm_info(reply=True, timeout=120)
        complete(client, "%%\nfmt.Pr")
        deaf = "signal.Ignore(os.Interrupt)\n" if args == ("TERM",) else ""
        id = client.execute(f'%%\n{deaf}fmt.Println("runs")\ntime.Sleep(time.Hour)')
        published(client, id, lambda m: m["msg_type"] == "stream")
        pid = manager.provisioner.pid
        print(json.dumps(below(pid)), flush=True)
        (how,) = args
        if how == "shutdown":
            manager.shutdown_kernel()
        elif how == "orphan":
            os.kill(os.getpid(), signal.SIGKILL)
        else:
            os.kill(pid, getattr(signal, "SIG" + how))
            while manager.is_alive():
                time.sleep(0.05)
        return
    try:
        if what == "cells":
            result = cells(client, args)
        elif what == "each":
            result = [cells(client, [source])[0] for source in args]
        else:
            result = help_at_once(client)
        print(json.dumps(result))
    finally:
        client.stop_channels()
        manager.shutdown_kernel()


if __name__ == "__main__":
    main(*sys.argv[1:])
