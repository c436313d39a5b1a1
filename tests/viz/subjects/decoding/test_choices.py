from streamlit.testing.v1 import AppTest


def examples():
    import streamlit as st

    from viz.run import address
    from viz.subjects.decoding.choices import begin_with, leave_example, source_before_example

    address.follow()
    for name, value in {"source": "mine", "target": "", "decoding": "Greedy"}.items():
        st.session_state.setdefault(name, value)
    for example, mode in (("one", "Beam"), ("two", "Sampling")):
        st.button(example, on_click=begin_with(example, mode, beam_width=7.0))
    before = source_before_example(st.session_state["source"])
    if before is not None:
        st.button(f"back to {before}", key="back", on_click=leave_example)


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def press(page: AppTest, label: str) -> None:
    (button,) = (b for b in page.button if b.label == label)
    button.click().run()
    assert not page.exception


def test_an_example_can_be_left_for_the_sentence_before_it():
    page = AppTest.from_function(examples, default_timeout=60).run()
    assert labels(page) == ["one", "two"]
    page.session_state["address"].said["branches"] = ["1:5"]
    page.session_state["decoding_run"] = "of mine"
    press(page, "one")
    assert (page.session_state["source"], page.session_state["decoding"]) == ("one", "Beam")
    press(page, "two")
    press(page, "back to mine")
    assert (page.session_state["source"], page.session_state["decoding"]) == ("mine", "Greedy")
    assert page.session_state["address"].said["branches"] == ["1:5"]
    assert page.session_state["decoding_run"] == "of mine"
    assert labels(page) == ["one", "two"]


def test_there_is_no_way_back_from_a_sentence_that_was_typed_after_an_example():
    page = AppTest.from_function(examples, default_timeout=60).run()
    press(page, "one")
    page.session_state["source"] = "another"
    assert labels(page.run()) == ["one", "two"]
    press(page, "two")
    assert labels(page)[-1] == "back to another"
