"""The printed grids of CPD-UML: as wide as printed, and no fit left out that would differ."""

import numpy as np
import pytest

from umlbook.cpd import CPDUML, kmeans_labels, lam_path
from umlbook.datasets import make_two_moons
from umlbook.experiments.papers import cpd, cpd_grid, cpd_rivals
from umlbook.kernels import center, rbf


def test_the_grids_are_those_of_the_paper():
    assert (cpd_grid.SIGMAS[0], cpd_grid.SIGMAS[-1], len(cpd_grid.SIGMAS)) == (1, 1024, 11)
    assert (cpd_grid.LAMS[0], cpd_grid.LAMS[-1], len(cpd_grid.LAMS)) == (1, 1e10, 11)
    widths = cpd_grid.KERNEL_WIDTHS
    assert (widths[0], widths[-1], len(widths)) == (1 / 32, 1024, 16)


def test_fits_that_are_not_made_again_would_give_labels_that_are_there(monkeypatch):
    monkeypatch.setattr(cpd_grid, "SIGMAS", (1.0, 256.0))
    X, _ = make_two_moons(60, noise=0.1, random_state=0)
    seen, unseen = X[:40], X[40:]
    found = [fit for fit in cpd_grid.grid_fits(seen, unseen, 2, 0, None) if fit.method == "CPD-UML"]
    assert len(found) < 2 * len(cpd_grid.LAMS)  # some were spared
    kept = {(fit.seen.tobytes(), fit.unseen.tobytes()) for fit in found}
    model = CPDUML(2, y_step="spectral", init=kmeans_labels(seen, 2, 0), max_iter=cpd.MAX_ITER,
                   n_landmarks=None, random_state=0)  # fmt: skip
    for sigma in cpd_grid.SIGMAS:
        for fitted in lam_path(model.set_params(sigma=sigma), seen, cpd_grid.LAMS):
            assert (fitted.labels_.tobytes(), fitted.predict(unseen).tobytes()) in kept


def test_stored_runs_have_the_folds_and_the_starts_of_the_part_of_the_grid():
    part = {(row["dataset"], row["run"], row["method"], row["rule"]): row for row in cpd.stored()}
    rows = [row for row in cpd_grid.stored() if row["method"] == "k-means"]
    assert len({row["dataset"] for row in rows}) >= 5
    for row in rows:
        same = part[row["dataset"], row["run"], "k-means", row["rule"]]
        assert [row[s] for s in cpd.SCORES] == pytest.approx([same[s] for s in cpd.SCORES], abs=0.5)


def test_every_stored_run_is_a_cell_that_continuing_does_not_do_again():
    cells = {tuple(cell.values()) for cell in cpd_grid.cells(quick=False)}
    done = {(row["dataset"], row["run"], row["family"]) for row in cpd_grid.stored()}
    assert done <= cells
    assert {(row["dataset"], row["run"], row["family"]) for row in cpd.all_stored()} == {
        tuple(cell.values()) for cell in cpd.cells(quick=False)
    }


def test_kernel_coordinates_are_those_of_a_gaussian_of_this_width():
    X, _ = make_two_moons(30, noise=0.1, random_state=0)
    old, new = cpd_rivals.kernel_coordinates(X, X[:5], 2.0)
    assert np.allclose(old[:5], new)
    assert np.allclose(old @ old.T, center(rbf(X, sigma=2.0)), atol=1e-6)
