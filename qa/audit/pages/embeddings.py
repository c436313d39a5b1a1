"""The page of embeddings: nearest words, projections, the states of every layer."""

import re

import numpy as np

from qa.audit.numbers import NUMBER, count
from qa.audit.pages.run import check_frame
from qa.audit.reference.files import Array
from qa.audit.reference.words import SPECIALS
from qa.audit.visit import Visit


def embeddings(visit: Visit) -> None:
    """Hold the answer, the cloud, the nearest words and the way through the layers."""
    visit.open("embeddings", visit.state.query(more_embeddings_trust="true"))
    check_frame(visit)
    _check_nearest(visit)
    _check_cloud(visit)
    visit.open("embeddings", visit.state.query(more_embeddings_layers="true"))
    _check_layers(visit)


def _side(visit: Visit) -> str:
    return "source" if visit.truth.reference.has("encoder") else "target"


def _check_nearest(visit: Visit) -> None:
    said, side = visit.text(".loupe-answer"), _side(visit)
    match = re.search(r"“(.+?)” is(, of the [\d,]+ tokens drawn here,)? most like (.+?)\.?$", said)
    if match is None:
        visit.note(f"another answer: {said[:80]}")
        return
    words = getattr(visit.truth.words, side)
    rows = visit.truth.reference.matrix(f"{side}_embedding")
    names = {i: words.token(i) for i in range(len(rows)) if i < len(SPECIALS) or i in words.names}
    one = next(i for i, name in names.items() if name == match[1])
    lengths = np.linalg.norm(rows, axis=1)
    cosines = rows @ rows[one] / np.maximum(lengths * lengths[one], 1e-300)
    ranked = [i for i in np.argsort(-cosines) if i != one and i in names]
    near = re.findall(rf"“(.+?)” \(({NUMBER})\)", match[3])
    for rank, (name, cosine) in enumerate(near):
        value, there = max(cosines[i] for i, t in names.items() if t == name), visit.at(name)
        there.stated("cosine of near words", cosine, value)
        if not match[2]:
            best, stands = [names[i] for i in ranked[: len(near)]], cosines[ranked[rank]]
            there.holds("nearest of all words", said, value >= stands - 1e-5, best)
    if match[2]:
        visit.note("nearest of the words drawn: which these are the reference does not know")


def _check_cloud(visit: Visit) -> None:
    """Of the points as they are drawn: the first two principal components, up to their signs."""
    text, reference = visit.text(), visit.truth.reference
    size = re.search(rf"(\w+)_embedding\.weight × √(\d+) ?({NUMBER}) × ({NUMBER})", text)
    if size is None:
        visit.note("the vocabulary's matrix is not named")
        return
    shown, width = count(size[3]), count(size[4])
    visit.same("dimensions of the vocabulary", width, reference.d_model)
    rows = reference.matrix(f"{size[1]}_embedding")
    if shown != len(rows):
        visit.note(f"{shown} of {len(rows)} rows are shown: which, the files do not say")
        return
    scale = np.sqrt(width) if reference.config["scale_embeddings"] else 1
    places, shares = _components(rows * scale)
    two = ("variance of two axes", shares[:2].sum())
    visit.says(text, "The 2 axes show <%> of the variance", two, slack=1e-5)
    points = [
        (x, y)
        for plot in visit.plots()[:1]
        for trace in plot["data"]
        if trace["type"] in ("scatter", "scattergl") and trace.get("x") and len(trace["x"]) > 1
        for x, y in zip(trace["x"], trace["y"], strict=True)
        if x is not None and y is not None and np.isfinite(x)
    ]
    if len(points) == shown:
        drawn, own = (np.sort(np.linalg.norm(of, axis=1)) for of in (points, places[:, :2]))
        what = "points of the vocabulary, distance from the middle"
        visit.numbers(what, drawn, own, 2e-4)


def _components(states: Array) -> tuple[Array, Array]:
    """Return the principal components of states, and the share of the variance of each."""
    left, sizes, _ = np.linalg.svd(states - states.mean(axis=0), full_matrices=False)
    return left * sizes, sizes**2 / (sizes**2).sum()


def _check_layers(visit: Visit) -> None:
    """All states of a text projected together: variance of the axes, the points in their order."""
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
    places, shares = _components(states.reshape(-1, width))
    for plot in visit.plots():
        if plot["titles"][0].startswith("component 1"):
            for title, share in zip(plot["titles"], shares, strict=False):
                visit.says(title, r"\(<%>\)", ("variance of an axis", share), slack=1e-5)
            tokens = next((t for t in plot["data"] if t["name"] == "tokens"), None)
            if tokens:
                xy = np.stack([np.asarray(tokens[a], float) for a in ("x", "y")], axis=1)
                own = np.abs(places[:positions, :2])
                visit.numbers("points of the states", np.abs(xy), own, 2e-4)
