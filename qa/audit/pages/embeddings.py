"""The page of embeddings: nearest words, projections, the states of every layer, norms."""

import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, count, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.reference.files import Array
from qa.audit.reference.words import SPECIALS
from qa.audit.truth import State, Truth

URL = "embeddings"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the answer, the cloud, the nearest words and the way through the layers."""
    seen.open(URL, state.query(more_embeddings_trust="true"))
    check_frame(seen, truth, ledger)
    _check_nearest(seen, truth, ledger)
    _check_cloud(seen, truth, ledger)
    seen.open(URL, state.query(more_embeddings_layers="true"))
    _check_layers(seen, truth, ledger)


def _side(truth: Truth) -> str:
    return "source" if truth.reference.has("encoder") else "target"


def _check_nearest(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    said, side = seen.text(".loupe-answer"), _side(truth)
    match = re.search(r"“(.+?)” is(, of the [\d,]+ tokens drawn here,)? most like (.+?)\.?$", said)
    if match is None:
        ledger.note(f"another answer: {said[:80]}")
        return
    words = truth.words.source if side == "source" else truth.words.target
    rows = truth.reference.matrix(f"{side}_embedding")
    names = {i: words.token(i) for i in range(len(rows)) if i < len(SPECIALS) or i in words.names}
    one = next((i for i, name in names.items() if name == match[1]), None)
    if one is None:
        ledger.missing("the word of the answer")
        return
    lengths = np.linalg.norm(rows, axis=1)
    cosines = rows @ rows[one] / np.maximum(lengths * lengths[one], 1e-300)
    ranked = [i for i in np.argsort(-cosines) if i != one and i in names]
    near = re.findall(rf"“(.+?)” \(({NUMBER})\)", match[3])
    for rank, (name, cosine) in enumerate(near):
        value = max((cosines[i] for i, token in names.items() if token == name), default=-1.0)
        check_stated(ledger, "cosine of near words", cosine, value, place=f"{match[1]}: {name}")
        if not match[2]:
            best, stands = [names[i] for i in ranked[: len(near)]], cosines[ranked[rank]]
            ledger.holds("nearest of all words", said, value >= stands - 1e-5, f"{best}", name)
    if match[2]:
        ledger.note("nearest of the words drawn: which these are the reference does not know")


def _check_cloud(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Of the points as they are drawn: the first two principal components, up to their signs."""
    text = seen.text()
    size = re.search(rf"(\w+)_embedding\.weight × √(\d+) ?({NUMBER}) × ({NUMBER})", text)
    if size is None:
        ledger.note("the vocabulary's matrix is not named")
        return
    shown, width = count(size[3]), count(size[4])
    ledger.same("dimensions of the vocabulary", width, truth.reference.d_model)
    rows = truth.reference.matrix(f"{size[1]}_embedding")
    if shown != len(rows):
        ledger.note(f"{shown} of {len(rows)} rows are shown: which, the files do not say")
        return
    places, shares = _components(
        rows * (np.sqrt(width) if truth.reference.config["scale_embeddings"] else 1)
    )
    two = ("variance of two axes", shares[:2].sum())
    says(ledger, text, "The 2 axes show <%> of the variance", two, slack=1e-5)
    points = [
        (x, y)
        for plot in seen.plots()[:1]
        for trace in plot["data"]
        if trace["type"] in ("scatter", "scattergl") and trace.get("x") and len(trace["x"]) > 1
        for x, y in zip(trace["x"], trace["y"], strict=True)
        if x is not None and y is not None and np.isfinite(x)
    ]
    if len(points) == shown:
        drawn, own = (np.sort(np.linalg.norm(of, axis=1)) for of in (points, places[:, :2]))
        what = "points of the vocabulary, distance from the middle"
        ledger.numbers(what, drawn, own, 2e-4)


def _components(states: Array) -> tuple[Array, Array]:
    """Return the principal components of states, and the share of the variance of each."""
    left, sizes, _ = np.linalg.svd(states - states.mean(axis=0), full_matrices=False)
    return left * sizes, sizes**2 / (sizes**2).sum()


def _check_layers(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """All states of a text projected together: variance of the axes, the points in their order."""
    text = seen.text()
    match = re.search(rf"({NUMBER}) × ({NUMBER}) × ({NUMBER}) All (\d+) states", text)
    last = re.search(r"… (\S+\.output)", text)
    if match is None:
        ledger.note("no states layer by layer")
        return
    steps, positions, width = (int(n) for n in match.groups()[:3])
    ledger.same("states that are projected", int(match[4]), steps * positions)
    side = _side(truth)
    stack = "encoder" if side == "source" else "decoder"
    count_of = truth.reference.config[f"n_{stack}_layers"]
    names = [f"{side}_embedding.tokens", f"{side}_embedding.output"]
    names += [f"{stack}.layers.{i}.output" for i in range(count_of)]
    if last and last[1] not in names:
        names = names[1:] if len(names) == steps else names
        names.append(last[1])
    states = np.stack([truth.run.tensors[n] for n in names])
    if not ledger.same("states that are projected", [steps, positions, width], list(states.shape)):
        return
    places, shares = _components(states.reshape(-1, width))
    for plot in seen.plots():
        titles = plot["titles"]
        if titles[0].startswith("component 1"):
            for title, share in zip(titles, shares, strict=False):
                says(ledger, title, r"\(<%>\)", ("variance of an axis", share), slack=1e-5)
            tokens = next((t for t in plot["data"] if t["name"] == "tokens"), None)
            if tokens:
                xy = np.stack([np.asarray(tokens[a], float) for a in ("x", "y")], axis=1)
                own = np.abs(places[:positions, :2])
                ledger.numbers("points of the states", np.abs(xy), own, 2e-4)
        if titles == ["component", "variance"]:
            drawn = np.asarray(plot["data"][0]["y"], float)
            ledger.numbers("variance of each component", drawn, shares[: len(drawn)], 2e-6)
