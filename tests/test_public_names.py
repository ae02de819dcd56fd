"""The names of the package: few, all there, and none hidden by a module of the same name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys

import cybleu

NAMES = """
    sentence_bleu corpus_bleu SmoothingFunction modified_precision closest_ref_length brevity_penalty Fraction sentence_bleu_many nltk_3_2
    install_as_nltk install_as_sacrebleu uninstall bleu chrf ter rows score scores References pairs self_bleu reward_scores Reward
    check explain explain_difference Ragged BACKEND __version__
""".split()


def test_names():
    assert sorted(cybleu.__all__) == sorted(NAMES)


def test_no_module_hides_a_name():
    """Also where the modules are imported first, which sets them as attributes of the package."""
    modules = [name for _, name, _ in pkgutil.iter_modules(cybleu.__path__) if not name.startswith("_")]
    for name in modules:
        importlib.import_module(f"cybleu.{name}")
    assert not {*modules} & {*NAMES}
    assert not any(inspect.ismodule(getattr(cybleu, name)) for name in NAMES)


def test_scores_of_raw_text_import_no_numpy():
    code = "import cybleu, sys; cybleu.bleu(['a b'], ['a b']), cybleu.chrf(['a'], [['a']]), cybleu.ter(['a'], ['a'])\n"
    code += "cybleu.bleu([['a']], [['a']]); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
