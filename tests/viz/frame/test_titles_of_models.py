from tests.model.imports.folders import edit_config, write_gpt2
from viz.frame import words
from viz.frame.controls import default_source
from viz.frame.titles import checkpoint_titles
from viz.run import session


def test_models_of_others_have_their_family_and_size_and_refused_ones_are_listed(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    write_gpt2(tmp_path / "small-gpt")
    edit_config(write_gpt2(tmp_path / "bad"), model_type="evil")
    names = [name for name in session.listed_names() if name.startswith("models/")]
    assert checkpoint_titles(names) == {
        "models/bad": "bad · cannot be opened",
        "models/small-gpt": "small-gpt · GPT-2, 0.1 MB",
    }
    first = default_source(session.read_info("models/small-gpt"))
    assert first == words.FIRST_TEXTS["writes"]
