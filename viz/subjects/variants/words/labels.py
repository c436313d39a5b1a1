"""What the page on variants says of the variants that it has, and of what they write."""

from collections.abc import Mapping, Sequence

from texts import listed, say


def outputs_note(unmasked: Sequence[str]) -> str:
    """Return what the numbers beside the outputs are, and are not without a causal mask."""
    note = say("variants.outputs_note")
    if not unmasked:
        return note
    return f"{note} {say('variants.outputs_unmasked', names=listed(unmasked))}"


def needs(variants: Sequence[str]) -> tuple[str, str]:
    """Describe whose checkpoints are missing, as people call them."""
    return say("variants.not_here"), say("variants.needs", variants=listed(variants))


def nothing_to_compare(task: str, variant: str, measured: str | None) -> str:
    """State that a task has one variant, and which task is measured in its place.

    Args:
        task: The one in view.
        variant: The only one that it has, as people call it.
        measured: The task with most variants; None where none has several.
    """
    if measured is None:
        return say("variants.nothing_to_compare", task=task, variant=variant)
    return say("variants.compared_on", task=task, variant=variant, measured=measured)


def answer(paper: str, written: Mapping[str, str]) -> str:
    """Describe what other choices make of the sentence.

    Args:
        paper: What the paper's variant writes.
        written: What each other variant writes, by what people call it.
    """
    same = sum(text == paper for text in written.values())
    others = [
        say("variants.writes" if text else "variants.writes_nothing", name=name, text=text)
        for name, text in written.items()
        if text != paper
    ]
    said = say("variants.chose_otherwise", count=len(written))
    if not others:
        return f"{said} {say('variants.all_the_same')}"
    if len(others) > 2:
        differ = say("variants.and_others", first=others[0], second=others[1])
    else:
        differ = listed(others)
    if not same:
        return f"{said} {say('variants.none_the_same', others=differ)}"
    return f"{said} {say('variants.some_the_same', count=same, others=differ)}"
