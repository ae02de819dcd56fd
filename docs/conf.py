"""Configuration of the site, which `nox -s docs` builds with warnings as errors."""

from __future__ import annotations

import inspect
import os
import pathlib
import pkgutil
import runpy
from typing import TypeVar

import nbclient
import nbformat
from sphinx.util.nodes import make_refnode

import cybleu

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"

project = "cybleu"
version = release = cybleu.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_copybutton"]
exclude_patterns = ["_build"]
nb_execution_mode = "off"  # `example_notebook` has run it
myst_heading_anchors = 3

# Docstrings have names and shapes in single backticks.
default_role = "literal"
autodoc_mock_imports = ["torch", "torchmetrics"]  # for the class that requires them
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 100
python_display_short_literal_types = True
add_module_names = False

# A broken reference to cybleu is an error; annotations name other things that have no page.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!cybleu\.).*"), ("py:class", r"cybleu\._(kernels|mirror)\..*")]
# Classes with which metrics and lists work, and that have no page.
WITHOUT_PAGE = (
    "metrics.bleu.RowScorer metrics.base.Signature metrics.variants.Smoothing nbest.features.Axes nbest.parts.Part "
    "text.batches.Corpus text.tokenizers.Tokenization"
)
nitpick_ignore = [("py:class", f"cybleu.{name}") for name in WITHOUT_PAGE.split()]

# A block is copied without its prompts and without what it prints.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
# Where the site is built from a repository on GitHub its pages lead there.
if "GITHUB_REPOSITORY" in os.environ:
    repository = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['GITHUB_REPOSITORY']}"
    html_theme_options = {
        "source_repository": repository,
        "source_branch": "main",
        "source_directory": "docs/",
        "footer_icons": [{"name": "The repository", "url": repository, "html": "The repository", "class": ""}],
    }
html_title = f"cybleu {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False


def find_under_its_other_name(app, env, node, contnode):
    """`cybleu.check` and `cybleu.checks.check` are one function, documented under one of its names."""
    target = node["reftarget"]
    try:
        wanted = pkgutil.resolve_name(target)
    except (AttributeError, ImportError, KeyError, ValueError):
        return None
    if isinstance(wanted, TypeVar):
        return contnode
    for name, _, kind, page, anchor, _ in env.get_domain("py").get_objects():
        same_name = kind != "module" and name.rpartition(".")[2] == target.rpartition(".")[2]
        if same_name and pkgutil.resolve_name(name) is wanted:
            return make_refnode(app.builder, node["refdoc"], page, anchor, contnode, name)
    return None


def leave_out_tuple_fields(app, what, name, member, skip, options):
    """The fields of a named tuple are its parameters already."""
    return True if inspect.isdatadescriptor(member) and (member.__doc__ or "").startswith("Alias for field") else None


def pictures(app):
    """Those of what is in the repository, as it is now."""
    drawn = runpy.run_path(str(pathlib.Path(__file__).with_name("pictures.py")))
    drawn["rows"]()
    drawn["layers"]()


def example_notebook(app):
    """The notebook of the examples with what it prints, as a page."""
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    nbformat.write(notebook, pathlib.Path(app.srcdir) / "tour.ipynb")


def example_report(app):
    """The report of the example texts, which `report.md` leads to."""
    from cybleu import report

    def lines(name):
        return (EXAMPLES / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines()

    folder = pathlib.Path(app.doctreedir) / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    report.write(
        folder / "example-report.html",
        {name: lines(name) for name in ("asv", "kjv", "ylt")},
        [[line] for line in lines("web")],
        title="Three translations of Mark compared with the World English Bible",
    )
    app.config.html_extra_path.append(str(folder))


def setup(app):
    app.connect("builder-inited", pictures)
    app.connect("builder-inited", example_notebook)
    app.connect("builder-inited", example_report)
    app.connect("autodoc-skip-member", leave_out_tuple_fields)
    app.connect("missing-reference", find_under_its_other_name)
