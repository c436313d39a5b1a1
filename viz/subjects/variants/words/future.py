"""What is said of a decoder that reads the tokens it is to predict."""

import numpy as np

from texts import say
from viz.pictures.numbers import number_text, percent_text
from viz.run.reading_ahead import say_imposed
from viz.subjects.variants.future import Future, Reading
from viz.subjects.variants.report import Report, Table


def report_future(found: Future) -> Report:
    """Return whether it reads ahead, and what that is worth."""
    own = _on_its_own(found.own)
    if found.later.max() > 0:
        verdict = f"{_reads_ahead(found)} {own} {say_imposed(found.own.loss, found.masked.loss)}"
    else:
        verdict = f"{say('variants.no_weight', name=found.own.name)} {own}"
    return Report(verdict, (_readings(found), _weights(found)))


def _reads_ahead(found: Future) -> str:
    layer, head = np.unravel_index(found.following.argmax(), found.following.shape)
    return say(
        "variants.reads_ahead",
        head=head,
        layer=layer,
        share=percent_text(found.following[layer, head]),
        accuracy=percent_text(found.own.accuracy),
        loss=number_text(found.own.loss),
        paper=number_text(found.paper.loss),
    )


def _on_its_own(own: Reading) -> str:
    if own.exact_match is None:
        return say("variants.writes_here", text=own.written)
    return say("variants.gets_right", share=percent_text(own.exact_match))


def _readings(found: Future) -> Table:
    header = (
        "",
        say("variants.future_loss"),
        say("variants.future_tokens"),
        say("variants.future_sentences"),
        say("variants.future_writes"),
    )
    rows = tuple(
        (
            say("variants.imposed", variant=each.name) if each.imposed else each.name,
            each.loss,
            percent_text(each.accuracy),
            say("variants.not_measured")
            if each.exact_match is None
            else percent_text(each.exact_match),
            each.written or say("variants.nothing"),
        )
        for each in (found.own, found.masked, found.paper)
    )
    return Table(say("variants.future_table"), header, rows)


def _weights(found: Future) -> Table:
    heads = tuple(say("variants.head", head=head) for head in range(found.later.shape[1]))
    rows = tuple(
        (
            say("variants.layer", layer=layer),
            *(
                say("variants.two_shares", later=percent_text(a), next=percent_text(b))
                for a, b in zip(*shares, strict=True)
            ),
        )
        for layer, shares in enumerate(zip(found.later, found.following, strict=True))
    )
    return Table(say("variants.ahead_table"), ("", *heads), rows)
