"""What is sent of the question, held to the arithmetic in float64."""

import base64
import copy
import math
from dataclasses import replace

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DEFAULT, SHIPPED
from viz.run.axes import all_heads, attention_trace
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.start.effect import probability_without
from viz.subjects.start.packing import answer_step, pack_reading, written_pieces
from viz.subjects.start.question import KIND, Question, ask, meaning_of


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float64)


@pytest.fixture(scope="module")
def readings() -> tuple[Run, Run]:
    """Of a shipped model, which knows more words."""
    shipped = load_checkpoint(SHIPPED / "everyday-paper-0")
    return make_run(shipped, DEFAULT), make_run(shipped, DEFAULT.replace("tired", "wide"))


def test_the_arithmetic_from_the_query_to_the_mix_holds(run: Run):
    question = ask(run)
    sent = pack_reading(run, question, 0.5)["row"]
    size, count = run.info.config.d_k, len(run.source.ids)
    q, k = numbers(sent["q"]), numbers(sent["k"]).reshape(count, size)
    scores = k @ q / math.sqrt(size)
    np.testing.assert_allclose(numbers(sent["scores"]), scores, rtol=1e-4, atol=1e-5)
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    np.testing.assert_allclose(numbers(sent["weights"]), weights, atol=1e-5)
    v = numbers(sent["v"]).reshape(count, run.info.config.d_v)
    np.testing.assert_allclose(numbers(sent["mix"]), weights @ v, rtol=1e-4, atol=1e-5)


def test_the_head_is_the_one_whose_row_of_it_tells_the_nouns_apart_best(readings):
    run, wide = readings
    question = ask(run, wide)
    meaning, other = meaning_of(run), meaning_of(wide)
    assert meaning is not None
    assert other is not None

    def margin(of: Run, right: int, layer: int, head: int) -> float:
        row = all_heads(of, KIND)[layer, head, meaning.it].astype(np.float64)
        return row[right] - row[next(at for at in meaning.candidates if at != right)]

    worst = {
        (layer, head): min(
            margin(run, meaning.right, layer, head), margin(wide, other.right, layer, head)
        )
        for layer in range(run.info.config.n_encoder_layers)
        for head in range(run.info.config.n_heads)
    }
    assert worst[question.layer, question.head] == max(worst.values())
    assert run.source.tokens[question.query] == "it"


def test_of_another_sentence_the_row_reads_a_word_and_reads_it_most(checkpoint):
    run = make_run(checkpoint, "the dog sees the cat .")
    question = ask(run)
    assert question.meaning is None
    row = all_heads(run, KIND)[question.layer, question.head, question.query]
    tokens = run.source.tokens
    assert tokens[question.query].isalpha()
    assert tokens[int(row.argmax())].isalpha()
    assert int(row.argmax()) != question.query


def test_it_is_asked_about_where_nobody_knows_what_it_means(checkpoint):
    run = make_run(checkpoint, "the dog sees the cat but it sleeps .")
    question = ask(run)
    assert question.meaning is None
    assert run.source.tokens[question.query] == "it"
    weights = all_heads(run, "encoder self-attention")[:, :, question.query]
    others = [
        at for at, token in enumerate(run.source.tokens) if token.isalpha() and abs(at - 6) > 1
    ]
    best = max(
        ((layer, head) for layer in range(2) for head in range(4)),
        key=lambda place: max(
            (weights[place][at] for at in others if weights[place].argmax() == at), default=0
        ),
    )
    assert (question.layer, question.head) == best


def test_the_answer_is_the_pronoun_and_its_probability_that_of_its_step(run: Run):
    question = ask(run)
    sent = pack_reading(run, question, 0.25)
    answer = sent["answer"]
    assert answer is not None
    assert sent["written"][answer["at"]][1] == "il"
    logits = run.trace.logits[0, answer["at"]].double()
    chance = logits.softmax(dim=-1)[run.steps[answer["at"]].token].item()
    assert answer["probability"] == pytest.approx(chance, rel=1e-4)
    assert answer["without"] == 0.25


def test_without_its_head_the_answer_has_the_probability_of_a_model_without_it(checkpoint, run):
    question = ask(run)
    step = answer_step(run, question)
    assert step is not None
    found = probability_without(run, checkpoint.model, question, step)
    size, model = run.info.config.d_v, copy.deepcopy(checkpoint.model)
    output = model.encoder.layers[question.layer].self_attn.output
    output.weight.data[:, question.head * size : (question.head + 1) * size] = 0
    again = make_run(replace(checkpoint, model=model), DEFAULT, target=run.text)
    assert found == pytest.approx(math.exp(again.steps[step].log_probability), rel=1e-4)


def test_what_was_written_is_cut_into_its_tokens(run: Run):
    pieces = written_pieces(run)
    assert "".join(before + word for before, word in pieces) == run.text.rstrip()
    assert [word for _, word in pieces] == list(run.target_tokens[1:-1])


def test_a_sentence_with_words_that_are_not_known_is_told_apart(checkpoint, run):
    strange = make_run(checkpoint, DEFAULT.replace("animal", "gloop"))
    assert pack_reading(strange, ask(strange), None)["unknown"] == ["gloop"]
    assert pack_reading(run, ask(run), None)["unknown"] == []


def test_the_whole_head_is_that_of_the_run(run: Run):
    question = Question(1, 2, 3, None)
    sent = numbers(pack_reading(run, question, None)["weights"])
    expected = attention_trace(run, KIND, 1).weights[0, 2].double().numpy()
    np.testing.assert_array_equal(sent.reshape(expected.shape), expected)


@pytest.mark.parametrize("text", ["cat", ".", "the cat sleeps . " * 30])
def test_short_and_long_sentences_have_a_question(checkpoint, text):
    run = make_run(checkpoint, text)
    question = ask(run)
    assert 0 <= question.query < len(run.source.ids)
    assert pack_reading(run, question, 0.1)["tokens"] == run.source.tokens
