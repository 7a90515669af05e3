"""The exercises make the round trip through nbgrader: released, answered, autograded.

nbgrader is no dependency; these tests run where it is installed (``pip install nbgrader``).
"""

import os
import sys
from pathlib import Path

import nbformat
import pytest

from umlbook.tools.release import released

pytest.importorskip("nbgrader", reason="nbgrader is not installed")

# nbgrader and what it stands on are not ours to keep free of warnings
pytestmark = pytest.mark.filterwarnings("ignore")

SOLUTIONS = Path(__file__).parents[1] / "notebooks" / "solutions"
NAME = "01-kmeans-is-a-trace.ipynb"
PARTS = ("exercise-1-1-", "exercise-1-5-", "exercise-1-7-")


@pytest.fixture(scope="module")
def source():
    """Three exercises of the first chapter with their solutions."""
    notebook = nbformat.read(SOLUTIONS / NAME, as_version=4)
    first = next(c for c in notebook.cells if c.cell_type == "code")
    opened = ('exercise("1.1")', 'exercise("1.5")', 'exercise("1.7")')
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell is first
        or cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith(PARTS)
        or any(part in cell.source for part in opened)
    ]
    for cell in notebook.cells:
        cell.outputs, cell.execution_count = [], None
    return notebook


def answered(notebook, answers):
    """A student's version, with answers by the beginning of their grade ids."""
    copy = nbformat.from_dict(notebook)
    for cell in copy.cells:
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("solution"):
            cell.source = answers.get(mark["grade_id"], cell.source)
    return copy


@pytest.fixture(scope="module")
def course(source, tmp_path_factory):
    """A course in which three students have handed in and were graded; scores by student."""
    from nbgrader.api import Gradebook
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    # nbgrader calls the command alembic, which is beside this Python
    folder = str(Path(sys.executable).parent)
    patch = pytest.MonkeyPatch()
    patch.setenv("PATH", folder, prepend=os.pathsep)
    root = tmp_path_factory.mktemp("course")
    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}"
    (root / "source" / "one").mkdir(parents=True)
    nbformat.write(source, root / "source" / "one" / NAME)
    api = NbGraderAPI(config=config)
    made = api.generate_assignment("one")
    assert made["success"], made
    theirs = nbformat.read(root / "release" / "one" / NAME, as_version=4)
    right = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in source.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    wrong = right | {"exercise-1-5-answer": "proof = 'fceagb'"}
    handed = {
        "ada": answered(theirs, right),  # nbgrader's own release
        "emmy": answered(released(source, "emmy"), wrong),  # ours, with data of her own
        "sofia": released(source, "sofia"),  # and untouched
    }
    for name, notebook in handed.items():
        for cell in notebook.cells:  # a check that the student has edited does not count
            if cell.metadata.get("nbgrader", {}).get("grade"):
                cell.source = "print('correct')"
        folder = root / "submitted" / name / "one"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / NAME)
        graded = api.autograde("one", name)
        assert graded["success"], graded
    with Gradebook(config.CourseDirectory.db_url) as gradebook:
        scores = {name: gradebook.find_submission("one", name).score for name in handed}
    yield root, scores
    patch.undo()


def test_nbgraders_release_has_no_solution_and_our_checks(course):
    release = nbformat.read(course[0] / "release" / "one" / NAME, as_version=4)
    text = "\n".join(cell.source for cell in release.cells)
    assert "SOLUTION" not in text and "bgaecf" not in text
    assert "raise NotImplementedError" in text and "ex5.check(proof)" in text


def test_autograding_gives_the_points_of_the_answers_that_pass(course):
    assert course[1] == {"ada": 4.0, "emmy": 3.0, "sofia": 0.0}
