"""Optional packages that are there and do not load, as where memory is short: that is not said to be a missing package."""

import os

import pytest

from command_line import python
from marks import long

pytestmark = pytest.mark.thread_unsafe(reason="it runs processes of its own")

REASON = "failed to map segment from shared object: Cannot allocate memory"
# These are imported after much else, which takes long.
LATE = {*"filelock jinja2 matplotlib pyarrow sacrebleu.metrics sacrebleu.metrics.bleu scipy torch tqdm".split()}
USES = {
    "filelock": "cybleu.tuning.mert_loop('run', print, [['a']], {'lm': 1.0})",
    "jinja2": "cybleu.report.page.check_report('report.html')",
    "matplotlib": "cybleu.report.plots.matplotlib_or_error()",
    "nltk": "cybleu.install_as_nltk()",
    "numpy": "cybleu.reward_scores",
    "pyarrow": "cybleu.rows(type('Column', (), {'__arrow_c_stream__': None})(), ['a'])",
    "regex": "cybleu.text.tokenizer('intl')",
    "sacrebleu": "cybleu.sacrebleu_compat.corpus_bleu(['a'], [['a']])",
    "sacrebleu.metrics.bleu": "cybleu.sacrebleu_compat.BLEU",
    "sacrebleu.metrics": "cybleu.text.tokenizer('ja-mecab')",
    "scipy": "cybleu.nbest.SparseFeatures([0], [], [], []).to_scipy()",
    "torch": "import cybleu.frameworks.torch_metrics",
    "tqdm": "cybleu.pairs([['a']], [['a']], progress=True)",
}


def run(code, folder):
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return python("-c", code, variables={"PYTHONPATH": path}, cwd=folder)


@pytest.mark.parametrize("module", [long(module) if module in LATE else module for module in USES])
def test_a_package_that_does_not_load(module, tmp_path):
    folder = tmp_path.joinpath(*module.split("."))
    folder.mkdir(parents=True)
    for parent in folder.relative_to(tmp_path).parents:
        if parent.name:
            (tmp_path / parent / "__init__.py").touch()
    (folder / "__init__.py").write_text(f"raise ImportError({REASON!r})\n")
    done = run(f"import cybleu; {USES[module]}", tmp_path)
    *_, error = done.stderr.splitlines()
    assert error.startswith("cybleu.errors.MissingExtraError: ") and error.endswith(f"does not load: {REASON}"), error
    assert "not installed" not in done.stderr and "pip install" not in done.stderr
