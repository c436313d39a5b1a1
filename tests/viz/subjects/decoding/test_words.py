from viz.subjects.decoding import words


def test_what_is_odd_is_said_in_plain_words():
    usual = {"finished": True, "is_picked": False, "causal": True}
    assert words.oddities(5, **usual) == ()
    assert words.oddities(1, **usual) == (words.ENDED_AT_ONCE,)
    cut = words.oddities(64, **(usual | {"finished": False}))
    assert cut == ("The sentence was cut off after 64 tokens: the model had not ended it.",)
    assert words.oddities(64, finished=False, is_picked=True, causal=True) == ()
    assert words.oddities(5, **(usual | {"causal": False})) == (words.NO_CACHE,)


def test_both_losses_of_a_target_without_a_mask_are_said():
    said = words.given_without_mask(6.2984, 0.08217)
    assert "before them: 6.298 nats per token" in said
    assert said.endswith("that it has to predict: 0.08217 nats per token.")
