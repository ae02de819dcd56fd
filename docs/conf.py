"""The site: `.ci/run docs` builds it with warnings as errors. Settings that are not here are the defaults."""

from __future__ import annotations

import inspect
import pkgutil
from typing import TypeVar

from sphinx.util.nodes import make_refnode

import cybleu

project = "cybleu"
version = release = cybleu.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3

# Docstrings put names and shapes between single backticks.
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
python_display_short_literal_types = True
add_module_names = False

# A reference to something of cybleu that is not there is an error; annotations name much that has no page.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!cybleu\.).*")]
# What the backends read of a metric, and the base class of NBest.
nitpick_ignore = [("py:class", "cybleu.metrics.bleu.Rules"), ("py:class", "cybleu.nbest.container.Hypotheses")]

html_theme = "furo"
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


def setup(app):
    app.connect("autodoc-skip-member", leave_out_tuple_fields)
    app.connect("missing-reference", find_under_its_other_name)
