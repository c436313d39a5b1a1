"""Computes attention written out in code again after an edit, with the module's own functions.

If an edit changes anything before the weights, Loupe runs the module's own functions once more, so
that factors after the softmax, terms of relative positions and casts act as they do in the module.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from model.foreign.recording.arrangement import Arrangement, undone_all
from model.foreign.recording.attention import View
from model.foreign.recording.mixes import Mix
from model.foreign.recording.tape import Tape
from model.foreign.recording.terms import Terms
from model.traces import scaled_scores

NOT_AGAIN = (
    "cannot be edited here: when Loupe computes the weights again from the same queries and keys, "
    "it gets other weights than the module, whose weights depend on something that Loupe does not "
    "see; 'weights', 'value' and 'heads' can be edited"
)


class NotEditableError(ValueError):
    """An edit cannot be made as the module would compute it."""


class ComputedAgain:
    """An attention that can be computed again after edits."""

    def __init__(
        self,
        arrangement: Arrangement,
        tape: Tape | None,
        views: Mapping[str, View],
        terms: Terms,
    ) -> None:
        self._arrangement = arrangement
        self._mixes = arrangement.mixes
        self._tape = tape
        self._views = views
        self._terms = terms
        self._is_checked = False

    def compute(
        self, q: Tensor, k: Tensor, v: Tensor, scores: Tensor | None, other: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return heads and weights for queries, keys and values, and for new scores and mask."""
        query, key, value, own, heads = (view.made for view in self._views.values())
        weights = own
        if q is not query or k is not key or scores is not None or other is not None:
            weights = self._join_weights(self._weights(q, k, scores, other))
        elif v is value:
            return heads, own
        return self._mixed(weights, v), weights

    def bias_after(self, q: Tensor, k: Tensor) -> Tensor | None:
        """Return the term added to the scores of edited queries and keys."""
        terms = self._terms
        if q is self._views["query"].made and k is self._views["key"].made:
            return terms.bias
        tape, given = self._need_tape(), self._given(q, k)
        own = self._logits([self._read_again(tape, mix, given) for mix in self._mixes])
        plain = scaled_scores(q, k, terms.scale, None, terms.cap)
        rest = (own - plain).masked_fill(~terms.mask.expand(own.shape), 0)
        known = 0 if terms.bias is None else terms.bias
        close = 64 * torch.finfo(plain.dtype).eps * (plain.abs().amax() + 1)
        return terms.bias if ((rest - known).abs() <= close).all() else rest.to(plain.dtype)

    def _mixed(self, weights: Tensor, v: Tensor) -> Tensor:
        """Compute the module's own mix for other weights and values."""
        view, together = self._views["weights"], self._arrangement
        new = undone_all(view.bring, [m.product.asked.shape for m in self._mixes], weights)
        made = []
        for mix, w, x in zip(self._mixes, new, self._values(v), strict=True):
            made.append(together.four(mix, mix.layout.own(mix.run(w, x))))
        return together.join(made)

    def _values(self, v: Tensor) -> list[Tensor]:
        if v is self._views["value"].made:
            return [m.product.other for m in self._mixes]
        found: list[Tensor] = []
        for mixes in [[mix] for mix in self._mixes] if self._arrangement.by_rows else [self._mixes]:

            def bring(*given: Tensor, mixes: Sequence[Mix] = mixes) -> Tensor:
                pairs = zip(mixes, given, strict=True)
                four, join = self._arrangement.four, self._arrangement.join
                return join([four(m, m.product.bring_right(x)) for m, x in pairs])

            found += undone_all(bring, [m.product.other.shape for m in mixes], v)
        return found

    def _join_weights(self, parts: Sequence[Tensor]) -> Tensor:
        pairs = zip(self._mixes, parts, strict=True)
        together = self._arrangement
        return together.join([together.four(m, m.product.bring_left(x)) for m, x in pairs])

    def _weights(
        self, q: Tensor, k: Tensor, scores: Tensor | None, other: Tensor | None
    ) -> list[Tensor]:
        """Compute each mix's weights again, in the code's axes."""
        tape = self._need_tape()
        given = self._given(q, k)
        reads = [self._read_again(tape, mix, given) for mix in self._mixes]
        softs: dict[int, Tensor] = {}
        if scores is not None or other is not None:
            new = self._changed(q, k, reads, scores, other)
            for mix, own, x in zip(self._mixes, reads, new, strict=True):
                soft = mix.softmax.run(x)
                none = (x == -torch.inf).all(-1, keepdim=True)
                none &= ~(own == -torch.inf).all(-1, keepdim=True)
                softs[id(mix.softmax.result)] = soft.masked_fill(none, 0.0)
        return [
            tape.again({**given, **softs}, mix.product.asked, _present(mix.made))
            for mix in self._mixes
        ]

    def _read_again(self, tape: Tape, mix: Mix, given: dict[int, Tensor]) -> Tensor:
        read = _present(mix.softmax.read)
        return tape.again(given, read, _present(mix.made)) if given else read

    def _changed(
        self,
        q: Tensor,
        k: Tensor,
        reads: Sequence[Tensor],
        scores: Tensor | None,
        other: Tensor | None,
    ) -> Sequence[Tensor]:
        """Return the new inputs of the softmaxes after an edit of scores or of a mask."""
        terms = self._terms
        plain = scaled_scores(q, k, terms.scale, self.bias_after(q, k), terms.cap)
        own = self._logits(reads)
        new, mask = own, terms.mask.expand(own.shape)
        if scores is not None:
            new = torch.where((scores != plain) & mask, scores.to(own.dtype), new)
        if other is not None:
            wide = other.expand(own.shape)
            shown = plain if scores is None else scores
            new = torch.where(wide & ~mask, shown.to(own.dtype), new)
            new = new.masked_fill(~wide & mask, -torch.inf)
        return undone_all(lambda *x: self._logits(x), [x.shape for x in reads], new)

    def _logits(self, reads: Sequence[Tensor]) -> Tensor:
        pairs = zip(self._mixes, reads, strict=True)
        together = self._arrangement
        return together.join([_present(together.weights_like(m, x)) for m, x in pairs])

    def _given(self, q: Tensor, k: Tensor) -> dict[int, Tensor]:
        """Return the replacements of the code's own queries and keys, by the ids of these."""
        given: dict[int, Tensor] = {}
        for name, x in (("query", q), ("key", k)):
            view = self._views[name]
            if x is view.made:
                continue
            bases = undone_all(view.bring, [t.shape for t in view.tensors], x)
            given |= {id(t): new for t, new in zip(view.tensors, bases, strict=True)}
            if name == "key" and self._arrangement.by_rows:
                self._check_shared(view)
        shared = {id(x) for x in self._views["query"].tensors} & {
            id(x) for x in self._views["key"].tensors
        }
        if given and shared:
            raise NotEditableError(
                "cannot be edited here: one tensor is both queries and keys, so edit the scores"
            )
        return given

    def _check_shared(self, view: View) -> None:
        """Raise NotEditableError if the rows do not share one tensor of keys."""
        tape = self._need_tape()
        bases = {id(tape.base_of(mix.scored.root.other)[0]) for mix in self._mixes}
        if bases != {id(x) for x in view.tensors}:
            raise NotEditableError(NOT_AGAIN)

    def _need_tape(self) -> Tape:
        """Return the tape, once it is proven to reproduce the module's own weights.

        Raises NotEditableError if it does not.
        """
        tape = self._tape
        if tape is None:
            raise NotEditableError(NOT_AGAIN)
        if not self._is_checked:
            self._is_checked = True
            self._check_reproduces(tape)
        return tape

    @torch.no_grad()
    def _check_reproduces(self, tape: Tape) -> None:
        views = [self._views[name] for name in ("query", "key")]
        given = {id(x): x.clone() for view in views for x in view.tensors}
        for mix in self._mixes:
            asked = mix.product.asked
            made = tape.again(given, asked, _present(mix.made))
            wide = torch.promote_types(asked.dtype, torch.float32)
            near = 1e-5 if asked.dtype in (torch.float32, torch.float64) else 2e-2
            same = made.shape == asked.shape and torch.allclose(
                made.to(wide), asked.to(wide), rtol=0, atol=near, equal_nan=True
            )
            if not same or made is asked:
                raise NotEditableError(NOT_AGAIN)


def spread(call_views: Mapping[str, View], mixes: Sequence[Mix], heads: Tensor) -> list[Tensor]:
    """Return the new result of each mix, given the heads of all mixes."""
    return list(undone_all(call_views["heads"].bring, [m.result.shape for m in mixes], heads))


def _present(x: Tensor | None) -> Tensor:
    if x is None:
        raise NotEditableError(NOT_AGAIN)
    return x
