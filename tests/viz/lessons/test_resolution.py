"""The answers of the shipped lessons, computed again directly from the model's tensors."""

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.decoding.distribution import draw
from model.edits import Edits
from model.traces import find_tensor
from tests.checkpoints import SHIPPED
from viz.lessons.faults import LessonError
from viz.lessons.lesson import Answer, Lesson, See, Step, Text
from viz.lessons.reading import shipped_lessons
from viz.lessons.resolution import check_lesson, resolve
from viz.lessons.resolved_step import Resolved

LESSONS = shipped_lessons()
STACKS = {
    "encoder self-attention": ("encoder", "self_attn"),
    "decoder self-attention": ("decoder", "self_attn"),
    "cross-attention": ("decoder", "cross_attn"),
}
_loaded: dict[str, Checkpoint] = {}


def checkpoint_of(lesson: Lesson, step: Step) -> Checkpoint:
    name = step.checkpoint or lesson.checkpoint
    if name not in _loaded:
        _loaded[name] = load_checkpoint(SHIPPED / name)
    return _loaded[name]


class Again:
    """A step run without the app's code: ids in, the whole target again each time, tensors out."""

    def __init__(self, found: Checkpoint, source: str, edits: Edits, ids: list[int] | None = None):
        words = found.info.tokenizers
        self.model, self.words = found.model, words
        if found.info.config.has_cross_attention:
            read = [words.source.vocabulary[w] for w in source.split()]
            self.source, begun = torch.tensor([[*read, 2]]), []
        else:
            self.source, begun = None, [words.target.vocabulary[w] for w in source.split()]
        self.target = [1, *([*begun, *ids] if ids else self.written(edits, begun))]
        with torch.inference_mode():
            given = torch.tensor([self.target[:-1]])
            self.trace = self.model(self.source, given, edits=edits)
        if self.source is not None:
            self.reads = [words.source.all_tokens[i] for i in self.source[0].tolist()]
        self.writes = [words.target.all_tokens[i] for i in self.target[1:]]
        self.asks = ["<s>", *self.writes[:-1]]

    @torch.inference_mode()
    def written(self, edits: Edits, begun: list[int]) -> list[int]:
        ids = [*begun]
        while len(ids) < (64 if self.source is not None else len(begun) + 4) and (
            not ids or ids[-1] != 2
        ):
            logits = self.model(self.source, torch.tensor([[1, *ids]]), edits=edits).logits
            ids.append(int(logits[0, -1].argmax()))
        return ids

    def weights(self, kind: str, layer: int):
        stack, attention = STACKS[kind]
        return find_tensor(self.trace, f"{stack}.layers.{layer}.{attention}.weights")[0]

    def row(self, see: See) -> int:
        if see.writes:
            return self.writes.index(see.writes)
        tokens = self.reads if see.kind == "encoder self-attention" else self.asks
        return [i for i, token in enumerate(tokens) if token == see.reads][see.place - 1]

    def probabilities(self) -> list[float]:
        rows = self.trace.logits[0].double().softmax(dim=-1)
        return [float(rows[n, token]) for n, token in enumerate(self.target[1:])]


def edits_by_hand(step: Step, plain: Again) -> Edits:
    """Make the edits of the shipped lessons as plain functions of tensors."""
    made = {}
    for text in step.edits:
        if found := re.fullmatch(r"scale!(.*)\.\*\.(.*);a(.*)", text):
            stack, name, factor = found.groups()
            made |= {f"{stack}.{n}.{name}": lambda t, f=float(factor): t * f for n in (0, 1)}
        elif found := re.fullmatch(r"scale!([a-z_0-9.]*)(?:;r\((.*)\))?;a(.*)", text):
            name, word, factor = found.groups()
            made[name] = partial(scaled, row=word and plain.reads.index(word), by=float(factor))
        elif text == "set!decoder.layers.*.self_attn.mask":
            made |= {f"decoder.layers.{n}.self_attn.mask": torch.ones_like for n in (0, 1)}
        elif found := re.fullmatch(r"zero!\(best at (.*)\)\.(key|value|heads)", text):
            layer, head = head_that(found[1], plain)
            name = f"encoder.layers.{layer}.self_attn.{found[2]}[{head}]"
            made[name] = torch.zeros_like
        elif text.startswith("zero!"):
            made[text.removeprefix("zero!")] = torch.zeros_like
        else:
            layer, head = head_that("referents of it", plain)
            made[f"encoder.layers.{layer}.self_attn.weights"] = swapping(head, plain)
    return Edits(made)


def scaled(value: torch.Tensor, row: int | None, by: float) -> torch.Tensor:
    changed = value.clone()
    changed[:, slice(None) if row is None else row] *= by
    return changed


def head_that(job: str, plain: Again) -> tuple[int, int]:
    """Find the encoder head that does a job best in this one sentence."""
    both = torch.stack([plain.weights("encoder self-attention", n) for n in (0, 1)])
    match job:
        case "referents of it":  # the row of "it" reads a noun
            share = both[:, :, plain.reads.index("it"), [1, 6]].amax(dim=-1)
        case "the token before":
            share = both.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)
        case _:  # adjectives read their noun
            noun = next(n for n, word in enumerate(plain.reads) if word in ("cat", "house"))
            share = both[:, :, plain.reads.index("small"), noun]
    return divmod(int(share.argmax()), both.size(1))


def swapping(head: int, plain: Again):
    row, one, other = plain.reads.index("it"), 1, 6

    def swap(weights):
        changed = weights.clone()
        changed[:, head, row, [one, other]] = weights[:, head, row, [other, one]]
        return changed

    return swap


def compared(again: Again, of: str, lesson: Lesson, step: Step, runs) -> float:
    kind = step.see.kind
    weights = torch.stack([again.weights(kind, n) for n in (0, 1)]).double()
    match of:
        case "entropy of the kind":
            return float(-(weights * weights.clamp(min=1e-300).log()).sum(dim=-1).mean())
        case "gradient of the kind":
            return float((weights * (1 - weights)).sum(dim=-1).mean())
        case "largest weight":
            place = resolve(lesson, step, runs).place
            return float(weights[place.layer, place.head, again.row(step.see)].max())
    return -sum(map(math.log, again.probabilities()))


def right_answer(lesson: Lesson, step: Step, runs) -> str:
    """Compute the name of the right answer without the code under test."""
    found, answer, see = checkpoint_of(lesson, step), step.answer, step.see
    target = None
    if step.target:
        words = found.info.tokenizers.target.vocabulary
        target = [words[word] for word in step.target.split()] + [2]
    plain = Again(found, step.source, Edits({}), target)
    edits = edits_by_hand(step, plain)
    again = Again(found, step.source, edits, target) if step.edits else plain
    match answer.kind:
        case "largest" if answer.over == "heads":
            row, key = again.row(see), again.reads.index(answer.word)
            both = torch.stack([again.weights(see.kind, n)[:, row, key] for n in (0, 1)])
            return "{}.{}".format(*divmod(int(both.argmax()), both.size(1)))
        case "largest":
            place = resolve(lesson, step, runs).place
            return str(
                int(again.weights(see.kind, place.layer)[place.head, again.row(see)].argmax())
            )
        case "row_that_writes":
            return str(again.writes.index(answer.word))
        case "written":
            return again.writes[plain.row(see)]
        case "same":
            other = Again(found, answer.source, edits)
            return "same" if other.target == again.target else "different"
        case "number":
            return f"{number_by_hand(answer, plain, again):.2f}"
        case "count" if answer.of == "keys in reach":
            return str(again.row(see) + 1)
        case "count" if answer.of == "predictions in a pass":
            return str(len(again.target) - 1)
        case "count" if answer.tensor:
            return str(count_by_hand(answer, plain, again, see))
        case "count":
            return str(
                sum(drawn(again, answer.temperature, n) == again.target[1:] for n in range(10))
            )
        case "order":
            steps = {
                n: load_checkpoint(SHIPPED / n).info.training["step"] for n in answer.checkpoints
            }
            letters = {o.checkpoint: o.name for o in resolve(lesson, step, runs).options}
            return " ".join(letters[name] for name in sorted(steps, key=steps.get))
        case "depth":
            layers, row = again.trace.decoder.layers, again.row(see)
            states = [layers[0].input, *(layer.output for layer in layers)]
            matrix = again.model.generator
            on_top = [int(matrix(state[0, row]).argmax()) for state in states]
            names = ("embedding", "layer 0", "layer 1")
            return names[on_top.index(again.target[row + 1])]
        case _:
            if answer.of == "loss of the right text":
                again = Again(found, step.source, edits, plain.target[1:])
            was, now = (compared(one, answer.of, lesson, step, runs) for one in (plain, again))
            if math.isclose(was, now, rel_tol=1e-5):
                return "same"
            return "more" if now > was else "less"


def number_by_hand(answer: Answer, plain: Again, again: Again) -> float:
    match answer.of:
        case "dot product":
            return sum(np.multiply(answer.query, answer.key))
        case "times the weight":
            one, other = torch.tensor(answer.numbers).softmax(dim=0).tolist()
            return one / other
        case "likeness of places":  # each pair of columns is one hand of a clock
            one, other = answer.numbers
            return sum(math.cos((one - other) / 10_000 ** (n / 32)) for n in range(32))
        case "times as long":
            lengths = [
                np.linalg.norm(find_tensor(one.trace, answer.tensor)[0].numpy(), axis=1).mean()
                for one in (plain, again)
            ]
            return lengths[1] / lengths[0]
    return math.prod(again.probabilities())


def count_by_hand(answer: Answer, plain: Again, again: Again, see: See) -> int:
    after = find_tensor(again.trace, answer.tensor)[0].numpy()
    if answer.of == "numbers above 0":
        return sum(number > 0 for number in after[again.row(see)].tolist())
    before = find_tensor(plain.trace, answer.tensor)[0].numpy()
    return sum(
        not np.allclose(*rows, rtol=1e-5, atol=1e-6) for rows in zip(before, after, strict=True)
    )


def drawn(again: Again, temperature: float, seed: int) -> list[int]:
    generator, ids = torch.Generator().manual_seed(seed), []
    while len(ids) < 64 and (not ids or ids[-1] != 2):
        with torch.inference_mode():
            logits = again.model(again.source, torch.tensor([[1, *ids]])).logits[0, -1].double()
        shares = (logits / temperature).softmax(dim=-1)
        ids.append(int(draw(shares, generator)))
    return ids


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_shipped_lesson_has_no_fault_and_its_answers_are_what_the_model_itself_says(lesson, runs):
    assert check_lesson(lesson, runs) == ()
    for step in lesson.steps:
        if step.answer:
            resolved = resolve(lesson, step, runs)
            assert resolved.truth.name == right_answer(lesson, step, runs), step.prompt
            names_the_row_and_no_answer(lesson, step, resolved)


def test_what_follows_a_text_in_a_lesson_is_what_the_model_writes_itself(runs):
    lesson = next(one for one in LESSONS if one.id == "two-heads")
    for step in lesson.steps:
        if step.target:
            given = resolve(lesson, step, runs).tokens
            alone = resolve(lesson, replace(step, target=""), runs).tokens
            assert alone[: len(given)] == given


def names_the_row_and_no_answer(lesson: Lesson, step: Step, resolved: Resolved) -> None:
    if resolved.surface == "key":
        assert resolved.query["key"] != resolved.truth.name
    if resolved.surface == "row":
        assert not {"query", "key", "step"} & set(resolved.query)
    if resolved.surface == "head":
        assert not {"layer", "head"} & set(resolved.query)
    if resolved.surface == "order":
        assert resolved.query == step.query
    else:
        assert resolved.query["source"] == step.source
        assert resolved.query["checkpoint"] == (step.checkpoint or lesson.checkpoint)
    assert {cover.what for cover in resolved.covered} == set(step.cover)


def test_the_words_from_the_asked_row_on_are_covered(runs):
    resolved = resolve(LESSONS[0], LESSONS[0].steps[1], runs)
    covers = {cover.what: cover for cover in resolved.covered}
    assert covers["row"].rows == (2,)
    hidden = [resolved.tokens[n] for n in covers["words"].tokens]
    assert hidden == ["noir", "voit", "la", "maison", "rouge", ".", "</s>"]


def test_the_simple_rule_reads_on_and_is_wrong_where_a_lesson_asks_for_a_jump(runs):
    for step in LESSONS[0].steps[1:]:
        resolved = resolve(LESSONS[0], step, runs)
        assert resolved.simple is not None
        assert resolved.simple != resolved.truth.name
    first = resolve(LESSONS[0], LESSONS[0].steps[1], runs)
    assert first.options[int(first.simple)].shown == "sees"


def made(answer: Answer, **changed) -> tuple[Lesson, Step]:
    text = Text({"en": "a", "fr": "b"})
    see = See("cross-attention", "best at content words", writes="noir")
    values = {"source": "the small black cat .", "see": see} | changed
    step = Step(kind="ask", page="attention", prompt=text, answer=answer, **values)
    return Lesson("one", text, text, "everyday-paper-0", (step,)), step


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"target": "le chat minuscule ."}, "target: the model does not know “minuscule”"),
        ({"see": See("cross-attention", None, writes="noir")}, "see.head: it needs see with head"),
        ({"see": See("encoder self-attention", None, writes="noir")}, "the encoder writes nothing"),
        ({"checkpoint": "digits-paper"}, "the model does not know “the”"),
    ],
)
def test_what_cannot_be_asked_is_refused(changed, says, runs):
    lesson, step = made(Answer("largest"), **changed)
    with pytest.raises(LessonError, match=says):
        resolve(lesson, step, runs)


def test_what_is_nearly_the_same_is_no_choice(runs):
    edits = ("scale!encoder.layers.*.self_attn.scores;a1.1",)
    see = See("encoder self-attention")
    lesson, step = made(Answer("choice", of="entropy of the kind"), edits=edits, see=see)
    with pytest.raises(LessonError, match="too small to ask for"):
        resolve(lesson, step, runs)
