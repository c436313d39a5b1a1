"""The page as a whole: functions by group, their results, their arguments, the names of tensors."""

from collections.abc import Iterator

import griffe

from qa.api_reference.markdown import docstring_part, one_line, table
from qa.api_reference.source import Source, quoted
from qa.api_reference.tensors import tensors_part

FUNCTIONS = {
    "Models": ("load", "save", "models"),
    "Runs": ("trace", "generate", "load_run", "explore"),
    "The effect of each part": ("patch", "path_patch", "ablate", "lens", "logit_attribution"),
    "Scores of heads": ("induction_scores", "previous_token_scores"),
    "Old names": ("write",),
}
RESULTS = {
    "`loupe.Run`": "loupe.run.Run",
    "Several runs": "loupe.batches.Runs",
    "Gradients": "loupe.run.Gradients",
    "A model": "loupe.loaded._Methods",
    "A list of models": "loupe.listing.ListedModels",
    "A model in a list": "loupe.listing.ListedModel",
    "`loupe.Effects`": "loupe.effects.Effects",
    "`loupe.HeadScores`": "loupe.induction.HeadScores",
    "`loupe.Lens`": "loupe.logit_lens.Lens",
    "An explorer": "loupe.serving.Explorer",
}
ARGUMENTS = (
    "loupe.ids.Text",
    "loupe.metrics.Metric",
    "loupe.runners.Token",
    "loupe.options.EditsByName",
    "loupe.foreign.Inputs",
    "model.foreign.huggingface.folder.Opened",
)
ERRORS = ("model.checkpoints.errors.CheckpointError", "loupe.run.UnknownNameError")
LONGEST = 100
"""A longer signature has one argument on each line."""

HEAD = """\
# API reference

`python -m qa.api_reference` writes this page from the docstrings. [Python in ten
minutes](quickstart.md) introduces the functions one by one, with their output; [What other tools
call it](terms.md) lists them beside those of TransformerLens and nnsight.

All functions are attributes of the module: `import loupe`, then `loupe.trace(…)`. Arguments after
`*` must be given by name. `loupe.__version__` is the version of the package.
"""
ABOUT_RESULTS = "A result shows itself in a notebook, and `print` describes it.\n"
ABOUT_MODELS = """\
`loupe.load` returns a model with `info` (its `name`, `title`, `config` and `tokenizers`), `model`
(the torch module) and `anatomy` (its parts). It has these functions as methods:
"""
ABOUT_ARGUMENTS = "The signatures use these names for several types:\n"
ABOUT_TREE = """\
A run maps names to tensors. A name is the path of a field in a record of the pass, and also the
path of the module that computed the tensor: `run["encoder.layers.1.self_attn.weights"]`. `N` is
the number of a layer, from 0. A model lacks the names of the parts that it does not have: a GPT has
no `encoder`, a BERT no `decoder`, and only a model with both has `cross_attn`. `model.names()`
lists the names of one model.

The axes have these names: `source` and `target` are positions in the two texts, and `position` may
be either; `query` and `key` are positions on the two sides of an attention; `d_k` and `d_v` are the
sizes of the keys and values of one head.
"""


def page() -> str:
    """Return the page."""
    source = Source()
    parts = [HEAD]
    for title, names in FUNCTIONS.items():
        parts.append(f"## {title}\n")
        for name in names:
            parts += function_part(source, source.public(name), f"loupe.{name}", "###")
    parts += ["## Results\n", ABOUT_RESULTS]
    for title, path in RESULTS.items():
        parts += [f"### {title}\n", *class_part(source, source.find(path))]
    parts += ["## Types of arguments\n", ABOUT_ARGUMENTS, table(list(arguments(source)))]
    parts += ["## Errors\n", table(list(errors(source)))]
    parts += ["## Names of tensors\n", ABOUT_TREE, *tensors_part(source)]
    return "\n".join(parts)


def function_part(source: Source, function: griffe.Function, name: str, mark: str) -> Iterator[str]:
    """Yield a function's heading, its signature, and what its docstring says."""
    yield f"{mark} `{name}`\n"
    yield f"```text\n{signature(source, function, name)}\n```\n"
    yield from docstring_part(function)


def signature(source: Source, function: griffe.Function, name: str) -> str:
    """Return a function's signature."""
    told: list[str] = []
    for each in function.parameters:
        kind, is_open = source.type_of(each.annotation, function), "variadic" in each.kind.value
        star = {"variadic positional": "*", "variadic keyword": "**"}.get(each.kind.value, "")
        if each.kind.value == "keyword-only" and "*" not in told:
            told.append("*")
        if each.name != "self":
            annotation = f": {kind}" if kind else ""
            default = (
                ""
                if each.default is None or is_open
                else f" = {source.value_of(each.default, function)}"
            )
            told.append(f"{star}{each.name}{annotation}{default}")
    returns = source.type_of(function.returns, function)
    end = f") -> {returns}" if returns else ")"
    line = f"{name}({', '.join(told)}{end}"
    if len(line) <= LONGEST:
        return line
    return "\n".join((f"{name}(", *(f"    {each}," for each in told), end))


def class_part(source: Source, found: griffe.Class) -> Iterator[str]:
    """Yield the description of a class, its attributes, and its methods."""
    if found.name == "_Methods":
        yield ABOUT_MODELS
    else:
        yield from docstring_part(found)
    for base in map(str, found.bases):
        if base == "Effects":
            yield f"It has the attributes and methods of `loupe.{base}`, and these:\n"
    rows = [("attribute", "type", "")]
    for name, member in found.members.items():
        if member.is_attribute and not name.startswith("_"):
            text = one_line(member.docstring.value) if member.docstring else ""
            kind = source.type_of(member.annotation, found)
            rows.append((f"`{name}`", f"`{kind}`" if kind else "", text))
    if len(rows) > 1:
        yield table(rows)
    for name, member in found.members.items():
        if member.is_function and not name.startswith("_"):
            yield from function_part(source, member, f".{name}", "####")


def arguments(source: Source) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of types."""
    yield ("name", "types", "")
    for path in ARGUMENTS:
        found = source.find(path)
        yield (f"`{found.name}`", f"`{quoted(found.value)}`", one_line(found.docstring.value))


def errors(source: Source) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of errors."""
    yield ("error", "is a", "")
    for path in ERRORS:
        found = source.find(path)
        module = path.rpartition(".")[0]
        inside = module if module.startswith("loupe.") else f"loupe.{module}"
        bases = ", ".join(f"`{each}`" for each in found.bases)
        text = one_line(found.docstring.value)
        yield (f"`{found.name}`", bases, f"{text} Import it from `{inside}`.")
