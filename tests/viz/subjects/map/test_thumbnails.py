"""The pictures on the map are the run's own numbers, as exactly as a byte holds them."""

import numpy as np
import pytest

from model.traces import named_tensors
from viz.run.making import make_run
from viz.subjects.map.thumbnails import (
    CODE_NAN,
    MOST_COLUMNS,
    MOST_ROWS,
    candidates,
    encode,
    pictures,
)


def test_the_largest_magnitude_is_127_and_signs_stay():
    picture = encode(np.array([[-4.0, 2.0], [0.0, 1.0]], dtype=np.float32), 9, 9)
    assert picture.largest == 4.0
    assert picture.codes.tolist() == [[-127, 64], [0, 32]]


def test_a_large_matrix_keeps_evenly_spaced_numbers():
    values = np.arange(12, dtype=np.float32).reshape(2, 6)
    picture = encode(values, 1, 3)
    assert picture.codes.tolist() == [[0, round(127 * 2 / 11), round(127 * 4 / 11)]]
    assert picture.largest == 11.0  # of the whole matrix


def test_what_is_not_a_number_has_a_code_of_its_own():
    values = np.array([[np.nan, np.inf, -np.inf, 2.0]], dtype=np.float32)
    picture = encode(values, 9, 9)
    assert picture.codes.tolist() == [[CODE_NAN, 127, -127, 127]]
    assert picture.largest == 2.0


@pytest.mark.parametrize("name", ["source_embedding.positions", "logits"])
def test_codes_give_the_tensor_back_within_half_a_step(run, name):
    picture = pictures(run, [name])[name]
    tensor = dict(named_tensors(run.trace))[name].double().numpy()
    values = tensor.reshape(tensor.shape[-2:])
    rows = [i * values.shape[0] // min(values.shape[0], MOST_ROWS) for i in range(MOST_ROWS)]
    columns = [
        i * values.shape[1] // min(values.shape[1], MOST_COLUMNS) for i in range(MOST_COLUMNS)
    ]
    kept = values[np.ix_(rows[: values.shape[0]], columns[: values.shape[1]])]
    step = np.abs(values).max() / 127
    np.testing.assert_allclose(picture.codes * step, kept, atol=0.51 * step)


def test_candidates_are_the_best_of_the_softmax(run):
    for step, found in zip(run.steps, candidates(run), strict=True):
        logits = step.logits.double().numpy()
        exponentials = np.exp(logits - logits.max())
        probabilities = np.sort(exponentials / exponentials.sum())[::-1]
        np.testing.assert_allclose([p for _, p, _ in found], probabilities[: len(found)], atol=1e-6)
        assert [text for text, _, written in found if written] == [
            run.target_tokens[step.index + 1]
        ]


def test_a_token_that_was_given_is_among_them_however_improbable(checkpoint, run):
    worst = int(run.steps[0].logits.argmin())
    word = run.info.tokenizers.target.all_tokens[worst]
    forced = make_run(checkpoint, run.source_text, target=word)
    assert forced.target_tokens[1] == word
    *better, last = candidates(forced)[0]
    assert not any(written for _, _, written in better)
    probability = forced.steps[0].logits.double().softmax(dim=-1)[worst].item()
    assert last == (word, pytest.approx(probability, abs=6e-5), True)


def test_zeros_stay_zeros():
    picture = encode(np.zeros((2, 3), dtype=np.float32), 9, 9)
    assert picture.largest == 0.0
    assert not picture.codes.any()
