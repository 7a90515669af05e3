"""An exercise as buttons: Check, Hint, Solution, and a bar for the chapter.

The answer is looked up by its name when Check is clicked, so the panel need not be run again after
the reader has changed the answer. Every state is said in words; the bar only repeats them.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import ipywidgets

from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.model import Note, Outcome, Status
from umlbook.book.page.twin import Twinned, live_view

if TYPE_CHECKING:
    from umlbook.book.exercises.judge import OpenExercise


def _notebook_names() -> Mapping[str, Any]:
    """The variables of the running notebook; none outside of one."""
    from IPython import get_ipython

    shell = get_ipython()
    return {} if shell is None else shell.user_ns


class Panel(Twinned):
    """Buttons for one exercise.

    Parameters
    ----------
    exercise : OpenExercise
        What the buttons act on.
    name : str
        The name under which the reader's answer is found.
    namespace : mapping, optional
        Where to look; by default the notebook's variables.
    """

    def __init__(
        self, exercise: "OpenExercise", name: str, namespace: Mapping[str, Any] | None = None
    ) -> None:
        self.exercise = exercise
        self.name = name
        self._namespace = namespace
        self.said = ipywidgets.HTML()
        self.state = ipywidgets.HTML()
        siblings = [e for e in all_exercises().values() if e.chapter == exercise.spec.chapter]
        self._siblings = [sibling.id for sibling in siblings]
        self.bar = ipywidgets.IntProgress(
            max=len(siblings), description=f"Chapter {exercise.spec.chapter}"
        )
        self.check = self._button("Check", self._check)
        self.hint = self._button("Hint", exercise.hint)
        self.solution = self._button("Solution", exercise.solution)
        self._tell_state()

    def _button(self, word: str, action: Callable[[], Outcome | Note]) -> ipywidgets.Button:
        button = ipywidgets.Button(description=word, tooltip=f"{word}: {self.exercise.spec.label}")

        def clicked(_: ipywidgets.Button) -> None:
            self.said.value = action()._repr_html_()
            self._tell_state()

        button.on_click(clicked)
        return button

    def _check(self) -> Outcome:
        names = _notebook_names() if self._namespace is None else self._namespace
        if self.name not in names:
            say = f"run the cell that defines {self.name} first"
            return Outcome(self.exercise.spec.label, Status.NOT_ATTEMPTED, say)
        return self.exercise.check(names[self.name])

    def _tell_state(self) -> None:
        self.bar.value = sum(map(self.exercise.progress.passed, self._siblings))
        self.state.value = self.words

    @property
    def words(self) -> str:
        """The state in words."""
        record = self.exercise.progress.known()[self.exercise.spec.id]
        chapter = self.exercise.spec.chapter
        return f"{record}; chapter {chapter}: {self.bar.value} of {self.bar.max} solved"

    def __repr__(self) -> str:
        return f"[Check] [Hint] [Solution]  {self.words}"

    def view(self) -> ipywidgets.VBox:
        """The widgets, for a page."""
        buttons = ipywidgets.HBox([self.check, self.hint, self.solution, self.bar])
        return ipywidgets.VBox([buttons, self.state, self.said])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {**live_view(self.view()), "text/plain": repr(self)}
