import dataclasses

import pytest

from model.config import TransformerConfig
from model.presets import PRESETS, preset
from viz.run.record import Run, make_run
from viz.subjects.map.describe import describe
from viz.subjects.variants.differences import blocks_that_differ, differences
from viz.subjects.variants.words.config import FIELDS

PAPER = preset("paper", source_vocab_size=20, target_vocab_size=20)


def test_there_is_a_row_for_each_field_and_no_other():
    names = {field.name for field in dataclasses.fields(TransformerConfig)}
    assert FIELDS.keys() == names


@pytest.mark.parametrize("variant", PRESETS)
def test_each_variant_beside_the_paper(variant):
    config = preset(variant, source_vocab_size=20, target_vocab_size=20)
    found = differences({"paper": PAPER, variant: config}, PAPER)
    other = dataclasses.asdict(config)
    differing = {name for name, value in dataclasses.asdict(PAPER).items() if value != other[name]}
    assert {d.field for d in found} == differing
    assert all(d.values["paper"] != d.values[variant] for d in found)
    assert all(d.from_paper == {variant} for d in found)


def test_what_two_variants_share_is_shown_where_it_is_not_the_papers():
    sizes = {"source_vocab_size": 20, "target_vocab_size": 20}
    both = {name: preset(name, **sizes) for name in ("addnorm", "temperature")}
    found = {d.field: d for d in differences(both, PAPER)}
    assert found["mask_fill"].from_paper == {"addnorm", "temperature"}
    assert found["norm"].from_paper == {"addnorm"}
    assert found["norm"].values["temperature"] == "√(variance + eps), over n: LayerNorm"


def test_sizes_differ_too():
    deeper = dataclasses.replace(PAPER, n_decoder_layers=9, target_vocab_size=21, tying="none")
    found = {d.field: d.values["deeper"] for d in differences({"deeper": deeper}, PAPER)}
    assert found == {"tying": "none", "target_vocab_size": "21", "n_decoder_layers": "9"}


def test_no_block_of_the_papers_map_differs_from_its_own(run: Run):
    assert blocks_that_differ(run, run.info.config) == ()


def test_blocks_that_differ_are_those_where_the_fields_act(run: Run, shipped):
    paper = run.info.config
    roles = {block.id: block.role for block in describe(run).blocks}

    def differing(**changes):
        """As though the paper had been another: the difference is the same."""
        return set(blocks_that_differ(run, dataclasses.replace(paper, **changes)))

    assert differing(dropout=0.5, dropout_at=()) == set()
    assert differing(causal_mask=False) == {f"decoder.layers.{i}.self_attn" for i in range(2)}
    assert differing(encoder_padding_mask=False) == {
        f"encoder.layers.{i}.self_attn" for i in (0, 1)
    }
    assert differing(output="softmax") == {"output"}
    assert differing(source_vocab_size=99) == {"source_embedding"}
    assert {roles[block] for block in differing(norm="unbiased_std")} == {"add_norm"}
    assert differing(positions="double_sine") == {
        "source_embedding.positions",
        "target_embedding.positions",
    }
    prenorm = make_run(shipped["prenorm"], "the cat sleeps .")
    own = dataclasses.replace(prenorm.info.config, norm_placement="post", final_norm=False)
    lit = set(blocks_that_differ(prenorm, own))
    assert {"encoder.norm", "decoder.norm", "encoder.layers.0.self_attn_norm"} <= lit
    assert not {"encoder.layers.0.self_attn", "generator"} & lit
