"""`umlbook refresh` stores what the sources give, always the same bytes, and never a failure."""

import argparse
import base64
import io
import os
import sys

import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from nbformat import v4
from PIL import Image

from umlbook.book.page import frames
from umlbook.tools.authoring import cell_ids, read_script, write_script
from umlbook.tools.refresh import (
    KERNEL_ENVIRONMENT,
    WIDGET_VIEW,
    RefreshError,
    add_arguments,
    normalised,
    notebook_bytes,
    png_without_text,
    refresh,
    run,
)

SCRIPT = """\
# %% [markdown]
# A page

With a *word* of prose.

# %%
import io

import ipywidgets as widgets
from IPython.display import display
from matplotlib.figure import Figure

# %%
print("one")
print("two", flush=True)
print("three")

# %%
figure, buffer = Figure(figsize=(2, 1)), io.BytesIO()
_ = figure.subplots().plot([0, 1], [1, 0])
figure.savefig(buffer, format="png")
picture = {"image/png": buffer.getvalue(), "text/plain": "A line that falls from one to zero."}
display(picture, raw=True)

# %%
widgets.IntSlider(3)

# %% {"tags": ["raises-exception"]}
1 / 0
"""


@pytest.fixture
def page(tmp_path):
    """A notebook file that was never run."""
    path = tmp_path / "page.ipynb"
    nbformat.write(read_script(SCRIPT), path)
    return path


def written(folder, source):
    """A notebook file with one code cell."""
    path = folder / "one.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell(source)]), path)
    return path


def command(*arguments):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args([str(argument) for argument in arguments]))


# ---------------------------------------------------------------------------- the script


def test_a_script_and_its_notebook_say_the_same():
    notebook = read_script(SCRIPT)
    assert write_script(notebook) == SCRIPT
    assert read_script(write_script(notebook)) == notebook
    assert notebook.cells[-1].metadata.tags == ["raises-exception"]
    nbformat.validate(notebook)


def test_markdown_in_a_script_is_not_commented_out():
    assert read_script(SCRIPT).cells[0].source == "# A page\n\nWith a *word* of prose."


def test_a_script_must_start_with_a_cell():
    with pytest.raises(ValueError, match="start with a '# %%' line"):
        read_script("x = 1\n# %%\ny = 2\n")


def test_a_cell_that_contains_a_marker_cannot_become_a_script():
    notebook = v4.new_notebook(cells=[v4.new_code_cell("x = 1\n# %%\ny = 2")])
    with pytest.raises(ValueError, match="a line that starts a cell"):
        write_script(notebook)


def test_cell_ids_are_unique_and_do_not_move_with_the_cell():
    assert len(set(cell_ids(["x", "x", "y"]))) == 3
    assert cell_ids(["x", "y"])[1] == cell_ids(["new", "x", "y"])[2]


# ----------------------------------------------------------------------- the normal form


def png_of(figure, **metadata):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata=metadata)
    return buffer.getvalue()


def test_png_loses_its_text_and_keeps_its_pixels():
    figure = Figure(figsize=(1, 1))
    figure.subplots().plot([1, 2])
    stamped = png_of(figure, Software="version 9", Comment="made on a Tuesday")
    plain = png_without_text(stamped)
    assert b"Tuesday" in stamped and b"Tuesday" not in plain and b"version 9" not in plain
    pixels = [np.asarray(Image.open(io.BytesIO(png))) for png in (stamped, plain)]
    np.testing.assert_array_equal(*pixels)
    assert png_without_text(plain) == plain


def test_png_without_text_refuses_other_bytes():
    with pytest.raises(ValueError, match="PNG"):
        png_without_text(b"GIF89a")


def test_normal_form_drops_what_changes_between_runs():
    cell = v4.new_code_cell(
        "x",
        execution_count=4,
        metadata={"execution": {"iopub.execute_input": "2024-01-01"}, "tags": ["kept"]},
        outputs=[
            v4.new_output("execute_result", {WIDGET_VIEW: {"model_id": "f00"}, "text/plain": "w"}),
            v4.new_output("display_data", {WIDGET_VIEW: {"model_id": "f01"}}),  # its twin is next
            v4.new_output("stream", name="stdout", text="a\n"),
            v4.new_output("stream", name="stdout", text="b\n"),
            v4.new_output("error", ename="E", evalue="v", traceback=["File /tmp/x.py, line 3"]),
        ],
    )
    metadata = {"widgets": {"state": 1}, "language_info": {"name": "python", "version": "3.9"}}
    before = v4.new_notebook(cells=[cell], metadata=metadata)
    after = normalised(before)
    assert set(after.metadata) == {"kernelspec", "language_info"}
    assert after.metadata.language_info == {"name": "python"}
    (normal,) = after.cells
    assert normal.id == cell.id and normal.metadata == {"tags": ["kept"]}
    result, stream, error = normal.outputs
    assert result.data == {"text/plain": "w"} and result.execution_count == 4
    assert stream.text == "a\nb\n"
    assert error.traceback == ["E: v"]
    assert len(before.cells[0].outputs) == 5 and "widgets" in before.metadata, "input was changed"


def test_normal_form_is_a_fixed_point():
    once = normalised(read_script(SCRIPT))
    assert notebook_bytes(normalised(once)) == notebook_bytes(once)


def test_cells_without_ids_get_ids_from_their_text():
    old = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [v4.new_code_cell("x")]}
    del old["cells"][0]["id"]
    assert normalised(nbformat.from_dict(old)).cells[0].id == cell_ids(["x"])[0]


def test_file_ends_in_one_newline_and_reads_back():
    notebook = normalised(read_script(SCRIPT))
    content = notebook_bytes(notebook)
    assert content.endswith(b"}\n") and not content.endswith(b"\n\n") and b"\r" not in content
    assert nbformat.reads(content.decode(), as_version=4) == notebook


# --------------------------------------------------------------------------- the refresh


def test_two_refreshes_in_a_row_change_no_byte(page):
    assert refresh(page)
    first = page.read_bytes()
    assert not refresh(page)
    assert page.read_bytes() == first
    notebook = nbformat.reads(first.decode(), as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3, 4, 5]
    assert code[1].outputs[0].text == "one\ntwo\nthree\n" and len(code[1].outputs) == 1
    assert b"matplotlib" not in base64.b64decode(code[2].outputs[0].data["image/png"])
    assert set(code[3].outputs[0].data) == {"text/plain"}
    assert code[4].outputs[0].ename == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\nraise KeyError('lost')", "KeyError: 'lost' in cell 1 of 1\n    x = 1\n"),
        ("import warnings\nwarnings.warn('careful')", "stderr says .*careful"),
        ("import sys\n_ = sys.stderr.write('oh')", "stderr says 'oh'"),
        ("from sklearn.cluster import KMeans\nKMeans()", "a bare estimator is shown"),
        ("import os\nos._exit(1)", "died"),
    ],
    ids=["error", "warning", "stderr", "estimator", "dead kernel"],
)
def test_a_failing_notebook_is_not_stored(tmp_path, source, said):
    path = written(tmp_path, source)
    before = path.read_bytes()
    with pytest.raises(RefreshError, match=said) as caught:
        refresh(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path], "something was left behind"


def test_a_cell_that_runs_for_ever_is_stopped_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr("umlbook.tools.refresh.CELL_TIMEOUT", 1)
    with pytest.raises(RefreshError, match=r"timed out.*in cell 1 of 1\n    while True"):
        refresh(written(tmp_path, "while True:\n    pass"))


def test_an_edit_made_meanwhile_is_not_overwritten(tmp_path):
    path = written(tmp_path, "from pathlib import Path\n_ = Path('one.ipynb').write_text('edited')")
    with pytest.raises(RefreshError, match="edited while it ran"):
        refresh(path)
    assert path.read_text() == "edited"


def test_the_kernel_is_this_interpreter_with_one_blas_thread(tmp_path):
    names = sorted(KERNEL_ENVIRONMENT)
    path = written(
        tmp_path, f"import os, sys\nprint(sys.executable)\nprint([os.environ[x] for x in {names}])"
    )
    refresh(path)
    said = nbformat.read(path, 4).cells[0].outputs[0].text.splitlines()
    assert os.path.samefile(said[0], sys.executable)
    assert said[1] == str([KERNEL_ENVIRONMENT[name] for name in names])
    assert {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED"} <= set(names)


STEPPED = """\
from umlbook.book import stepper
stepper([{"x": 1.0}, {"x": 0.5}], quantities=["x"], title="Halving")"""


def test_frames_of_a_chapter_are_stored_beside_it_and_always_the_same(tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    path = written(folder, STEPPED)
    assert refresh(path)
    (cell,) = nbformat.read(path, 4).cells
    assert set(cell.outputs[0].data) == {"text/html", "text/plain"}
    pictures = tmp_path / "docs" / "frames" / "one"
    names = [f"{cell.id}-00.png", f"{cell.id}-01.png", f"{cell.id}.json"]
    assert sorted(file.name for file in pictures.iterdir()) == names
    before = {file: file.read_bytes() for file in (path, *pictures.iterdir())}
    (pictures / names[0]).unlink()
    assert refresh(path, check=True) and not (pictures / names[0]).exists()
    (pictures / "gone-00.png").touch()
    assert refresh(path)
    assert before == {file: file.read_bytes() for file in (path, *pictures.iterdir())}


def test_frames_go_with_the_last_stepper_and_only_chapters_have_them(tmp_path):
    folder = frames.frames_folder(tmp_path / "notebooks" / "one.ipynb")
    frames.store(folder, {"a.json": b"{}"})
    assert frames.stored_files(folder) == {"a.json": b"{}"}
    frames.store(folder, {})
    assert not folder.exists() and frames.stored_files(folder) == {}
    assert frames.frames_folder(tmp_path / "notebooks" / "solutions" / "one.ipynb") is None


def test_command_stores_reports_and_checks(tmp_path, capsys):
    path = written(tmp_path, "print(1 + 1)")
    before = path.read_bytes()
    assert command("--check", path) == 1
    assert path.read_bytes() == before and "would change" in capsys.readouterr().out
    assert command(tmp_path) == 0
    assert path.read_bytes() != before and f"{path}: stored" in capsys.readouterr().out
    assert command("--check", path) == 0
    captured = capsys.readouterr()
    assert "unchanged" in captured.out and "2/2" in captured.err, "no progress bar"


def test_command_goes_on_after_a_failure_and_says_so(tmp_path, capsys):
    good, bad = written(tmp_path, "print(2)"), tmp_path / "bad.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell("1 / 0")]), bad)
    assert command("--jobs", "2", bad, good) == 1
    out = capsys.readouterr().out
    assert "bad.ipynb: not stored. ZeroDivisionError" in out and "one.ipynb: stored" in out


def test_command_names_a_notebook_that_does_not_exist(tmp_path, capsys):
    assert command(tmp_path / "none.ipynb") == 1
    assert "none.ipynb" in capsys.readouterr().err
    assert command(tmp_path) == 1
    assert f"no notebook at {tmp_path}" in capsys.readouterr().err
