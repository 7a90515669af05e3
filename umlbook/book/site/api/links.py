"""Names of the package in the text of a page become links to the reference."""

from __future__ import annotations

import re

from umlbook.book.site.api.names import FOLDER, by_word, public

_CODE = re.compile(
    r"(?P<closed><(?P<tag>a|h[1-6]|summary|pre)\b.*?</(?P=tag)>)"
    r'|<code class="docutils literal notranslate"><span class="pre">'
    r"(?P<word>[\w.]+)(?P<call>\([^<]*\))?</span></code>",
    re.DOTALL,
)
_IMPORTED = re.compile(r'<span class="kn">from</span>.*?<span class="nn">(umlbook[\w.]*)</span>.*')
_WORD = re.compile(r'<span class="n">(\w+)</span>')


def with_code_links(html: str, page: str) -> str:
    """Return the body of a page in which code that is a public name is a link to the reference.

    Headings and what is a link already stay as they are, and so do words such as ``objective``,
    which mean more than one thing.

    Parameters
    ----------
    html : str
        The body of the page.
    page : str
        Its name, such as ``exercises/01-one``.

    Examples
    --------
    >>> code = '<code class="docutils literal notranslate"><span class="pre">AML</span></code>'
    >>> with_code_links(code, "one")[:55]
    '<a class="name" href="reference/aml.html#umlbook.AML"><'
    >>> with_code_links(f"<h2>{code}</h2>", "one") == f"<h2>{code}</h2>"
    True
    """
    root = "../" * page.count("/")

    def link(found: re.Match[str]) -> str:
        word = found["word"]
        name = word and (public().get(word) or by_word().get(word))
        return f'<a class="name" href="{root}{name.address}">{found[0]}</a>' if name else found[0]

    return _CODE.sub(link, html)


def with_import_links(html: str, page: str) -> str:
    """Return the body of a page in which names that its code imports from the package are links.

    Examples
    --------
    >>> line = '<span class="kn">from</span> <span class="nn">umlbook.cpd</span> ' \\
    ...        '<span class="kn">import</span> <span class="n">objective</span>'
    >>> with_import_links(line, "one").partition("</span> <a ")[2][:60]
    'class="name" href="reference/cpd.html#umlbook.cpd.objective"'
    """
    root = "../" * page.count("/")

    def line(found: re.Match[str]) -> str:
        module = found[1]

        def link(word: re.Match[str]) -> str:
            name = public().get(f"{module}.{word[1]}") or by_word().get(word[1])
            if not name:
                return word[0]
            return f'<a class="name" href="{root}{name.address}">{word[0]}</a>'

        return _WORD.sub(link, found[0])

    return _IMPORTED.sub(line, html)


def with_plain_quotes(html: str, page: str) -> str:
    """Return the body of a page of the reference with quotes as one types them, as in ``"auto"``.

    Examples
    --------
    >>> with_plain_quotes("<p>“auto”</p>", "reference/aml"), with_plain_quotes("<p>“a”</p>", "one")
    ('<p>"auto"</p>', '<p>“a”</p>')
    """
    return html.translate({0x201C: '"', 0x201D: '"'}) if page.startswith(f"{FOLDER}/") else html
