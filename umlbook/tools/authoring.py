"""Edit a notebook in a text editor: a plain script to a notebook, and back.

The notebook is the source and the only copy that is kept; the script is a scratch file::

    python -m umlbook.tools.authoring 01-kmeans.ipynb scratch.py     # to text
    python -m umlbook.tools.authoring scratch.py 01-kmeans.ipynb     # and back, without outputs
    umlbook refresh 01-kmeans.ipynb                                 # outputs and normal form

A cell starts at a line ``# %%`` (code), ``# %% [markdown]`` or ``# %% [raw]``, after which JSON
may give its metadata: ``# %% {"tags": ["raises-exception"]}``. Markdown is written as it is, not
commented out. Blank lines at either end of a cell are layout and belong to no cell.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

_MARKER = re.compile(r"^# %%(?: \[(markdown|raw)\])?(?: (\{.*\}))?$", re.MULTILINE)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def cell_ids(sources: list[str]) -> list[str]:
    """Ids that depend on the cells' text alone, so that inserting a cell renames no other."""
    keys = [f"{sources[:i].count(source)}\n{source}" for i, source in enumerate(sources)]
    return [hashlib.sha256(key.encode()).hexdigest()[:12] for key in keys]


def read_script(text: str) -> NotebookNode:
    """The notebook, without outputs, that a script describes.

    >>> notebook = read_script("# %% [markdown]\\n# Hello\\n\\n# %%\\n1 + 1\\n")
    >>> [(cell.cell_type, cell.source) for cell in notebook.cells]
    [('markdown', '# Hello'), ('code', '1 + 1')]
    """
    head, *parts = _MARKER.split(text)
    if head.strip():
        raise ValueError(f"the script starts with {head.strip()[:40]!r}: start with a '# %%' line")
    kinds, metadata = parts[::3], [json.loads(data or "{}") for data in parts[1::3]]
    sources = [source.rstrip().lstrip("\n") for source in parts[2::3]]
    cells = [
        getattr(v4, f"new_{kind or 'code'}_cell")(source, id=cell_id, metadata=data)
        for kind, data, source, cell_id in zip(
            kinds, metadata, sources, cell_ids(sources), strict=True
        )
    ]
    return v4.new_notebook(cells=cells, metadata=METADATA)


def write_script(notebook: NotebookNode) -> str:
    """The script from which `read_script` makes the same cells."""
    chunks = []
    for cell in notebook.cells:
        if _MARKER.search(cell.source):
            raise ValueError(f"a cell contains a line that starts a cell: {cell.source[:60]!r}")
        kind = "" if cell.cell_type == "code" else f" [{cell.cell_type}]"
        data = f" {json.dumps(cell.metadata)}" if cell.metadata else ""
        body = f"{cell.source}\n" if cell.source else ""
        chunks.append(f"# %%{kind}{data}\n{body}")
    return "\n".join(chunks)


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    if source.suffix == ".ipynb":
        target.write_text(write_script(nbformat.read(source, as_version=4)), encoding="utf-8")
    else:
        nbformat.write(read_script(source.read_text(encoding="utf-8")), target)
