"""What is said of heads whose number does not divide d_model."""

from viz.subjects.variants.heads import Uneven
from viz.subjects.variants.report import Report, Table


def report_uneven(found: Uneven) -> Report:
    """Say what is lost, and who refuses."""
    header = (
        "heads",
        "d_k = d_v",
        "a projection",
        "heads side by side",
        "output projection",
        "parameters",
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
    said = f"refuses: “{found.refusal}”" if found.refusal else "builds it too"
    verdict = f"{_say_width(found)}, with {_say_size(found)} heads have. The paper {said}."
    return Report(verdict, (Table("One multi-head attention", header, rows),))


def _say_width(found: Uneven) -> str:
    u = found.uneven
    lost = u.d_model - u.joined
    if not lost:
        return f"{u.n_heads} heads of {u.d_k} give exactly the {u.d_model} of d_model"
    gap = f"{abs(lost)} {'fewer' if lost > 0 else 'more'}"
    return (
        f"{u.n_heads} heads of {u.d_k} give {u.joined} numbers, {gap} than d_model; "
        f"the output projection maps {u.joined} back to {u.d_model}"
    )


def _say_size(found: Uneven) -> str:
    fewer = found.even.parameters - found.uneven.parameters
    if not fewer:
        return f"as many parameters as {found.even.n_heads}"
    return f"{abs(fewer):,} {'fewer' if fewer > 0 else 'more'} parameters than {found.even.n_heads}"
