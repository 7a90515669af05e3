"""The panel around `analyse`: a file, four choices, three buttons, and everything said in words.

It is made of plain controls that Tab reaches and keys operate. What it does is in methods that a
test, or a reader without a mouse, can call: `open`, `cluster`, `save`, `ask`.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from umlbook.book.own.asking_panel import AskingPanel
from umlbook.book.own.columns import columns, spoken
from umlbook.book.own.files import TableError, TableQuestion
from umlbook.book.own.interview import Interview
from umlbook.book.own.methods import METHODS, pair_model
from umlbook.book.own.preparing import GAPS, SCALINGS, ask, usable_names
from umlbook.book.own.result import Analysis, analyse
from umlbook.book.own.rows import read
from umlbook.book.page.twin import Twinned, live_view

LOOK_ROWS = 500
"""Rows that are read to offer the columns."""
NOTHING = "(nothing)"
MARKS = (("find out", ""), ("1,234.5 (decimal point)", "."), ("1.234,5 (decimal comma)", ","))


class OwnData(Twinned):
    """Choose a file and a method, and see what comes out.

    Attributes
    ----------
    status : str
        What the panel is doing, what it has done, or what went wrong.
    result : Analysis or None
        The last clustering.
    asking : AskingPanel or None
        The questions about pairs, once they are asked.
    widget : ipywidgets.VBox
        The panel.
    """

    def __init__(self, path: str | Path = "", folder: str | Path = ".") -> None:
        if not isinstance(path, str | Path):
            raise TypeError(
                f"path is a {type(path).__name__}: the panel takes the path of a file; "
                "analyse takes data frames and arrays too"
            )
        self.folder = Path(folder)
        self.result: Analysis | None = None
        self.asking: AskingPanel | None = None
        self._uploaded: set[Path] = set()
        self._build()
        self._build_reading()
        if str(path):
            self.open(path)

    # ---- what the buttons do

    def open(self, path: str | Path) -> None:
        """Read the columns of a file and offer them."""
        shown = str(path)
        if self._path.value != shown:
            self._path.value = shown  # calls this method again
            return
        self._safely(f"Reading {Path(path).name}", self._open)

    def _open(self) -> str:
        self.result = self.asking = None
        self._second.children = ()
        self._page.value = ""
        self._columns.options, self._against.options = (), (NOTHING,)
        path = self._file()
        told = self._told()
        table = read(path, LOOK_ROWS, header=told["header"])
        found = columns(table, spoken(told["decimal"], None, told["missing_values"]))
        names = usable_names(path.name, found)
        offered = [name for name, c in found.items() if c.kind in ("numbers", "label")]
        self._columns.options = offered
        self._columns.value = names
        self._against.options = (NOTHING, *(n for n, c in found.items() if c.comparable))
        ask(path.name, [found[name] for name in names])
        out = [f"{name} ({c.kind})" for name, c in found.items() if name not in names]
        which = f": {', '.join(out[:8])}" if out else ""
        return (
            f"{path.name}: {table.n_rows:,} rows, {len(found)} columns ({table.source.how}); "
            f"{len(names)} are used, {len(out)} are left out{which}. Choose, then press Cluster."
        )

    def _told(self) -> dict[str, Any]:
        """What the reader says about how the file is written; None where nothing is said."""
        header, gaps = self._header.value.strip(), self._marks.value.strip()
        if header and not header.isdigit():
            raise TableError(
                f"names in line {header!r}: a number of a line is wanted, or 0 for none"
            )
        return {
            "decimal": self._decimal.value or None,
            "header": int(header) if header else None,
            "missing_values": [cell.strip() for cell in gaps.split(";")] if gaps else None,
        }

    def cluster(self) -> None:
        """Cluster the file as the controls stand, and show the result."""
        what = f"{self._method.value} with {self._n_clusters.value} clusters"
        self._safely(f"Working: {what}, and its diagnostics", self._cluster)

    def _cluster(self) -> str:
        against = self._against.value
        self.result = analyse(
            self._file(), self._method.value, self._n_clusters.value,
            columns=self._columns.value, scaling=self._scaling.value, missing=self._gaps.value,
            compare_with=None if against == NOTHING else against, **self._told(),
        )  # fmt: skip
        code = escape(self.result.code(self._said_path()))
        code = f"<p><b>The same in five lines</b></p><pre>{code}</pre>"
        self._page.value = self.result._repr_html_() + code
        return f"Done. {self.result.title}."

    def save(self) -> None:
        """Write the clusters, the picture and the code to the panel's folder."""
        self._safely("Saving; a large file is read once more", self._save)

    def _save(self) -> str:
        if self.result is None:
            raise TableError("there is nothing to save yet: press Cluster first")
        files = self.result.save(self.folder, self._said_path())
        return "Saved " + ", ".join(path.name for path in files) + "."

    def ask(self) -> None:
        """Show the panel that asks about pairs of rows of the clustered file."""
        self._safely("Choosing the first question", self._ask)

    def _ask(self) -> str:
        if self.result is None:
            raise TableError("there is nothing to ask about yet: press Cluster first")
        model = pair_model(self.result.n_clusters, self.result.seed)
        self.asking = AskingPanel(
            Interview(self.result.data, self.result.n_clusters, model, folder=self.folder)
        )
        self._second.children = (self.asking.widget,)
        return f"Answer below; the clusters there follow your answers. {self.asking.status}"

    def _file(self) -> Path:
        given = self._path.value.strip(" \"'")  # some systems copy a path with quotes
        if not given:
            raise TableError("there is no file yet: write its path, or upload it")
        return Path(given)

    def _said_path(self) -> str:
        """The path for the code: of an upload, whose copy will not stay, the name alone."""
        path = self._file()
        return path.name if path in self._uploaded else str(path)

    def _safely(self, busy: str, action: Callable[[], str]) -> None:
        """Say that it is at work, do it, and say how it went: nothing is lost in a callback."""
        self._say(f"{busy} ...")
        try:
            self._say(action())
        except TableQuestion as question:
            self._say(f"A question first: {question} (here: the controls Numbers, Names in line)")
        except TableError as error:
            self._say(f"This does not work: {error}")
        except Exception as error:  # a fault of ours must be seen too
            self._say(f"This failed unexpectedly ({type(error).__name__}): {error}")

    def _say(self, words: str) -> None:
        self.status = words
        self._status.value = f'<p role="status" style="max-width:44em">{escape(words)}</p>'

    # ---- the controls

    def _build(self) -> None:
        wide = {"layout": widgets.Layout(width="min(100%, 36em)"),
                "style": {"description_width": "9em"}}  # fmt: skip
        self._path = widgets.Text(
            description="File", placeholder="path of a CSV file, then Enter",
            continuous_update=False, **wide,
        )  # fmt: skip
        self._upload = widgets.FileUpload(
            accept=".csv,.tsv,.txt,.dat", description="or upload (up to 10 MB)",
            layout=widgets.Layout(width="max-content"),
        )  # fmt: skip
        self._columns = widgets.SelectMultiple(description="Columns", rows=7, **wide)
        self._scaling = widgets.Dropdown(description="Scaling", options=list(SCALINGS), **wide)
        self._gaps = widgets.Dropdown(description="Missing values", options=GAPS, **wide)
        self._method = widgets.Dropdown(description="Method", options=list(METHODS), **wide)
        self._n_clusters = widgets.BoundedIntText(
            description="Clusters (K)", value=3, min=2, max=50, **wide
        )
        self._against = widgets.Dropdown(description="Compare with", options=(NOTHING,), **wide)
        self._run = widgets.Button(description="Cluster", tooltip="Cluster the rows")
        self._keep = widgets.Button(description="Save", tooltip="Save clusters, picture and code")
        self._pairs = widgets.Button(
            description="Ask me", tooltip="Answer questions about pairs of rows"
        )
        self._status, self._page, self._second = widgets.HTML(), widgets.HTML(), widgets.VBox()
        self._say("Write the path of a CSV file, or upload one.")
        self._path.observe(lambda change: self.open(change["new"]), "value")
        self._upload.observe(self._on_upload, "value")
        self._run.on_click(lambda _: self.cluster())
        self._keep.on_click(lambda _: self.save())
        self._pairs.on_click(lambda _: self.ask())
        chosen = [self._columns, self._scaling, self._gaps, self._method, self._n_clusters]
        pressed = [self._run, self._keep, self._pairs]
        rows = [self._path, self._upload, *chosen, self._against]
        self._controls = [*rows, *pressed]
        self.widget = widgets.VBox(
            [*rows, widgets.HBox(pressed), self._status, self._second, self._page]
        )

    def _build_reading(self) -> None:
        """Add the controls that say how the file is written, where it leaves that open."""
        wide = {"layout": widgets.Layout(width="min(100%, 36em)"),
                "style": {"description_width": "9em"}}  # fmt: skip
        self._decimal = widgets.Dropdown(description="Numbers", options=MARKS, **wide)
        self._header = widgets.Text(
            description="Names in line", placeholder="found out; 0: there are none",
            continuous_update=False, **wide,
        )  # fmt: skip
        self._marks = widgets.Text(
            description="Also missing", placeholder="found out; or cells such as -999; 9999",
            continuous_update=False, **wide,
        )  # fmt: skip
        reading = [self._decimal, self._header, self._marks]
        for control in reading:
            control.observe(lambda _: self.open(self._path.value), "value")
        self._controls[2:2] = reading
        shown = self.widget.children
        self.widget.children = (*shown[:2], *reading, *shown[2:])

    def _on_upload(self, change: dict[str, Any]) -> None:
        for file in change["new"]:
            folder = tempfile.mkdtemp(prefix="umlbook-")  # the same name may be another file
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            path = Path(folder) / Path(file["name"]).name
            path.write_bytes(bytes(file["content"]))
            self._uploaded.add(path)
            self.open(path)

    # ---- the static twin

    def __repr__(self) -> str:
        names = [control.description for control in self._controls]
        said = self.status if self.result is None else f"{self.status}\n\n{self.result!r}"
        return " ".join(f"[{name}]" for name in names) + f"\n{said}"

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        words = "" if self.result is None else self.result.words()
        page = f"<p>{escape(self.status)}</p>{words}"
        return {**live_view(self.widget), "text/html": page, "text/plain": repr(self)}


def own_data(path: str | Path = "", *, folder: str | Path = ".") -> OwnData:
    """Return a panel that clusters a file of the reader's.

    Parameters
    ----------
    path : str or Path, optional
        A file to begin with; otherwise the panel asks for one.
    folder : str or Path, default="."
        Where its Save button writes.

    Returns
    -------
    OwnData
        Displays as the panel; prints as its controls and what it says.
    """
    return OwnData(path, folder)
