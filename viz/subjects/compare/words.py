"""Sentences of the Compare page about the measurements."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from texts import listed, say, say_of
from viz.heads.text_alignment import Pair
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import escape, listed_markup, say_markup, token
from viz.run.axes import AttentionKind
from viz.subjects.compare.stages import StageChange

_MOST_NAMED = 3
_MOST_REPLACED = 3
_LEAST_TOLD = 0.01
_MOST_UNKNOWN = 4


class Told(NamedTuple):
    """A head, and its row that moved most."""

    kind: AttentionKind
    layer: int
    head: int
    word: str
    """The name of the row, in A."""
    moved: float
    writes: bool = True
    """Whether a row of the decoder is named after the word that it writes."""


def ways(*, changed: bool, pinned: bool) -> dict[str, str]:
    """Name the other runs that a run can be compared with, the likeliest first."""
    names = [*(["changes"] if changed else []), "sentence", "model", "pinned"]
    return {
        name: say_of("compare.with", name if pinned or name != "pinned" else "to_pin")
        for name in names
    }


def run_name(model: str, *, given: bool | None, changed: bool | None) -> str:
    """Describe the difference between the inputs of two runs; None and "" if they are equal."""
    parts = [model]
    if given is not None:
        parts.append(say("compare.a_given" if given else "compare.a_written"))
    if changed is not None:
        parts.append(say("compare.with_changes" if changed else "compare.without_changes"))
    return ", ".join(filter(None, parts))


def say_matched(heads: Sequence[Told]) -> Markup:
    """Describe how similar the heads of two models are, each paired with the most similar one.

    Args:
        heads: Heads with the share of their weight that lies elsewhere, the most similar first.
    """
    if not heads:
        return say_markup("compare.no_match")
    first, last = heads[0], heads[-1]
    return say_markup(
        "compare.matched",
        first=_named(first),
        first_share=_share(first.moved),
        last=_named(last),
        last_share=_share(last.moved),
    )


def say_heads(strongest: Told | None) -> Markup:
    """State which head differs most, and at which word; none if all are equal."""
    if strongest is None:
        return say_markup("compare.heads_same")
    head, where = _named(strongest), _where(strongest)
    begun = f"{head[0].upper()}{head[1:]}"
    return say_markup("compare.heads_most", head=begun, where=where, share=_share(strongest.moved))


def say_outputs(
    replaced: Sequence[tuple[str, str]], shared: int, whole: int, *, given: bool
) -> Markup:
    """Describe how the output changes.

    Args:
        replaced: Words of A and what B has instead; "" on a side that lacks the word.
        shared: The number of words that both have.
        whole: The number of words of the longer one.
        given: Whether a target was given, so that the model did not write both.
    """
    if not replaced:
        return say_markup("compare.same_given" if given else "compare.same_written")
    if len(replaced) > _MOST_REPLACED:
        return say_markup("compare.in_common", count=shared, whole=whole)
    swapped = [
        say_markup(
            "compare.given_pair" if given else "compare.written_pair", a=token(a), b=token(b)
        )
        for a, b in replaced
        if a and b
    ]
    of_a, of_b = ([token(pair[s]) for pair in replaced if not pair[1 - s]] for s in (0, 1))
    sentences = []
    if swapped:
        pairs = listed_markup(swapped)
        sentences.append(say_markup("compare.given" if given else "compare.written", pairs=pairs))
    if of_a:
        words = listed_markup(of_a)
        sentences.append(
            say_markup("compare.given_a" if given else "compare.written_a", words=words)
        )
    if of_b:
        words = listed_markup(of_b)
        sentences.append(
            say_markup("compare.given_b" if given else "compare.written_b", words=words)
        )
    return Markup(" ").join(sentences)


def say_first(stage: StageChange | None, positions: Sequence[str]) -> str:
    """Describe where two runs of one model first differ, and at which positions."""
    if stage is None:
        return say("compare.all_same")
    if len(positions) > _MOST_NAMED:
        return say("compare.first", stage=stage.name)
    if positions:
        return say("compare.first_at", stage=stage.name, places=listed(positions))
    return say("compare.first", stage=stage.name)


def not_shared(
    languages: tuple[tuple[str, str], tuple[str, str]], layers: tuple[str, str] | None
) -> str:
    """Explain why the insides of two models cannot be compared."""
    (a, b), (c, d) = languages
    if (a, b) != (c, d):
        return say("compare.other_languages", a=a, b=b, c=c, d=d)
    if layers:
        return say("compare.other_layers", a=layers[0], b=layers[1])
    return say("compare.other_tokens")


def layer_words(encoder: int, decoder: int, heads: int) -> str:
    """Describe the number of layers and heads of a model."""
    return say("compare.layers", encoder=encoder, decoder=decoder, count=heads)


def unknown_in_other(words: Sequence[str]) -> str:
    """State which words of the other sentence the model does not know."""
    named = [say("compare.quoted", word=word[:24]) for word in words[:_MOST_UNKNOWN]]
    if more := len(words) - len(named):
        named.append(say("compare.unknown_more", count=more))
    return say("compare.unknown", words=listed(named))


def step_tokens(tokens: Sequence[tuple[str, float, float]]) -> str:
    """Write the probabilities in both runs of tokens that gained or lost one percentage point."""
    told = [(t, a, b) for t, a, b in tokens if abs(a - b) >= _LEAST_TOLD]
    return " · ".join(f"{t} {_share(a)} → {_share(b)}" for t, a, b in told) or "–"


def stage_label(name: str) -> str:
    """Name a stage beside a small map: "L0 attention", "L1 output", "embedding"."""
    if "embedding" in name:
        return say("compare.stage.embedding")
    layer, _, rest = name.partition("layers.")[2].partition(".")
    return say_of("compare.stage", rest, layer=layer) if layer else name


def pair_label(pair: Pair, a: Sequence[str], b: Sequence[str]) -> str:
    """Name a pair of tokens, by one word if both are equal."""
    i, j = pair
    ours = a[i] if i is not None else "–"
    theirs = b[j] if j is not None else "–"
    return ours if ours == theirs else f"{ours} | {theirs}"


def _where(told: Told) -> Markup:
    """Name the word of a row: one that is read, or one that is being written."""
    is_word = any(map(str.isalnum, told.word))
    word = token(told.word) if is_word else escape(say("compare.quoted", word=told.word))
    writes = told.writes and told.kind != "encoder self-attention"
    return say_markup("compare.writing" if writes else "compare.at", word=word)


def _share(share: float) -> str:
    return percent_text(round(share, 2) if share >= _LEAST_TOLD else share)


def _named(told: Told) -> str:
    return say_of("compare.head", told.kind, head=told.head, layer=told.layer)
