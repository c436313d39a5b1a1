"""Names of the decoder's parts, and sentences about their contributions to a token's lead."""

from markupsafe import Markup

from model.attribution.logits import Addend
from texts import say, say_of
from viz.pictures.numbers import difference_text, number_text
from viz.pictures.tokens import markdown, say_markup, token
from viz.subjects.mattered.row_parts import Lead

_ROUNDING = 1e-4


def part_label(part: Addend) -> str:
    """Name a part of the decoder."""
    return say_of("mattered.addend", _name(part), layer=part.layer, head=part.head)


def _name(part: Addend) -> str:
    """Name its kind of part: a name in the texts."""
    if part.name == "target_embedding.norm.bias":
        return "embedding norm"
    if part.kind == "norm bias":
        return part.name.rpartition(".")[0].rpartition(".")[2]
    if part.kind in ("self-attention", "cross-attention") and part.head is None:
        return f"{part.kind} bias"
    if part.kind == "edit" and part.layer is not None:
        return "edit_in_layer"
    return part.kind


def rival_label(written: str) -> str:
    """Ask for the token to compare with the written one."""
    return say("mattered.rival", token=markdown(written))


def rest_label(count: int) -> str:
    """Name the parts that are too small to be shown."""
    return say("mattered.lead_rest", count=count)


def lead_answer(found: Lead) -> Markup:
    """State which part contributes most to a lead."""
    named = {"token": token(found.token), "other": token(found.other)}
    if not found.shown:
        return say_markup("mattered.lead_none", **named)
    largest = max(found.shown, key=lambda part: part.value)
    values = {
        "lead": number_text(found.lead),
        "part": part_label(largest),
        "value": number_text(largest.value),
    }
    return say_markup("mattered.lead_most", **named, **values)


def sum_check(found: Lead) -> tuple[bool, str, str]:
    """State that the parts sum to the difference of the logits."""
    said = say("mattered.lead_check", lead=number_text(found.lead))
    return abs(found.error) < _ROUNDING, said, f"± {difference_text(abs(found.error))}"
