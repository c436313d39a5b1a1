"""Two texts, and lists of pairs, on the page What mattered, for models of one text."""

import pytest

from tests.checkpoints import ONE_TEXT, SHIPPED, load_shipped
from tests.pages import ok, open_page, sent, texts
from viz.run.making import make_run
from viz.subjects.mattered.text_pairs import LONGEST, many_pairs, suggest_text
from viz.subjects.mattered.work import count_runs

PERIOD = "river lamp horse bread moon star river lamp horse"
LINE = "\t".join((PERIOD, PERIOD.replace("bread", "salt"), "bread", "salt"))
OTHER_LINE = LINE.replace("river", "key").replace("lamp", "door")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("induction-two-heads", PERIOD),
        ("brackets", "([{}])"),
        ("agreement", "the kings near the dog <mask> old ."),
    ],
)
def test_a_text_is_found_that_goes_on_otherwise(name, text):
    checkpoint = load_shipped(name)
    other = suggest_text(checkpoint, make_run(checkpoint, text))
    guesses = []
    for each in (text, other):
        run = make_run(checkpoint, each)
        row = run.n_prompt if run.steps else run.source.tokens.index("<mask>")
        guesses.append(run.trace.logits[0, row].argmax().item())
    assert guesses[0] != guesses[1]


def test_a_list_of_pairs_is_read_to_the_line_that_is_wrong():
    checkpoint = load_shipped("induction-two-heads")
    contests = many_pairs(checkpoint, f"{LINE}\n\n{OTHER_LINE}\r\n")
    words = checkpoint.info.tokenizers.target
    assert [words.token(which.answer) for which in contests] == ["bread", "bread"]
    for typed, said in (
        (
            f"{LINE}\nriver\tlamp",
            "line 2: .* right token and wrong token, separated by tabs, got 2 fields",
        ),
        (
            LINE.replace("\tsalt", "\tlighthouse"),
            "line 1: “lighthouse” is not a single token of the vocabulary",
        ),
        (
            LINE.replace("\tsalt", "\tbread"),
            "line 1: the right token and the wrong one must differ",
        ),
        (
            f"{LINE}\nriver\tlamp\tbread\tsalt",
            "line 2: the texts must have the same number of tokens, got 10",
        ),
        ("\n".join([LINE] * 65), "at most 64 pairs, got 65"),
        ("x" * (LONGEST + 1), "at most 20000 characters, got 20001"),
        (
            "river " * 61 + "\triver\tbread\tsalt",
            "line 1: patching is limited to sentences of 60 tokens",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            many_pairs(checkpoint, typed)


def test_of_an_encoder_the_hidden_word_is_compared():
    checkpoint = load_shipped("agreement")
    line = "the cats near the dog <mask> old .\tthe cat near the dog <mask> old .\twere\twas"
    (which,) = many_pairs(checkpoint, line)
    assert which.row == 5
    with pytest.raises(ValueError, match="line 1: replace one word of the text"):
        many_pairs(checkpoint, line.replace("<mask>", "is"))


def test_what_would_take_minutes_is_refused(monkeypatch):
    checkpoint = load_shipped("induction-two-heads")
    monkeypatch.setattr("viz.subjects.mattered.work._MOST_WORK", 1e9)
    with pytest.raises(ValueError, match=r"at most \d+ such pairs are possible"):
        many_pairs(checkpoint, "\n".join([LINE] * 64))
    # 3 states at 2 tokens; in 2 layers, results and patterns of 2 heads and of the whole
    runs = 3 * 2 + 2 * 2 * 3
    assert count_runs(checkpoint.model, many_pairs(checkpoint, "river\tlamp\tbread\tsalt")) == runs
    work = checkpoint.model.n_parameters * 2 * runs
    monkeypatch.setattr("viz.subjects.mattered.work._MOST_WORK", work)
    with pytest.raises(ValueError, match="patching is limited to texts of 2 tokens, got 10"):
        many_pairs(checkpoint, LINE)


@pytest.mark.usefixtures("one_text_app")
@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi"])
def test_the_page_patches_one_text(name):
    pair = f"{ONE_TEXT}\t{ONE_TEXT.replace('dog', 'man')}\tcat\tthe"
    page = open_page("mattered", name, source=ONE_TEXT)
    assert "A similar text that continues differently" in [field.label for field in page.text_input]
    page = ok(page.text_area(key="text_pairs").set_value("no tabs").run())
    assert "separated by tabs, got 1 field." in texts(page)
    assert "A similar text that continues differently" not in [
        field.label for field in page.text_input
    ]
    page = ok(page.text_area(key="text_pairs").set_value(pair).run())
    shown = texts(page)
    assert "In 1 pair the right token leads" in shown or "barely distinguishes" in shown


def test_the_page_draws_what_carries_a_word(monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))
    page = open_page(
        "mattered", "induction-two-heads", source=PERIOD, text_pairs=f"{LINE}\n{OTHER_LINE}"
    )
    assert "In 2 pairs the right token leads" in texts(page)
    (parcel,) = sent(page, "mattered_patching")
    states, attention = parcel["meta"]["groups"]
    assert states["grids"][0]["columns"][3:6] == ["horse", "…", "moon"]
    assert [grid["rows"] for grid in attention["grids"]] == [["L0", "L1"], ["L0", "L1"]]


def test_a_large_model_patches_when_it_is_asked_to(monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))
    monkeypatch.setattr("viz.subjects.mattered.work._LONG_WORK", 0)
    page = open_page("mattered", "induction-two-heads", source=PERIOD)
    assert not sent(page, "mattered_patching")
    (button,) = [each for each in page.button if each.key == "patch_texts"]
    assert button.label == "Run the model 42 times"  # 30 for 3 states at 10 tokens, 12 for heads
    page = ok(button.click().run())
    assert sent(page, "mattered_patching")
    assert "patch_texts" not in [each.key for each in page.button]
    other = PERIOD.replace("bread", "salt")
    page = ok(page.text_input(key="other_sentence").set_value(other).run())
    assert not sent(page, "mattered_patching")
