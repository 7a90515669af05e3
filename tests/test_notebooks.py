"""The stored notebooks: what they must look like, and that the tests over them would notice.

nbval itself runs over `notebooks/` through the pytest options in `pyproject.toml`.
"""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from support import lint

from umlbook.tools.authoring import read_script
from umlbook.tools.refresh import executed, normalised, notebook_bytes, refresh

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("[!.]*.ipynb"))
EXERCISES = sorted((ROOT / "notebooks" / "exercises").glob("*.ipynb"))


def name(path):
    return path.relative_to(ROOT).as_posix()


# -------------------------------------------------------------------------- the notebooks


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_notebook_has_no_problems(path):
    problems = lint.file_problems(path)
    assert not problems, f"{name(path)}:\n" + "\n".join(problems)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_notebook_is_stored_in_normal_form(path):
    normal = notebook_bytes(normalised(nbformat.read(path, as_version=4)))
    assert path.read_bytes() == normal, f"run `umlbook refresh {name(path)}`"


def outcomes(notebook):
    """What the exercise checks of an executed notebook say, in order."""
    texts = [
        output.data.get("text/plain", "") if "data" in output else output.get("text", "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    ]
    return re.findall(r"^Exercise [\d.]+: (.+)$", "\n".join(texts), re.MULTILINE)


@pytest.mark.parametrize("path", EXERCISES, ids=name)
def test_stub_runs_from_top_to_bottom_and_every_check_says_not_attempted(path, tmp_path):
    said = outcomes(executed(nbformat.read(path, as_version=4), tmp_path))
    assert said and set(said) == {"not attempted"}


# --------------------------------------------------------------------- tests of the tests

PAGE = """\
# %% [markdown]
# A page

# %%
import numpy as np

from umlbook.book import explorer, new_figure, show

# %%
print(f"The square root of two is {np.sqrt(2):.4f}")

# %%
figure, axes = new_figure(2, 1)
_ = axes.plot([0, 1], [1, 0])
show(figure, "A straight line falls from 1 at the left to 0 at the right.")

# %%
def picture(height):
    figure, axes = new_figure(2, 1)
    _ = axes.bar([0, 1], [1, height])
    return figure, f"Two bars, the second one of height {height}."


explorer(picture, question="Which is higher?", sliders={"height": [1, 2]})
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A refreshed notebook with text, a figure and a widget."""
    path = tmp_path_factory.mktemp("page") / "page.ipynb"
    nbformat.write(read_script(PAGE), path)
    refresh(path)
    return path


def nbval(path):
    """Exit code and report of this project's own pytest on one notebook."""
    options = ["-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "--color=no"]
    command = [sys.executable, "-m", "pytest", *options, f"--rootdir={path.parent}", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=path.parent)
    return result.returncode, result.stdout + result.stderr


def altered(page, folder, changes):
    """A copy of a notebook whose stored words have some digits changed."""
    notebook = nbformat.read(page, as_version=4)
    words = [
        (output, "text") if "text" in output else (output.data, "text/plain")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    ]
    for old, new in changes:
        holder, key = next((holder, key) for holder, key in words if old in holder[key])
        holder[key] = holder[key].replace(old, new)
    nbformat.write(notebook, folder / "page.ipynb")
    return folder / "page.ipynb"


def test_refreshed_page_passes(page):
    code, report = nbval(page)
    assert code == 0 and "4 passed" in report, report
    assert lint.file_problems(page) == []


def test_cells_with_one_altered_digit_fail(page, tmp_path):
    """In what is printed, in the words of a figure, and in those of a widget."""
    changes = [
        ("is 1.4142", "is 1.4143"),
        ("falls from 1", "falls from 2"),
        ("height 2", "height 3"),
    ]
    code, report = nbval(altered(page, tmp_path, changes))
    assert code == 1 and "Cell outputs differ" in report and "3 failed, 1 passed" in report, report


def test_stripped_page_passes_nbval_and_fails_the_lint(page, tmp_path):
    notebook = nbformat.read(page, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    stripped = tmp_path / "page.ipynb"
    nbformat.write(notebook, stripped)
    assert nbval(stripped)[0] == 0, "nbval now sees it by itself: the lint rule could go"
    problems = lint.file_problems(stripped)
    assert any("code cells are numbered [None" in problem for problem in problems)
    assert any("no cell has a stored output" in problem for problem in problems)


# ------------------------------------------------------------------------------ the rules


def markdown(*sources):
    return v4.new_notebook(cells=[v4.new_markdown_cell(source) for source in sources])


def code(source, *outputs, tags=(), count=1):
    metadata = {"tags": list(tags)} if tags else {}
    cell = v4.new_code_cell(source, outputs=list(outputs), execution_count=count, metadata=metadata)
    return v4.new_notebook(cells=[cell])


def half_stored():
    notebook = code("print(1)", stream("1\n"))
    notebook.cells += code("show(figure, 'sentence')", count=2).cells
    return notebook


def stream(text, name="stdout"):
    return v4.new_output("stream", name=name, text=text)


def shown(**data):
    return v4.new_output("display_data", {key.replace("_", "/"): v for key, v in data.items()})


ERROR = v4.new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])
SENTENCE = "The objective falls from 8.10 to 3.25 in six steps."
CHAPTER = """\
# %% [markdown]
# Title
## Notation
| paper | code |
|---|---|
| $K$ | `n_clusters` |

# %%
# the setup
import numpy as np

# %% [markdown]
## What breaks
## Exercises
## Summary of equations
"""

FAULTS = [
    (lint.counts, code("x = 1", count=2), "numbered [2]"),
    (lint.counts, code("x = 1", count=None), "numbered [None]"),
    (lint.stored_outputs, code("x = 1"), "no cell has a stored output"),
    (lint.stored_outputs, half_stored(), "cell 2 has no stored output"),
    (lint.clean_outputs, code("x", stream("careful", "stderr")), "stderr: 'careful'"),
    (lint.clean_outputs, code("x", ERROR), "not tagged raises-exception"),
    (lint.clean_outputs, code("x", shown(text_html="<div id='sk-container-id-1'>")), "estimator"),
    (lint.clean_outputs, code("x", shown(**{"image_svg+xml": "<svg/>"})), "SVG"),
    (lint.figure_sentences, code("x", shown(image_png="iVBO")), "figure whose text is ''"),
    (lint.figure_sentences, code("x", shown(image_png="iVBO", text_plain="Short.")), "40"),
    (
        lint.figure_sentences,
        code("x", shown(image_png="iVBO", text_plain="<Figure size 640x480 with 1 Axes of many>")),
        "<Figure",
    ),
    (lint.no_local_paths, code("open('/home/someone/data.csv')"), "/home/"),
    (lint.no_local_paths, code("x", stream("written to /tmp/pages")), "/tmp/"),
    (lint.no_local_paths, code("x", shown(text_plain="C:\\Users\\someone")), "C:"),
    (lint.no_local_paths, code("x", stream("lib/site-packages/numpy")), "site-packages"),
    (lint.no_local_paths, code("x", shown(text_plain="<f at 0x7f12ab34cd>")), "0x7f12ab34cd"),
    (lint.no_local_paths, markdown("Look in /root/notes."), "/root/"),
    (lint.headings, markdown("No title."), "0 headings of level 1"),
    (lint.headings, markdown("# One", "# Two"), "2 headings of level 1"),
    (lint.headings, markdown("# One", "### Deep"), "from level 1 to 3"),
    (lint.headings, markdown("## First", "# Title"), "from level 0 to 2"),
    (lint.display_mathematics, markdown("so $$x = 1$$"), "inside a line"),
    (lint.display_mathematics, markdown("$$x = 1$$ and so on"), "inside a line"),
    (lint.display_mathematics, markdown("$$\nx = 1\n$$ and so on"), "inside a line"),
    (lint.display_mathematics, markdown("$$x$$ $$y$$"), "inside a line"),
    (lint.display_mathematics, markdown("$$\nx = 1"), "does not close"),
    (lint.equation_numbers, markdown(r"$$a \tag{1.1}$$", r"$$b \tag{1.1}$$"), "used 2 times"),
    (lint.equation_numbers, markdown(r"$$a \label{a}$$"), r"\label"),
    (lint.equation_numbers, markdown(r"see $\eqref{a}$"), r"\ref"),
    (lint.code_length, code("x = 1\n" * 21), "21 lines"),
    (lint.code_length, code(""), "0 lines"),
    (lint.code_habits, code("import matplotlib.pyplot as plt"), "pyplot"),
    (lint.code_habits, code("@interact(x=3)\ndef f(x): ..."), "interact"),
    (lint.code_habits, code("widgets.interactive(f, x=3)"), "interact"),
    (lint.code_habits, code("out = widgets.Output()"), "Output"),
    (lint.code_habits, code("clear_output(wait=True)"), "rewrites its output"),
    (lint.code_habits, code("f(x);"), "';'"),
    (lint.code_habits, code("table({'x': [1]})\nassert x"), "nobody sees"),
    (lint.code_habits, code("# NBVAL_IGNORE_OUTPUT\nx"), "look away"),
    (lint.code_habits, code("x", tags=["nbval-skip"]), "look away"),
    (lint.skeleton, read_script(CHAPTER.replace("What breaks", "Else")), "'What breaks'"),
    (lint.skeleton, read_script(CHAPTER.replace("Exercises", "Else")), "'Exercises'"),
    (lint.skeleton, read_script(CHAPTER.replace("Summary", "Else")), "'Summary'"),
    (lint.skeleton, read_script(CHAPTER.replace("|", "")), "'Notation'"),
    (lint.skeleton, read_script(CHAPTER.replace("## Notation", "")), "'Notation'"),
    (lint.skeleton, read_script(CHAPTER.replace("import numpy as np", "x = 1")), "setup"),
]


@pytest.mark.parametrize(("rule", "notebook", "said"), FAULTS)
def test_rule_sees_its_fault(rule, notebook, said):
    problems = rule(notebook)
    assert len(problems) == 1 and said in problems[0], problems


WELL = [
    code("print(1)", stream("1\n")),
    code("1 / 0", ERROR, tags=["raises-exception"]),
    code("x", shown(image_png="iVBO", text_plain=SENTENCE)),
    markdown("# One\n\n## Two\n\n### Three", "## Four\n\n```python\n# a comment\n$$ \n```"),
    markdown("# One\n\n> $$x \\tag{1.1}$$\n\ntext\n\n$$\ny \\tag{1.2}\n$$", "and `$$` or `/tmp/x`"),
    read_script(CHAPTER),
]


@pytest.mark.parametrize("notebook", WELL)
def test_rules_are_content_with_a_good_page(notebook):
    rules = [lint.clean_outputs, lint.figure_sentences, lint.display_mathematics]
    rules += [lint.equation_numbers, lint.code_length, lint.code_habits]
    assert [problem for rule in rules for problem in rule(notebook)] == []


def test_skeleton_and_headings_are_content_with_a_good_chapter():
    assert lint.skeleton(read_script(CHAPTER)) == lint.headings(read_script(CHAPTER)) == []
    assert lint.headings(WELL[3]) == []


def test_links_must_lead_somewhere(tmp_path):
    (tmp_path / "there.ipynb").touch()
    page = markdown(
        "[a](there.ipynb) [b](there.ipynb#part) [c](#here) [d](https://example.org/x) `[e](no.py)`"
        " $E[X](y)$ <a href='there.ipynb'>f</a>"
    )
    assert lint.links(page, tmp_path) == []
    bad = markdown("[a](gone.ipynb#part) ![b](https://example.org/x.png) <img src='gone.png'>")
    assert [re.sub(".*(gone|network).*", r"\1", said) for said in lint.links(bad, tmp_path)] == [
        "gone", "network", "gone",
    ]  # fmt: skip


def test_a_large_file_is_a_problem(tmp_path):
    path = tmp_path / "page.ipynb"
    nbformat.write(markdown("# Title\n\n" + "word " * 270_000), path)
    (problem,) = lint.file_problems(path)
    assert "1350 kB, want under 1300" in problem


def test_rules_depend_on_what_the_notebook_is():
    assert lint.skeleton in lint.rules(Path("notebooks/01-question.ipynb"))
    assert lint.skeleton not in lint.rules(Path("notebooks/00-start-here.ipynb"))
    solution, exercise = (
        lint.rules(Path(f"notebooks/{folder}/01-question.ipynb"))
        for folder in ("solutions", "exercises")
    )
    assert lint.skeleton not in solution and lint.counts in solution
    assert lint.counts not in exercise and lint.code_habits in exercise
