"""What the stored curves of cost and of agreement say, and that a cell of each can be run."""

import numpy as np
import pytest

from umlbook import LatentClassPairs, coordinates
from umlbook.experiments.engine.grid import attempt
from umlbook.experiments.engine.storage import grouped, stored
from umlbook.experiments.papers import cost, landmarks


def test_a_fit_is_measured_in_a_process_of_its_own():
    record = attempt(cost.work, {"method": "k-means", "n": 300})
    ((row),) = record.rows
    assert (row["method"], row["n"]) == ("k-means", 300)
    assert row["seconds"] > 0 and 0 <= row["megabytes"] < 1000


def test_an_unknown_method_is_an_error_of_its_cell():
    assert "sorcery" in attempt(cost.work, {"method": "sorcery", "n": 300}).error


def test_the_slope_is_the_power_with_which_a_column_grows():
    rows = [{"method": "m", "n": n, "seconds": 3 * n**2.5} for n in (10, 1000)]
    assert cost.slope(rows, "m", "seconds", 10, 1000) == pytest.approx(2.5)


def test_every_stored_fit_is_one_of_the_cells():
    wanted = [(cell["method"], cell["n"]) for cell in cost.cells(quick=False)]
    assert [(row["method"], row["n"]) for row in stored("cost")] == wanted


def test_every_stored_fit_in_blocks_is_one_of_the_cells():
    wanted = [(cell["method"], cell["n"]) for cell in cost.block_cells(quick=False)]
    assert [(row["method"], row["n"]) for row in stored("cost_blocks")] == wanted


def test_rows_in_blocks_are_the_rows_of_their_seeds(monkeypatch):
    pytest.importorskip("dask.array")
    monkeypatch.setattr(cost, "BLOCK", 40)
    rows = cost.blocks(100)
    assert rows.numblocks == (3, 1)
    expected = np.vstack([cost.blobs(size, seed)[0] for seed, size in enumerate((40, 40, 20))])
    np.testing.assert_array_equal(rows.compute(), expected)


def test_every_estimator_answers_for_many_rows_within_its_time():
    """On the machine that made the table: 10,000 rows in ten seconds, 100,000 in a minute."""
    slowest = {size: max(v) for (size,), v in grouped(stored("cost"), "seconds", "n").items()}
    assert slowest[10_000] < 10 and slowest[100_000] < 60


def test_the_exact_method_is_itself_on_all_rows_and_nearer_on_more_landmarks():
    by_number = grouped(stored("landmarks"), "same", "method", "landmarks")
    for method in landmarks.METHODS:
        assert by_number[method, landmarks.N_ROWS] == [1.0]
        assert all(len(by_number[method, m]) == landmarks.N_SEEDS for m in landmarks.NUMBERS[:-1])


def test_a_stored_row_of_landmarks_is_what_the_method_gives():
    (row,) = (
        r
        for r in stored("landmarks")
        if (r["method"], r["landmarks"], r["seed"]) == ("kernel k-means", 50, 1)
    )
    X, y = cost.blobs(landmarks.N_ROWS)
    model = landmarks.fitted("kernel k-means", 50, 1)
    assert landmarks.adjusted_rand_index(y, model.labels_) == pytest.approx(row["ARI"], abs=0.01)
    found = landmarks.OBJECTIVES["kernel k-means"](X, model.labels_, model)
    assert found == pytest.approx(row["objective"], rel=1e-3)


def test_coordinates_have_their_own_number_of_landmarks_again_after_an_experiment(monkeypatch):
    default = coordinates.MOST_LANDMARKS
    monkeypatch.setattr(landmarks, "N_ROWS", 60)
    monkeypatch.setitem(cost.ESTIMATORS, "latent classes", lambda k, **known: Fails(**known))
    with pytest.raises(ZeroDivisionError):
        landmarks.fitted("latent classes", 20, 0)
    assert default == coordinates.MOST_LANDMARKS


class Fails(LatentClassPairs):
    def fit(self, X, y=None, **pairs):
        assert coordinates.MOST_LANDMARKS == 20
        raise ZeroDivisionError


def test_the_objective_of_all_rows_is_that_of_the_exact_model():
    """Where it is taken anew at the labels, it is what the method itself reports."""
    X, _ = cost.blobs(landmarks.N_ROWS)
    model = landmarks.fitted("kernel k-means", landmarks.N_ROWS, 0)
    found = landmarks.kernel_scatter(X, model.labels_, model)
    assert found == pytest.approx(model.objective_, rel=1e-9)
    assert np.isfinite(found)
