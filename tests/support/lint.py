r"""What a stored notebook of the book must look like, as functions from a notebook to its problems.

Each rule takes a notebook and returns one sentence per fault, empty when all is well. nbval proves
that the stored outputs are those that the code gives; these rules see what nbval cannot: a page
with nothing stored, a figure without its sentence, mathematics that some viewers do not render, a
path of the machine it was made on.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from support.reading import reading_problems

Rule = Callable[[NotebookNode], list[str]]

MAX_BYTES = 1_300_000  # with pictures for dense screens
MAX_CODE_LINES = 20
MIN_SENTENCE = 40  # characters
SECTIONS = ("What breaks", "Exercises", "Summary")  # of every chapter but the tour

#: Calls that always put something on the page.
_SPEAKING = {"check", "check_true", "display", "erratum", "print", "show"}
_LOCAL = re.compile(
    r"(?<![\w.~-])/(?:home|root|tmp|Users)/|\b[A-Z]:\\+(?:Users|Windows|Program|Temp)"
    r"|site-packages|\bat 0x[0-9a-f]{6,}"
)
_UNWANTED_CODE = {
    r"\bpyplot\b|\bplt\.|%matplotlib": "uses pyplot: draw on a matplotlib.figure.Figure",
    r"\binteract(?:ive|ive_output)?\(|@(?:\w+\.)?interact\b": "uses interact: use an explorer",
    r"(?<!\w)(?:widgets\.|ipywidgets\.)?Output\(": "uses an Output widget: use Image or HTML",
    r"\bclear_output\b|\bupdate_display\b": "rewrites its output, which nbval cannot compare",
    r"NBVAL_\w+": "tells nbval to look away",
}
_UNWANTED_MATH = {
    r"\\label\b": r"uses \label: number with \tag",
    r"\\(?:eq)?ref\b": r"uses \ref: write the number, e.g. (6.3)",
}
_FENCE = re.compile(r"^ {0,3}(?:> ?)*(```|~~~).*?^ {0,3}(?:> ?)*\1[`~]*\s*$", re.M | re.S)
_INLINE_CODE = re.compile(r"(`+).+?\1")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$", re.MULTILINE)
_MARKDOWN_LINK = re.compile(r"(!?)\[[^\]]*\]\(<?([^)\s>]+)[^)]*\)")
_HTML_LINK = re.compile(r"<(a|img)\b[^>]*?(?:href|src)=[\"']([^\"']+)")


# --------------------------------------------------------------------------- what cells say


def _cells(notebook: NotebookNode, kind: str) -> Iterator[tuple[str, NotebookNode]]:
    """The cells of one kind, each with its place for a message."""
    for index, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == kind:
            yield f"cell {index}", cell


def _outputs(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode, NotebookNode]]:
    """Place, cell and output, for every output."""
    for place, cell in _cells(notebook, "code"):
        for output in cell.outputs:
            yield place, cell, output


def _prose(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """Place and text of each markdown cell, code spans and code blocks taken out."""
    for place, cell in _cells(notebook, "markdown"):
        yield place, _INLINE_CODE.sub("", _FENCE.sub("", cell.source))


def _output_texts(output: NotebookNode) -> list[str]:
    """All that an output says in words."""
    texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    data = output.get("data", {})
    return texts + [text for mime, text in data.items() if mime.startswith("text/")]


def _headings(notebook: NotebookNode) -> list[tuple[str, int, str]]:
    """Place, level and text of each heading."""
    return [
        (place, len(marks), text)
        for place, prose in _prose(notebook)
        for marks, text in _HEADING.findall(prose)
    ]


def _found(patterns: dict[str, str], texts: Iterator[tuple[str, str]]) -> list[str]:
    return [
        f"{place} {fault}"
        for place, text in texts
        for pattern, fault in patterns.items()
        if re.search(pattern, text)
    ]


# -------------------------------------------------------------------------- rules: outputs


def counts(notebook: NotebookNode) -> list[str]:
    """Code cells are numbered 1, 2, ..., n: the notebook was run once, from top to bottom."""
    given = [cell.execution_count for _, cell in _cells(notebook, "code")]
    if given == list(range(1, len(given) + 1)):
        return []
    return [f"code cells are numbered {given}: run `umlbook refresh`"]


def stored_outputs(notebook: NotebookNode) -> list[str]:
    """A cell that certainly speaks has its words stored; nbval passes a stripped notebook."""
    code = list(_cells(notebook, "code"))
    if code and not any(cell.outputs for _, cell in code):
        return ["no cell has a stored output: run `umlbook refresh`"]
    return [
        f"{place} has no stored output: run `umlbook refresh`"
        for place, cell in code
        if not cell.outputs and _speaks(cell.source)
    ]


def _speaks(source: str) -> bool:
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return False  # a cell that shows a syntax error is tagged, and has its error stored
    return any(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id in _SPEAKING
        for statement in statements
    )


def clean_outputs(notebook: NotebookNode) -> list[str]:
    """No stderr, no error but a tagged one, nothing heavy or unstable."""
    problems = []
    for place, cell, output in _outputs(notebook):
        data = output.get("data", {})
        if output.get("name") == "stderr":
            problems.append(f"{place} wrote to stderr: {output.text.strip()[:80]!r}")
        tagged = "raises-exception" in cell.metadata.get("tags", [])
        if output.output_type == "error" and not tagged:
            problems.append(f"{place} raised {output.ename} and is not tagged raises-exception")
        if "sk-container-id" in data.get("text/html", ""):
            problems.append(f"{place} shows a bare estimator: assign it to _, or print it")
        if "image/svg+xml" in data:
            problems.append(f"{place} stores an SVG picture: show a PNG")
    return problems


def figure_sentences(notebook: NotebookNode) -> list[str]:
    """Every picture has a sentence as its text: caption, alternative text and nbval's handle."""
    problems = []
    for place, _, output in _outputs(notebook):
        data = output.get("data", {})
        sentence = data.get("text/plain", "")
        if "image/png" in data and (len(sentence) < MIN_SENTENCE or sentence.startswith("<")):
            problems.append(
                f"{place} has a figure whose text is {sentence!r}: "
                f"use show(fig, sentence) with {MIN_SENTENCE} characters or more"
            )
    return problems


def no_local_paths(notebook: NotebookNode) -> list[str]:
    """Nothing of the machine that made the page: no paths, no addresses of objects."""
    texts = [(f"cell {i}", cell.source) for i, cell in enumerate(notebook.cells, start=1)]
    texts += [(place, text) for place, _, out in _outputs(notebook) for text in _output_texts(out)]
    matches = [(place, _LOCAL.search(text)) for place, text in texts]
    return [f"{place} names something local: {match[0]!r}" for place, match in matches if match]


# ---------------------------------------------------------------------------- rules: prose


def headings(notebook: NotebookNode) -> list[str]:
    """One H1, first of all, and no level left out on the way down."""
    found = _headings(notebook)
    titles = [text for _, level, text in found if level == 1]
    problems = [] if len(titles) == 1 else [f"{len(titles)} headings of level 1, want one"]
    previous = 0
    for place, level, text in found:
        if level > previous + 1:
            problems.append(f"{place} jumps from level {previous} to {level} at {text!r}")
        previous = level
    return problems


def display_mathematics(notebook: NotebookNode) -> list[str]:
    """`$$` opens at the start of a line and closes at the end of one, else viewers disagree."""
    problems = []
    for place, prose in _prose(notebook):
        is_open = False
        for line in prose.splitlines():
            text = line.strip().lstrip("> ")
            n_marks = text.count("$$")
            starts_well = is_open or text.startswith("$$")
            ends_well = text.endswith("$$") or (n_marks == 1 and not is_open)
            if n_marks and not (n_marks <= 2 - is_open and starts_well and ends_well):
                problems.append(f"{place} has $$ inside a line: {text[:60]!r}")
            is_open ^= n_marks % 2 == 1
        if is_open:
            problems.append(f"{place} opens $$ and does not close it")
    return problems


def equation_numbers(notebook: NotebookNode) -> list[str]:
    r"""Numbers by `\tag`, each once, and never by `\label` and `\ref` (JupyterLab has none)."""
    tags = Counter(
        tag for _, prose in _prose(notebook) for tag in re.findall(r"\\tag\*?\{([^}]*)\}", prose)
    )
    repeated = [rf"\tag{{{tag}}} is used {n} times" for tag, n in tags.items() if n > 1]
    return repeated + _found(_UNWANTED_MATH, _prose(notebook))


# ----------------------------------------------------------------------------- rules: code


def code_length(notebook: NotebookNode) -> list[str]:
    """Code cells of 1 to 20 lines; what is longer belongs in the package."""
    sizes = [(place, len(c.source.splitlines())) for place, c in _cells(notebook, "code")]
    return [
        f"{place} has {size} lines, want 1 to {MAX_CODE_LINES}"
        for place, size in sizes
        if not 1 <= size <= MAX_CODE_LINES
    ]


def code_habits(notebook: NotebookNode) -> list[str]:
    """Nothing that draws blank in a callback or that nbval cannot compare."""
    sources = [(place, cell.source) for place, cell in _cells(notebook, "code")]
    untested = [
        f"{place} has the tag {tag}, which tells nbval to look away"
        for place, cell in _cells(notebook, "code")
        for tag in cell.metadata.get("tags", [])
        if tag.startswith("nbval-")
    ]
    silenced = [
        f"{place} ends in ';', which does not silence it under nbval: assign to _"
        for place, source in sources
        if source.rstrip().endswith(";")
    ]
    unseen = [
        f"{place} makes a table that nobody sees: only the last line of a cell is shown"
        for place, source in sources
        if any(map(_is_table, _statements(source)[:-1]))
    ]
    return untested + silenced + unseen + _found(_UNWANTED_CODE, iter(sources))


def _statements(source: str) -> list[ast.stmt]:
    """The statements of a cell at its top level; none where IPython's own syntax stands."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def _is_table(statement: ast.stmt) -> bool:
    """Whether the statement is a bare call of `table`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "table"


# ------------------------------------------------------------------- rules: whole notebooks


def skeleton(notebook: NotebookNode) -> list[str]:
    """The parts that every chapter has: notation, one setup cell before all code, the end."""
    names = [text.lower() for _, _, text in _headings(notebook)]
    problems = [
        f"no section {section!r}"
        for section in SECTIONS
        if not any(section.lower() in name for name in names)
    ]
    if not re.search(r"^#+ .*notation(?:.*\n)*?\|.+\|", _joined(notebook), re.I | re.M):
        problems.append("no table under a heading 'Notation'")
    first = next((cell.source for _, cell in _cells(notebook, "code")), "")
    if not re.match(r"(?:#.*\n|\s*\n)*(?:import|from)\s", first):
        problems.append("the first code cell is not the setup: begin it with the imports")
    return problems


def _joined(notebook: NotebookNode) -> str:
    return "\n".join(prose for _, prose in _prose(notebook))


def links(notebook: NotebookNode, folder: Path) -> list[str]:
    """Links to files lead somewhere from `folder`, and pictures come from no other machine."""
    problems = []
    for place, prose in _prose(notebook):
        text = re.sub(r"\$[^$]+\$", "", prose)  # E[X](y) in mathematics is no link
        for kind, address in _MARKDOWN_LINK.findall(text) + _HTML_LINK.findall(text):
            file = address.partition("#")[0]
            if re.match("https?:|//", address):
                if kind in {"!", "img"}:
                    problems.append(f"{place} fetches a picture from the network: {address}")
            elif file and not re.match(r"\w+:", file) and not (folder / file).exists():
                problems.append(f"{place} links to {address}, which does not exist")
    return problems


COMMON: tuple[Rule, ...] = (
    clean_outputs, figure_sentences, no_local_paths, headings, display_mathematics,
    equation_numbers, code_length, code_habits,
)  # fmt: skip
EXECUTED: tuple[Rule, ...] = (counts, stored_outputs)


def rules(path: Path) -> tuple[Rule, ...]:
    """The rules for the notebook at `path`: exercises are stored as handed out, not run."""
    if path.parent.name == "exercises":
        return COMMON
    is_chapter = path.parent.name != "solutions" and re.match(r"\d\d-", path.name)
    return COMMON + EXECUTED + ((skeleton,) if is_chapter and path.name >= "01" else ())


def file_problems(path: Path) -> list[str]:
    """All that is wrong with the notebook file at `path`, one sentence each."""
    notebook = nbformat.read(path, as_version=4)
    problems = [problem for rule in rules(path) for problem in rule(notebook)]
    size = path.stat().st_size
    if size >= MAX_BYTES:
        problems.append(f"the file has {size / 1000:.0f} kB, want under {MAX_BYTES / 1000:.0f}")
    return problems + reading_problems(path, notebook) + links(notebook, path.parent)
