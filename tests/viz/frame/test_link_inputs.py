import pytest

from model.interventions.kinds import Intervention
from tests.checkpoints import FIRST
from viz.frame.link_inputs import inputs_of_link
from viz.frame.source_texts import LONGEST_TYPED
from viz.models import listing
from viz.run.inputs import Inputs

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
PAPER = "everyday-paper"


def read(link: str) -> Inputs | None:
    return inputs_of_link(link, listing.listed_names())


def test_a_slides_link_says_what_is_run():
    link = f"attention?checkpoint={PAPER}&source=the+cat&target=le+chat&kind=cross-attention"
    assert read(link) == Inputs(PAPER, "the cat", "le chat", "cpu")


def test_a_slide_of_a_changed_run_is_run_with_its_changes():
    off = "zero%21encoder.layers.0.self_attn.heads%3Bh1"
    link = f"masks?checkpoint={PAPER}&source=the+cat&edits={off}~-{off}"
    inputs = read(link)
    assert inputs is not None
    assert inputs.interventions == (
        Intervention("zero", "encoder.layers.0.self_attn.heads", head=1),
    )


def test_what_a_link_leaves_out_is_what_the_page_begins_with():
    inputs = read(f"masks?checkpoint={PAPER}")
    assert inputs == Inputs(PAPER, FIRST, "", "cpu")
    first = read("masks")
    assert first is not None
    assert first.checkpoint == listing.listed_names()[0]


@pytest.mark.parametrize(
    "link",
    [
        "masks?checkpoint=none",
        "masks?checkpoint=../../etc/passwd",
        f"masks?checkpoint={PAPER}&edits=nonsense",
        f"masks?checkpoint={PAPER}&source={'a' * (LONGEST_TYPED + 1)}",
    ],
)
def test_what_cannot_be_run_is_none(link: str):
    assert read(link) is None
