"""Runs inside Pyodide: `run` executes the cells of a notebook in the kernel of the live book."""

import json
import os
import sys
import tempfile

import pyodide_kernel
from pyodide_kernel.jsonutil import json_clean

shell, kernel = pyodide_kernel.ipython_shell, pyodide_kernel.kernel_instance
kernel._parent_header = {"header": {}}
shell.send_comm = lambda *args: None
os.environ["UMLBOOK_PROGRESS"] = tempfile.mkdtemp()
os.environ["UMLBOOK_STUDENT"] = "reader"
_outputs: list[dict] = []


def _bundle(kind, data, metadata):
    clean = {mime: {"bytes": len(v)} if isinstance(v, bytes) else v for mime, v in data.items()}
    _outputs.append({"output_type": kind, "data": clean, "metadata": json_clean(metadata or {})})


def _stream(name, text):
    _outputs.append({"output_type": "stream", "name": name, "text": text})


def _listen():
    for stream in (pyodide_kernel.stdout_stream, pyodide_kernel.stderr_stream):
        stream.publish_stream_callback = _stream
    shell.display_pub.display_data_callback = lambda data, metadata, transient: _bundle(
        "display_data", data, metadata
    )
    shell.display_pub.update_display_data_callback = lambda *args: None
    shell.displayhook.publish_execution_result = lambda count, data, metadata: _bundle(
        "execute_result", data, metadata
    )


async def run(line):
    """Run the cells in a fresh namespace, with the book's modules loaded anew."""
    shell.reset(new_session=True)
    for name in [name for name in sys.modules if name.split(".")[0] == "umlbook"]:
        del sys.modules[name]
    _listen()
    cells = []
    for source in json.loads(line):
        _outputs.clear()
        done = await kernel.run(source)
        if done["status"] == "error":
            _outputs.append(
                {
                    "output_type": "error",
                    "ename": done["ename"],
                    "evalue": done["evalue"],
                    "traceback": done["traceback"],
                }
            )
        cells.append(list(_outputs))
    return json.dumps({"cells": cells})
