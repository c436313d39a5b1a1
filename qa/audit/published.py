"""The expected run on a site of third-party models, whose weights have 16 bits."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from qa.audit.foreign import ForeignTruth
from qa.audit.reference.files import Files
from qa.audit.reference.words import END
from qa.audit.truth import State

ROOM = 24
"""The number of tokens that *Decoding* writes at first."""


def published(files: Files) -> Files:
    """Round weights as the site does; none of these matrices is large enough for 8 bits."""
    rounded = {n: t.astype(np.float16).astype(np.float64) for n, t in files.tensors.items()}
    return replace(files, tensors=rounded)


class PublishedTruth(ForeignTruth):
    """A run while typing: a prompt continued by one token."""

    def __init__(
        self,
        files: Files,
        state: State,
        begins: Sequence[int] = (),
        *,
        whole: bool = False,
        room: int = 0,
    ) -> None:
        """`room` is the number of tokens written after the beginning; by default, as in a run."""
        super().__init__(files, state)
        self._begins, self._whole, self._room = begins, whole, room

    def with_room(self) -> "PublishedTruth":
        """Return the text that *Decoding* writes."""
        return PublishedTruth(self.files, self.state, room=ROOM)

    def after(self, ids: Sequence[int], *, whole: bool = False) -> "PublishedTruth":
        """Return the text that *Decoding* writes after some ids."""
        return PublishedTruth(self.files, self.state, ids, whole=whole, room=ROOM)

    @cached_property
    def target_ids(self) -> list[int]:
        """The text and its continuation, up to the limit."""
        begun = [*self.prompt, *self._begins]
        if self.reads_only or self._whole:
            return [] if self.reads_only else begun
        end = END if self.translates else -1
        return self.reference.greedy(self.source_ids, begun, self._most(), end=end)

    def _most(self) -> int:
        forced = len(self.prompt) + len(self._begins) - 1
        if self.translates and not self._room:
            return super()._most()
        most = forced + (self._room or 1)
        learned = self.files.config["positions"] == "learned"
        return min(most, self.files.config["max_length"]) if learned else most
