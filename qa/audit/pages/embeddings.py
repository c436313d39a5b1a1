"""The page of embeddings: nearest words, projections, the states of every layer, norms."""

import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.pages.frame import check_frame
from qa.audit.reference.files import Array
from qa.audit.reference.words import SPECIALS
from qa.audit.seen import Seen
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


def _rows(truth: Truth, side: str) -> Array:
    return truth.reference.matrix(f"{side}_embedding")


def _side(truth: Truth) -> str:
    return "source" if truth.reference.has("encoder") else "target"


def _cosines(rows: Array, one: int) -> Array:
    lengths = np.linalg.norm(rows, axis=1)
    return rows @ rows[one] / np.maximum(lengths * lengths[one], 1e-300)


def _check_nearest(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    said = seen.text(".loupe-answer")
    match = re.search(r"“(.+?)” is(, of the [\d,]+ tokens drawn here,)? most like (.+?)\.?$", said)
    if match is None:
        ledger.note(f"another answer: {said[:80]}")
        return
    side = _side(truth)
    words = truth.words.source if side == "source" else truth.words.target
    rows = _rows(truth, side)
    names = {i: words.token(i) for i in range(len(rows)) if i < len(SPECIALS) or i in words.names}
    one = next((i for i, name in names.items() if name == match[1]), None)
    if one is None:
        ledger.missing("the word of the answer")
        return
    cosines = _cosines(rows, one)
    for name, cosine in re.findall(rf"“(.+?)” \(({NUMBER})\)", said[match.start(3) :]):
        place = f"{match[1]}: {name}"
        spaces = [i for i, token in names.items() if token == name]
        if not spaces:
            ledger.same("a word that is near", name, "a word of the vocabulary", place)
            continue
        value = max(cosines[i] for i in spaces)
        check_stated(ledger, "cosine of near words", cosine, float(value), place=place)
    named = [n for n, _ in re.findall(rf"“(.+?)” \(({NUMBER})\)", said[match.start(3) :])]
    if match[2]:
        ledger.note("nearest of the words drawn: which these are the reference does not know")
        return
    nearest = sorted((float(cosines[i]) for i in names if i != one), reverse=True)
    for rank, name in enumerate(named):
        ids = [i for i, token in names.items() if token == name]
        stands = max((float(cosines[i]) for i in ids), default=-1.0)
        best = [names[i] for i in np.argsort(-cosines) if i != one and i in names][: len(named)]
        ledger.holds("nearest of all words", said, stands >= nearest[rank] - 1e-5, f"{best}", name)


def _check_cloud(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Of the points as they are drawn: the first two principal components, up to their signs."""
    text = seen.text()
    size = re.search(rf"(\w+)_embedding\.weight × √(\d+) ?({NUMBER}) × ({NUMBER})", text)
    if size is None:
        ledger.note("the vocabulary's matrix is not named")
        return
    count, width = (int(n.replace(",", "")) for n in size.groups()[2:])
    ledger.same("dimensions of the vocabulary", width, truth.reference.d_model)
    rows = _rows(truth, size[1])
    scaled = rows * (np.sqrt(width) if truth.reference.config["scale_embeddings"] else 1)
    if count != len(rows):
        ledger.note(f"{count} of {len(rows)} rows are shown: which, the files do not say")
        return
    centred = scaled - scaled.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    if match := re.search(rf"The 2 axes show ({NUMBER} %) of the variance", text):
        check_stated(
            ledger,
            "variance of two axes",
            match[1],
            float(values[:2].sum() / values.sum()),
            slack=1e-5,
        )
    lengths = np.sort(
        np.linalg.norm(
            np.linalg.svd(centred, full_matrices=False)[0][:, :2] * np.sqrt(values[:2]), axis=1
        )
    )
    points = [
        (x, y)
        for plot in seen.plots()[:1]
        for trace in plot["data"]
        if trace["type"] in ("scatter", "scattergl") and trace.get("x") and len(trace["x"]) > 1
        for x, y in zip(trace["x"], trace["y"], strict=True)
        if x is not None and y is not None and np.isfinite(x)
    ]
    if len(points) >= count:
        drawn = np.sort(np.linalg.norm(np.asarray(points)[:count], axis=1))
        if len(points) == count:
            ledger.numbers(
                "points of the vocabulary, distance from the middle", drawn, lengths, 2e-4
            )


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
    stack, side = ("encoder", "source") if truth.reference.has("encoder") else ("decoder", "target")
    names = [f"{side}_embedding.tokens", f"{side}_embedding.output"]
    names += [
        f"{stack}.layers.{i}.output" for i in range(truth.reference.config[f"n_{stack}_layers"])
    ]
    if last and last[1] not in names:
        names = names[1:] if len(names) == steps else names
        names.append(last[1])
    states = np.stack([truth.run.tensors[n] for n in names])
    if not ledger.same("states that are projected", [steps, positions, width], list(states.shape)):
        return
    flat = states.reshape(-1, width)
    centred = flat - flat.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    shares = sizes**2 / (sizes**2).sum()
    for plot in seen.plots():
        titles = plot["titles"]
        if titles[0].startswith("component 1"):
            for axis, title in enumerate(titles):
                if found := re.search(rf"\(({NUMBER} %)\)", title):
                    check_stated(
                        ledger, "variance of an axis", found[1], float(shares[axis]), slack=1e-5
                    )
            tokens = next((t for t in plot["data"] if t["name"] == "tokens"), None)
            if tokens:
                xy = np.stack([np.asarray(tokens[a], float) for a in ("x", "y")], axis=1)
                own = (left[:, :2] * sizes[:2])[:positions]
                ledger.numbers("points of the states", np.abs(xy), np.abs(own), 2e-4)
        if titles == ["component", "variance"]:
            drawn = np.asarray(plot["data"][0]["y"], float)
            ledger.numbers("variance of each component", drawn, shares[: len(drawn)], 2e-6)
