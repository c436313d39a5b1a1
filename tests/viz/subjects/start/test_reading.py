"""The numbers of Start's picture, made by the browser's code, compared with NumPy and PyTorch.

The expected numbers are in float64. They come from the run's records and from models without a
head.
"""

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, SHIPPED, VARIANTS, load_shipped
from tests.viz.subjects.start.asking import Head, ask, case, typed
from viz.models import running
from viz.run.axes import attention_trace
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.record import Run, probability
from viz.run.tensor_parcel import pack_head
from viz.run.view import View
from viz.subjects.start import facts
from viz.subjects.start.cache import pair_of, question_data
from viz.subjects.start.facts import KIND

PAPER = "everyday-paper-0"
EPS = 2**-24
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)
WIDE = DEFAULT.replace("tired", "wide")
STRANGE = "the animal did not see the gloop because it was too tired ."
TEXTS = (DEFAULT, STRANGE, "gloop", ".", "? !", "Yes.", "my mother works in a hospital .")


@pytest.fixture(autouse=True)
def _shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))


def view_of(text: str, target: str = "", changes: Any = (), name: str = PAPER) -> View:
    return running.open_view(Inputs(name, text, target, "cpu", changes))


def asked(views: list[View], cases: list[Any] | None = None) -> list[Any]:
    """Return what the page shows of each view, in a browser that has the model."""
    path = SHIPPED / views[0].inputs.checkpoint
    return [one["shown"] for one in ask(views[0], cases or map(case, views), path)]


def hold(reading: dict[str, Any], run: Run, row: dict[str, Any]) -> None:
    """Compare the vectors of a reading with those of the run, and their products in float64."""
    layer, head, query = row["layer"], row["head"], row["query"]
    trace, size = attention_trace(run, KIND, layer), run.info.config.d_k
    count = len(run.source.ids)
    for name, of in (("q", trace.query), ("k", trace.key), ("v", trace.value)):
        sent = np.array(reading[name], np.float32)
        expected = of[0, head].numpy() if name != "q" else of[0, head, query].numpy()
        assert (sent == expected.ravel()).all(), name
    assert (np.array(reading["matrix"], np.float32) == trace.weights[0, head].numpy().ravel()).all()
    q = np.array(reading["q"])
    k = np.array(reading["k"]).reshape(count, size)
    v = np.array(reading["v"]).reshape(count, -1)
    scores, room = k @ q / math.sqrt(size), np.abs(k) @ np.abs(q) / math.sqrt(size)
    error = (size + 2) * EPS * room
    assert (np.abs(np.array(reading["scores"]) - scores) <= error).all()
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    error = 2 * error.max() + (count + 4) * EPS
    assert (np.abs(np.array(reading["shares"]) - weights) <= error).all()
    shares = np.array(reading["shares"])
    error = (count + 1) * EPS * (shares @ np.abs(v))
    assert (np.abs(np.array(reading["mix"]) - shares @ v) <= error).all()


def test_the_arithmetic_from_the_query_to_the_mix_holds():
    views = [view_of(text) for text in TEXTS]
    for view, shown in zip(views, asked(views), strict=True):
        hold(shown["reading"], view.run, shown)
        size = view.run.info.config.d_k, view.run.info.config.d_v
        assert tuple(shown["sizes"]) == size
        assert shown["languages"] == ["English", "French"]


def test_the_answer_is_the_pronoun_with_the_probability_of_its_step():
    view = view_of(DEFAULT)
    (shown,) = asked([view], [case(view, pair_of(view))])
    for reading, pronoun in zip(shown["readings"], ("il", "elle"), strict=True):
        run = view_of(reading["source"]).run
        at = reading["answer"]["at"]
        assert reading["written"][at][1] == pronoun
        logits = run.trace.logits[0, at].double()
        chance = logits.softmax(dim=-1)[run.steps[at].token].item()
        assert reading["answer"]["probability"] == pytest.approx(chance, rel=1e-4)


def expected_step(run: Run, query: int) -> int | None:
    """Find the written word that read a source word most, and more than any other source word."""
    layers = run.info.config.n_decoder_layers
    means = attention_trace(run, "cross-attention", layers - 1).weights[0].double().mean(0).numpy()
    words = [token != "</s>" and token[0].isalpha() for token in run.target_tokens[1:]]
    steps = [at for at, row in enumerate(means) if words[at] and row.argmax() == query]
    return max(steps, key=lambda at: means[at, query], default=None)


def test_the_answer_to_another_word_is_the_one_that_read_it_most():
    view = view_of("my brother lost his phone under the bed .")
    tokens = view.run.source.tokens
    places = [at for at, token in enumerate(tokens[:-1]) if token.isalpha()]
    shown = asked([view], [case(view, word=at) for at in places])
    found = [one["reading"]["answer"] and one["reading"]["answer"]["at"] for one in shown]
    assert found == [expected_step(view.run, at) for at in places]
    assert len({*found}) > 3


def without_head(run: Run, checkpoint: Checkpoint, layer: int, head: int) -> list[float]:
    """Return the probability of each written token in a copy of the model without the head."""
    size, model = run.info.config.d_v, copy.deepcopy(checkpoint.model)
    output = model.encoder.layers[layer].self_attn.output
    output.weight.data[:, head * size : (head + 1) * size] = 0
    again = make_run(replace(checkpoint, model=model), run.source_text, target=run.text)
    assert again.target_ids == run.target_ids
    return [probability(step) for step in again.steps]


@pytest.mark.parametrize("name", [PAPER, VARIANTS["prenorm"]])
def test_without_its_head_the_answer_has_the_probability_of_a_model_without_it(name: str):
    view, checkpoint = view_of(DEFAULT, name=name), load_shipped(name)
    (shown,) = asked([view], [case(view, pair_of(view))])
    for reading in shown["readings"]:
        run = view_of(reading["source"], name=name).run
        chances = without_head(run, checkpoint, shown["layer"], shown["head"])
        answer = reading["answer"]
        assert answer["without"] == pytest.approx(chances[answer["at"]], abs=1e-4)
    answers = [one["answer"] for one in shown["readings"]]
    assert max(abs(one["probability"] - one["without"]) for one in answers) > 0.05


def test_a_changed_run_is_cut_as_it_was_changed():
    view = view_of(DEFAULT, changes=(ZERO,))
    (shown,) = asked([view])
    head = Intervention("zero", f"encoder.layers.{shown['layer']}.self_attn.heads", shown["head"])
    run = make_run(load_shipped(PAPER), DEFAULT, view.run.text, (ZERO, head))
    answer = shown["reading"]["answer"]
    assert answer["without"] == pytest.approx(probability(run.steps[answer["at"]]), abs=1e-4)


def test_of_several_rows_the_one_without_whose_head_the_text_is_least_likely_is_asked_about():
    texts = [
        "My little sister doesn't like the red dress.",
        "what mobile phone did not fall ?",
        "i have too much homework tonight .",
    ]
    views = [view_of(text) for text in texts]
    with_model, checkpoint = asked(views), load_shipped(PAPER)
    sharpest = [one["shown"] for one in ask(views[0], map(without_inputs, views), None)]
    changed = 0
    for view, shown, other in zip(views, with_model, sharpest, strict=True):

        def left(row: dict[str, Any], run: Run = view.run) -> float:
            chances = without_head(run, checkpoint, row["layer"], row["head"])
            return sum(map(math.log, chances))

        changed += left(shown) < left(other) - 1e-3
        assert left(shown) <= left(other) + 1e-3
    assert changed == 2


def test_a_reader_who_begins_before_the_browsers_model_is_here_keeps_the_question():
    view = view_of("My little sister doesn't like the red dress.")
    cases = [case(view), case(view, late="still"), case(view, late="moved")]
    told = ask(view, cases, SHIPPED / PAPER)
    here, still, moved = (one["shown"]["query"] for one in told)
    first = {one["early"]["query"] for one in told[1:]}
    assert (still, {moved}) == (here, first)
    assert moved != here


def without_inputs(view: View) -> dict[str, Any]:
    """Return a case in which the browser cannot run the model."""
    made = case(view)
    for reading in made["sent"]["readings"]:
        reading["inputs"] = None
    return made


def test_what_was_written_is_cut_into_its_tokens():
    views = [view_of(text) for text in TEXTS]
    for view, shown in zip(views, asked(views), strict=True):
        pieces = shown["reading"]["written"]
        assert "".join(before + word for before, word in pieces) == view.run.text.rstrip()
        assert [word for _, word in pieces] == list(view.run.target_tokens[1:-1])


def test_a_sentence_with_words_that_are_not_known_is_told_apart(checkpoints_folder, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(checkpoints_folder))
    texts = (DEFAULT, DEFAULT.replace("animal", "gloop"))
    views = [view_of(text, name="everyday-paper") for text in texts]
    shown = [one["shown"]["reading"] for one in ask(views[0], map(without_inputs, views), None)]
    assert [reading["unknown"] for reading in shown] == [[], ["gloop"]]


def test_a_target_that_was_given_is_told_apart_and_not_run_again():
    own, given = asked([view_of(DEFAULT), view_of(DEFAULT, "il dort .")])
    assert [one["reading"]["given"] for one in (own, given)] == [False, True]
    assert given["reading"]["answer"]["without"] is None


def test_a_typed_sentence_is_read_as_python_reads_it():
    texts = [*TEXTS, "they sleep and he runs", "My sister gave him 12 laptops!"]
    for changes in ((), (ZERO,)):
        view = view_of("the cat sleeps .")
        cases = [case(view, typed=typed(text, changes=changes)) for text in texts]
        for text, shown in zip(texts, asked([view], cases), strict=True):
            run = view_of(text, changes=changes).run
            reading = shown["reading"]
            assert reading["tokens"] == list(run.source.tokens)
            assert "".join(a + b for a, b in reading["written"]) == run.text.rstrip()
            trace = attention_trace(run, KIND, shown["layer"])
            head, query = shown["head"], shown["query"]
            for name, of in (("q", trace.query), ("scores", trace.scores), ("mix", trace.heads)):
                expected = of[0, head, query].double().numpy()
                np.testing.assert_allclose(reading[name], expected, atol=1e-4, rtol=1e-4)
            assert shown["candidates"] == []


@pytest.mark.parametrize(
    ("most_codes", "texts"),
    [
        (650_000, ("my dog sees a red house but it sleeps .", "your mother works in a hospital .")),
        (24 * 49, ("my cat sees a red house but it sleeps .", "her mother works in a hospital .")),
    ],
    ids=["whole", "reduced"],
)
def test_of_a_large_model_python_is_asked_for_one_head(most_codes, texts, monkeypatch):
    monkeypatch.setattr("viz.run.tensor_parcel.MOST_NUMBERS", 0)
    monkeypatch.setattr("viz.run.codes.MOST_CODES", most_codes)
    monkeypatch.setattr(facts, "model_of", lambda _view: None)
    views = [view_of(text) for text in texts]
    reduced = [facts.pack_reading(view)["strongest"] is not None for view in views]
    assert reduced == [most_codes != 650_000] * 2
    for view, first in zip(views, ask(views[0], map(case, views), None), strict=True):
        assert first["shown"] is None
        (wanted,) = first["wanted"]
        assert (wanted["event"], wanted["run"]) == ("head", view.parcel.key)
        head = wanted["layer"], wanted["head"]
        sent = question_data(view, (view,), head)
        tensors = pack_head(view.run, None, KIND, *head)
        ready = case(view, sent=sent, heads=[Head(view.parcel.key, *head, tensors)])
        (second,) = ask(view, [ready], None)
        assert second["wanted"] == []
        shown = second["shown"]
        assert (shown["layer"], shown["head"]) == head
        hold(shown["reading"], view.run, shown)
        chances = without_head(view.run, load_shipped(PAPER), *head)
        answer = shown["reading"]["answer"]
        assert answer["without"] == pytest.approx(chances[answer["at"]], abs=1e-4)
