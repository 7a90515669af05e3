"""Python inside a web page: it has no threads and no other processes.

The book runs there too (`umlbook.book.lite`); what it has to do in another way asks here.
"""

import sys


def in_browser() -> bool:
    """Whether this Python was compiled to WebAssembly."""
    return sys.platform == "emscripten"


def needs_a_computer(what: str) -> str:
    """The sentence that says what a page cannot do.

    >>> needs_a_computer("grading")
    'grading starts other processes, which Python in a web page cannot: install umlbook for it'
    """
    return (
        f"{what} starts other processes, which Python in a web page cannot: install umlbook for it"
    )
