"""A widget and its static twin in one output of a page: the one while it lives, the other after.

JupyterLab stores a widget as the name of a model that lives in the kernel. Opened the next day, the
page says "Error displaying widget: model not found", whatever else the output holds. So the widget
and its twin are two outputs here, and the twin brings a rule of style that shows just one of them:
the widget where it is drawn, the twin everywhere else.
"""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets
from IPython.display import display

VIEW = "application/vnd.jupyter.widget-view+json"
LIVE, TWIN, PICTURED = "umlbook-live", "umlbook-twin", "umlbook-pictured"

_CELL = ".jp-OutputArea-child"
_ALIVE = f"{_CELL}:has(.{LIVE})"
_RULES = (
    f"{_ALIVE}+{_CELL}:has(.{TWIN}),{_ALIVE}+{_CELL}:has(.{PICTURED})+{_CELL},"
    # Of all outputs only a widget, or the error in its place, does not name its kind.
    f"{_CELL}:has(>.jp-OutputArea-output:not([data-mime-type])):not(:has(.{LIVE}))"
    f":has(+{_CELL} .{TWIN})"
    "{display:none}"
)


class Twinned:
    """Displays as a widget and its twin; a subclass gives both in `_repr_mimebundle_`."""

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, Any]:
        raise NotImplementedError

    def _twin_picture(self) -> Any:
        """A picture to stand under the twin, as something to display; None for none.

        It is an output of its own since the bytes of a picture differ between machines: tests
        compare the text of an output and not its pictures.
        """
        return None

    def _ipython_display_(self) -> None:
        bundle = self._repr_mimebundle_()
        if VIEW not in bundle:
            display(bundle, raw=True)
            return
        display({VIEW: bundle.pop(VIEW)}, raw=True)
        picture = self._twin_picture()
        html = bundle.get("text/html", f"<pre>{escape(bundle['text/plain'])}</pre>")
        display(bundle | {"text/html": twin_html(html, picture is not None)}, raw=True)
        if picture is not None:
            display(picture)


def live_view(widget: widgets.DOMWidget) -> dict[str, Any]:
    """Return the view of a widget for a bundle, marked so that a page can tell it is drawn."""
    widget.add_class(LIVE)
    return {VIEW: widget._repr_mimebundle_()[VIEW]}


def twin_html(html: str, pictured: bool = False) -> str:
    """Return the HTML of a twin, which a page shows only where its widget is not alive."""
    names = f"{TWIN} {PICTURED}" if pictured else TWIN
    return f'<div class="{names}"><style>{_RULES}</style>{html}</div>'
