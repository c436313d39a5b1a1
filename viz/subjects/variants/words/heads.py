"""What is said of heads whose number does not divide d_model."""

from texts import say
from viz.subjects.variants.heads import Uneven
from viz.subjects.variants.report import Report, Table


def report_uneven(found: Uneven) -> Report:
    """Say what is lost, and who refuses."""
    header = (
        say("variants.uneven_heads"),
        say("variants.uneven_width"),
        say("variants.uneven_projection"),
        say("variants.uneven_joined"),
        say("variants.uneven_output"),
        say("variants.parameters"),
    )
    rows = tuple(
        (
            str(h.n_heads),
            str(h.d_k),
            f"{h.d_model} → {h.joined}",
            f"{h.n_heads} × {h.d_k} = {h.joined}",
            f"{h.joined} → {h.d_model}",
            h.parameters,
        )
        for h in (found.uneven, found.even)
    )
    paper = (
        say("variants.paper_refuses", refusal=found.refusal)
        if found.refusal
        else say("variants.paper_builds")
    )
    verdict = say("variants.uneven", width=_say_width(found), size=_say_size(found), paper=paper)
    return Report(verdict, (Table(say("variants.uneven_table"), header, rows),))


def _say_width(found: Uneven) -> str:
    u = found.uneven
    built = {"heads": u.n_heads, "d_k": u.d_k, "d_model": u.d_model}
    lost = u.d_model - u.joined
    if not lost:
        return say("variants.width_exact", **built)
    return say(
        "variants.width_fewer" if lost > 0 else "variants.width_more",
        **built,
        joined=u.joined,
        gap=abs(lost),
    )


def _say_size(found: Uneven) -> str:
    fewer, heads = found.even.parameters - found.uneven.parameters, found.even.n_heads
    if not fewer:
        return say("variants.size_same", heads=heads)
    return say(
        "variants.size_fewer" if fewer > 0 else "variants.size_more", gap=abs(fewer), heads=heads
    )
