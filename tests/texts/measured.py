"""Measures of the shipped models, computed on few sentences, for the claims in the texts."""

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from model.anatomy import attention_in
from model.interventions.kinds import Intervention, edits_of
from model.traces import present
from tests.checkpoints import VARIANTS
from tests.file_runs import FileRuns
from tests.viz.lessons.claims import WITHOUT_MASK, measure, write_greedily
from tests.viz.lessons.referents import it_sentences
from viz.heads.head_roles import find_roles, word_classes
from viz.lessons.lesson import Step
from viz.lessons.places import find_head
from viz.lessons.reading import shipped_lessons
from viz.lessons.readings import Reading, held_out_readings
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved
from viz.run.axes import layer_count
from viz.run.record import Run

FIRST = "everyday-paper-0"
LAPSE_START = "time-lapse/everyday-timelapse-000000"
RUNS = FileRuns()
LESSONS = {lesson.id: lesson for lesson in shipped_lessons()}
FEW = 40


@functools.cache
def readings(name: str, count: int = FEW) -> tuple[Reading, ...]:
    return tuple(held_out_readings(RUNS.checkpoint(name), count))


def step_of(lesson: str, number: int) -> Step:
    return LESSONS[lesson].steps[number]


@functools.cache
def resolved(lesson: str, number: int) -> Resolved:
    return resolve(LESSONS[lesson], step_of(lesson, number), RUNS)


@functools.cache
def run_of(lesson: str, number: int) -> Run:
    step = step_of(lesson, number)
    name = step.checkpoint or LESSONS[lesson].checkpoint
    return RUNS.run(name, step.source, step.target, ())


def answer(lesson: str, number: int) -> float:
    """Return the number that answers a step."""
    truth = present(resolved(lesson, number).truth)
    return float(truth.name if truth.value is None else truth.value)


def place_of_answer(lesson: str, number: int) -> int:
    """Return the position of a step's answer among the tokens, from 0."""
    return int(present(resolved(lesson, number).truth).name)


def words_after_answer(lesson: str, number: int) -> int:
    """Return how many words are written after the answer, without the full stop."""
    words = run_of(lesson, number).text.rstrip(" .").split()
    return len(words) - place_of_answer(lesson, number)


def tokens_written(lesson: str, number: int) -> int:
    return len(run_of(lesson, number).steps)


def product_less(lesson: str, number: int, share: float, times: int) -> float:
    """Return a share to a power, minus the number that answers a step."""
    return share**times - answer(lesson, number)


def answers(lesson: str, number: int, word: str) -> float:
    """Return 1 if the answer of a step is a given word, else 0."""
    return float(present(resolved(lesson, number).truth).name == word)


def answer_less_tokens(lesson: str, number: int) -> float:
    """Return the number that answers a step, minus the count of written tokens."""
    return answer(lesson, number) - tokens_written(lesson, number)


def tokens_read(lesson: str, number: int) -> int:
    return len(run_of(lesson, number).source.tokens)


def factor_of_edit(lesson: str, number: int) -> float:
    """Return the factor of the only edit of a step."""
    (edit,) = step_of(lesson, number).edits
    return float(edit.rpartition(";a")[2])


def right_words(lesson: str, number: int) -> float:
    """Return the share of words that stay in place when the edits of a step are made."""
    before = run_of(lesson, number).target_tokens[1:-1]
    after = resolved(lesson, number).tokens[1:-1]
    same = sum(one == other for one, other in zip(before, after, strict=False))
    return same / len(before)


def asked_of_the_right_token() -> float:
    return 1 - float(RUNS.checkpoint(FIRST).info.training["label_smoothing"])


@functools.cache
def held(name: str, checkpoint: str = FIRST, sentences: int = FEW) -> float:
    return measure(name, RUNS.checkpoint(checkpoint), sentences)


def farthest_from(value: float) -> float:
    """Return the largest distance of a token's probability in "How sure is it?" from a value."""
    run = run_of("how-sure", 0)
    shares = present(run.trace.logits)[0].double().softmax(dim=-1)
    return max(abs(float(shares[n, step.token]) - value) for n, step in enumerate(run.steps))


def mean_of_right_tokens() -> float:
    found: list[float] = []
    for reading in readings(FIRST):
        shares = present(reading.trace.logits)[0].double().softmax(dim=-1)
        right = torch.tensor(reading.example.target[1:])
        found += shares.gather(1, right[:, None])[:, 0].tolist()
    return float(np.mean(found))


def least_at_half_the_temperature() -> float:
    """Return the least probability at temperature 0.5 of tokens with about .9 at temperature 1."""
    found: list[float] = []
    for reading in readings(FIRST):
        logits = present(reading.trace.logits)[0].double()
        usual = logits.softmax(dim=-1).amax(dim=-1)
        cool = (logits / 0.5).softmax(dim=-1).amax(dim=-1)
        found += cool[(usual - 0.9).abs() < 0.01].tolist()
    return min(found)


def encoder_weights(run: Run) -> torch.Tensor:
    layers = range(layer_count(run.info.config, "encoder self-attention"))
    each = [attention_in(run.trace, "encoder self-attention", layer).weights for layer in layers]
    return torch.cat(each)


@functools.cache
def nouns_read(*, is_next: bool) -> np.ndarray:
    """Return how often each encoder head (layer, head) reads a determiner's or adjective's noun."""
    checkpoint = RUNS.checkpoint(FIRST)
    classes = word_classes(checkpoint.info).source
    hits: list[np.ndarray] = []
    for reading in readings(FIRST, 120):
        kinds = [classes.get(word, "") for word in reading.source]
        encoder = present(reading.trace.encoder)
        most = torch.cat([layer.self_attn.weights for layer in encoder.layers]).argmax(dim=-1)
        for row, key in to_nouns(kinds):
            if (key == row + 1) is is_next:
                hits.append(most[:, :, row].numpy() == key)
    return np.mean(hits, axis=0)


def to_nouns(kinds: list[str]) -> Iterator[tuple[int, int]]:
    for row, kind in enumerate(kinds):
        key = row + 1
        while kind in ("determiner", "adjective") and key < len(kinds):
            if kinds[key] == "noun":
                yield row, key
            if kinds[key] != "adjective":
                break
            key += 1


def best_reads_noun_further() -> float:
    return float(nouns_read(is_next=False)[noun_head()])


def other_reads_nouns_only_next() -> float:
    """Return how much more often the second-best head reads the noun if it is the next word."""
    others = nouns_read(is_next=True).copy()
    others[noun_head()] = 0
    other = np.unravel_index(int(others.argmax()), others.shape)
    return float(others[other] - nouns_read(is_next=False)[other])


@functools.cache
def noun_head() -> tuple[int, int]:
    return find_head(RUNS.checkpoint(FIRST), "best at nouns of determiners and adjectives")


@functools.cache
def encoder_jobs() -> Counter[str]:
    roles = present(find_roles(RUNS.checkpoint(FIRST)))
    found = [role for layer in roles.heads["encoder self-attention"] for role in layer]
    return Counter(roles[0].job.name if roles else "" for roles in found)


def heads_at(*names: str) -> int:
    """Return how many encoder heads have one of the given jobs."""
    return sum(encoder_jobs()[name] for name in names)


def second_share(lesson: str, number: int) -> float:
    """Return the second-largest weight of the encoder heads on the column that a step asks for."""
    run, step = run_of(lesson, number), step_of(lesson, number)
    tokens = list(run.source.tokens)
    row, column = tokens.index(present(step.see).reads), tokens.index(present(step.answer).word)
    return float(encoder_weights(run)[:, :, row, column].flatten().sort().values[-2])


def weight_on_the_future() -> float:
    """Return the mean future weight over the decoder's heads and rows, except the last row."""
    checkpoint = RUNS.checkpoint(FIRST)
    edits, found = edits_of((WITHOUT_MASK,), checkpoint.model), []
    for reading in held_out_readings(checkpoint, FEW, edits=edits):
        each = [layer.self_attn.weights for layer in present(reading.trace.decoder).layers]
        found.append(torch.cat(each).triu(1).sum(dim=-1)[:, :, :-1].flatten())
    return float(torch.cat(found).mean())


@functools.cache
def cut_pronouns() -> Counter[str]:
    """Count the pronouns written for "it" without the head that finds its noun."""
    checkpoint = RUNS.checkpoint(FIRST)
    layer, head = find_head(checkpoint, "best at referents of it")
    cut = Intervention("zero", f"encoder.layers.{layer}.self_attn.heads", head=head)
    edits, tokenizers = edits_of((cut,), checkpoint.model), checkpoint.info.tokenizers
    found: Counter[str] = Counter()
    for sentence in it_sentences(checkpoint.info)[::8]:
        ids = write_greedily(checkpoint, tokenizers.encode_source(sentence.source).ids, edits)
        words = tokenizers.target.tokens(ids)
        found.update(word for word in words if word in ("il", "elle"))
    return found


def share_of_il_without_the_head() -> float:
    return cut_pronouns()["il"] / cut_pronouns().total()


def random_score(d_k: int) -> float:
    """Return the spread of random vectors' dot products, divided by the root of their length."""
    draw = np.random.default_rng(0)
    products = (draw.normal(size=(20_000, d_k)) * draw.normal(size=(20_000, d_k))).sum(axis=1)
    return float(products.std() / d_k**0.5)


def growth(small: int, large: int) -> float:
    """Return the ratio of scaled random scores at one d_k to those at another."""
    return random_score(large) / random_score(small)


def largest_before_training(lesson: str) -> float:
    """Return the largest weight of a lesson's head in its examples, at step 0 of the training."""
    found = []
    for number, step in enumerate(LESSONS[lesson].steps):
        place = present(resolved(lesson, number).place)
        run = RUNS.run(LAPSE_START, step.source, step.target, ())
        weights = attention_in(run.trace, "cross-attention", present(place.layer)).weights
        found.append(float(weights[0, present(place.head)].max()))
    return max(found)


def weight_at_moment(lesson: str, number: int, moment: int, row: int, column: int) -> float:
    """Return a weight of a lesson's head at one moment; rows and columns count from 1."""
    step, place = LESSONS[lesson].steps[number], present(resolved(lesson, number).place)
    name = present(step.answer).checkpoints[moment]
    run = RUNS.run(name, step.source, step.target, ())
    weights = attention_in(run.trace, "cross-attention", present(place.layer)).weights
    return float(weights[0, present(place.head), row - 1, column - 1])


@functools.cache
def pulls() -> Counter[str]:
    """Count the effects of pulling a cross-attention row to another word, in all heads or one."""
    checkpoint, draw = RUNS.checkpoint(FIRST), np.random.default_rng(0)
    model, config = checkpoint.model, checkpoint.info.config
    layers, found = layer_count(config, "cross-attention"), Counter[str]()
    for reading in readings(FIRST, 60):
        gold, target = reading.gold, reading.example.target
        rows = [row for row in reading.content_rows if len(gold[row]) == 1]
        keys = set().union(*(gold[row] for row in rows))
        choices = [(row, key) for row in rows for key in sorted(keys - gold[row])]
        if not choices:
            continue
        row, key = choices[int(draw.integers(len(choices)))]
        every, last = "decoder.layers.*.cross_attn", f"decoder.layers.{layers - 1}.cross_attn"
        head = int(draw.integers(config.n_heads))
        for name, place, one in (("all", every, None), ("one", last, head)):
            point = Intervention(
                "point", f"{place}.weights", head=one, rows=(row,), columns=(key,), amount=1.0
            )
            with torch.inference_mode():
                trace = model(
                    torch.tensor([reading.example.source]),
                    torch.tensor([target[:-1]]),
                    edits=edits_of((point,), model),
                )
            now = int(present(trace.logits)[0, row].argmax())
            found[f"{name} changed"] += now != target[row + 1]
            found[f"{name} translated"] += now in {
                target[other + 1] for other, read in gold.items() if key in read
            }
        found["count"] += 1
    return found


def pulled(what: str) -> float:
    return pulls()[what] / pulls()["count"]


def alike_by_class() -> float:
    """Return the share of a word's five nearest words in its class, divided by chance."""
    checkpoint = RUNS.checkpoint(FIRST)
    tokens = checkpoint.info.tokenizers.source.all_tokens
    ids = [number for number, token in enumerate(tokens) if token.isalpha()]
    words = [tokens[number] for number in ids]
    known = word_classes(checkpoint.info).source
    classes = [known.get(word, "other") for word in words]
    vectors = checkpoint.model.get_parameter("source_embedding.weight")[ids].detach()
    vectors = torch.nn.functional.normalize(vectors, dim=-1)
    kinds = np.unique(classes, return_inverse=True)[1]
    sample = np.arange(0, len(ids), max(1, len(ids) // 500))
    cosines = vectors[sample] @ vectors.T
    cosines[np.arange(len(sample)), sample] = -1
    near = cosines.topk(5).indices.numpy()
    chance = (np.bincount(kinds) / len(kinds))[kinds[sample]].mean()
    return float((kinds[near] == kinds[sample][:, None]).mean() / chance)


def recorded(name: str, *path: str) -> float:
    """Return a score from a checkpoint's file, measured on the held-out sentences."""
    found: Any = RUNS.checkpoint(VARIANTS.get(name, name)).info.scores
    for key in path:
        found = found[key]
    return float(found)


def rows_that_read_the_word_before(name: str) -> float:
    """Return the least share of rows in which a first-layer head reads the previous word most."""
    checkpoint, draw = RUNS.checkpoint(name), np.random.default_rng(0)
    words = [word for word in checkpoint.info.tokenizers.target.all_tokens if word.isalpha()]
    found: list[np.ndarray] = []
    for _ in range(FEW):
        some = draw.choice(words, 6, replace=False).tolist()
        run = RUNS.run(name, " ".join([*some, *some[:3]]), "", ())
        weights = attention_in(run.trace, "decoder self-attention", 0).weights[0].numpy()
        rows = np.arange(1, weights.shape[1])
        found.append((weights[:, rows].argmax(axis=-1) == rows - 1).mean(axis=-1))
    return float(np.mean(found, axis=0).min())
