"""The Embeddings page: nearest words, projections, the states of every layer."""

import re

import numpy as np

from qa.audit.numbers import NUMBER
from qa.audit.pages.run import check_frame
from qa.audit.reference.files import Array
from qa.audit.reference.words import SPECIALS
from qa.audit.visit import Visit

_BARS = """() => {
  const [list] = auditAll(".embeddings-near ol");
  if (!list) return ["", []];
  const chosen = list.getAttribute("aria-label").match(/“(.*)”|« (.*) »/);
  return [chosen[1] ?? chosen[2], [...list.children].map((line) => {
    const [name, track, cosine] = line.children;
    const wide = (node) => node.getBoundingClientRect().width;
    return [auditText(name), auditText(cosine), wide(track.firstElementChild) / wide(track)];
  })];
}"""
_DOTS = """() => {
  const cloud = auditAll(".loupe-cloud")[0];
  const dots = cloud ? [...cloud.querySelectorAll("circle.embeddings-dot")] : [];
  return dots.map((dot) => {
    dot.dispatchEvent(new PointerEvent("pointermove"));
    const place = ["cx", "cy"].map((name) => Number(dot.getAttribute(name)));
    return [auditAll(".loupe-tip")[0].firstChild.textContent, ...place];
  });
}"""
"""Each point is identified by its text under the pointer."""
_FROM_FLOAT32 = 2e-4
"""The tolerance of the plane, which the app computes in float32, as a share of an axis."""


def embeddings(visit: Visit) -> None:
    """Check the nouns, the plane, the nearest words and the path through the layers."""
    visit.open("embeddings", visit.state.query())
    check_frame(visit)
    _check_nouns(visit)
    visit.open("embeddings", visit.state.query(more_embeddings_nearest="true"))
    _check_nearest(visit)
    visit.open("embeddings", visit.state.query(more_embeddings_layers="true"))
    _check_layers(visit)


def _side(visit: Visit) -> str:
    return "source" if visit.truth.reference.has("encoder") else "target"


_GENDERS = {"le: masculine nouns": -1, "la: feminine nouns": 1}


def _check_nouns(visit: Visit) -> None:
    """Count the filled points of nouns on the side of their colour."""
    for plot in visit.plots():
        found = [t for t in plot["data"] if t["name"] in _GENDERS and t.get("customdata")]
        if len(found) != len(_GENDERS) or any(t["name"] == "nearest" for t in plot["data"]):
            continue
        sides = [
            [
                np.sign(x) == _GENDERS[t["name"]]
                for x, symbol in zip(t["x"], t["marker"]["symbol"], strict=True)
                if symbol == "circle"
            ]
            for t in found
        ]
        right = np.mean(np.concatenate(sides))
        usual = max(map(len, sides)) / sum(map(len, sides))
        claim = r"<%> of the nouns below lie on the correct side(?: \(|, and )<%>"
        claims = ("share of the nouns", right), ("share of the usual gender", usual)
        visit.says(visit.text(), claim, *claims, slack=1e-5, missing=claims[0][0])


def _check_nearest(visit: Visit) -> None:
    """Check the named words, the bars, and the words of the plane in their first components."""
    names, units = compared(visit, _side(visit))
    if not check_nearest_said(visit, names, units):
        return
    check_bars(visit, names, units)
    check_plane(visit, names, units)


def check_bars(visit: Visit, names: list[str], units: Array) -> None:
    """Check the cosines beside the bars of the nearest words, and the lengths of the bars."""
    chosen, bars = visit.page.evaluate(_BARS)
    if not bars:
        visit.missing("bars of the nearest words")
        return
    one = units[names.index(chosen)]
    computed = {name: float(units[names.index(name)] @ one) for name, *_ in bars}
    visit.holds("nearest first", list(computed), list(computed) == _ranked(computed))
    reach = 1 - min(0.0, *computed.values())
    for name, said, share in bars:
        visit.stated("cosine of a bar", said, computed[name], 1e-5, name)
        visit.numbers("length of a bar", share * reach, abs(computed[name]), 5e-3, name)


def _ranked(computed: dict[str, float]) -> list[str]:
    return sorted(computed, key=lambda name: -round(computed[name], 6))


def check_plane(visit: Visit, names: list[str], units: Array) -> None:
    """Check the points, which fill the plane: each axis from 0 to 1."""
    dots = visit.page.evaluate(_DOTS)
    if not dots:
        visit.missing("points of the words")
        return
    own, _ = components(units[[names.index(name) for name, *_ in dots]])
    seen = np.array([place for _, *place in dots]) * [1, -1]
    for axis, (found, computed) in enumerate(zip(seen.T, own.T[:2], strict=True)):
        found, computed = ((p - p.min()) / np.ptp(p) for p in (found, computed))
        away = min(abs(found - computed).max(), abs(1 - found - computed).max())
        visit.numbers("points of the words", away, 0.0, _FROM_FLOAT32, f"axis {axis}")


def check_nearest_said(visit: Visit, names: list[str], units: Array) -> bool:
    """Check the sentence that names the words nearest to one; False if there is none."""
    said = visit.text()
    match = re.search(r"nearest to “(.+?)” are (.+?)\.(?=\s|$)", said)
    if match is None:
        visit.note(f"another answer: {said[:80]}")
        return False
    one = names.index(match[1])
    cosines = units @ units[one]
    ranked = [i for i in np.argsort(-cosines) if i != one]
    near, said = re.findall(rf"“(.+?)” \(({NUMBER})\)", match[2]), match[0]
    for rank, (name, cosine) in enumerate(near):
        value, there = cosines[names.index(name)], visit.at(name)
        there.stated("cosine of near words", cosine, value)
        best = [names[i] for i in ranked[: len(near)]]
        there.holds("nearest of all words", said, value >= cosines[ranked[rank]] - 1e-5, best)
    return True


def compared(visit: Visit, side: str) -> tuple[list[str], Array]:
    """Return the words of one language, and their rows without mean and two widest directions.

    The rows are scaled to a length of 1.
    """
    words, rows = (
        getattr(visit.truth.words, side),
        visit.truth.reference.matrix(f"{side}_embedding"),
    )
    named = {i: name for name, i in words.ids.items() if i >= len(SPECIALS)}
    ids = [i for i, name in named.items() if re.search(r"[^\W_]", name) and name[:1] != "<"]
    ids = sorted(ids or named)
    centred = rows[ids] - rows[ids].mean(axis=0)
    if len(ids) >= 100:
        _, _, right = np.linalg.svd(centred, full_matrices=False)
        centred = centred - centred @ right[:2].T @ right[:2]
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return [words.token(i) for i in ids], centred / np.maximum(lengths, 1e-300)


def components(states: Array) -> tuple[Array, Array]:
    """Return the principal components of states, and the share of the variance of each."""
    left, sizes, _ = np.linalg.svd(states - states.mean(axis=0), full_matrices=False)
    return left * sizes, sizes**2 / (sizes**2).sum()


def _check_layers(visit: Visit) -> None:
    """Project all states of a text together; return the variance of the axes and the points."""
    text, what, side = visit.text(), "states that are projected", _side(visit)
    match = re.search(rf"({NUMBER}) × ({NUMBER}) × ({NUMBER}) All (\d+) states", text)
    last = re.search(r"… (\S+\.output)", text)
    if match is None:
        visit.note("no states layer by layer")
        return
    steps, positions, width, total = map(int, match.groups())
    visit.same(what, total, steps * positions)
    stack = "encoder" if side == "source" else "decoder"
    layers = range(visit.truth.reference.config[f"n_{stack}_layers"])
    names = [f"{side}_embedding.tokens", f"{side}_embedding.output"]
    names += [f"{stack}.layers.{i}.output" for i in layers]
    if last and last[1] not in names:
        names = [*(names[1:] if len(names) == steps else names), last[1]]
    states = np.stack([visit.truth.run.tensors[n] for n in names])
    if not visit.same(what, [steps, positions, width], list(states.shape)):
        return
    places, shares = components(states.reshape(-1, width))
    for plot in visit.plots():
        if plot["titles"][0].startswith("component 1"):
            for title, share in zip(plot["titles"], shares, strict=False):
                visit.says(title, r"\(<%>\)", ("variance of an axis", share), slack=1e-5)
            tokens = next((t for t in plot["data"] if t["name"] == "tokens"), None)
            if tokens:
                xy = np.stack([np.asarray(tokens[a], float) for a in ("x", "y")], axis=1)
                own = np.abs(places[:positions, :2])
                visit.numbers("points of the states", np.abs(xy), own, 2e-4)
