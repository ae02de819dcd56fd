"""Out of memory, calls raise MemoryError, and everything can be used as before."""

import platform
import shutil
import subprocess
import sys
import textwrap

import pytest

from command_line import PEAK, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads peaks of memory, and replaces functions")

# glibc's functions, of which one call by the kernels fails
ALLOCATION = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <string.h>

    void *__libc_malloc(size_t);
    void *__libc_calloc(size_t, size_t);
    void *__libc_realloc(void *, size_t);
    void __libc_free(void *);

    _Atomic long left = -1;     /* calls before it */
    _Atomic long held;          /* what the kernels have not freed */

    static int by_kernels(void *caller)
    {
        Dl_info object;
        return dladdr(caller, &object) && strstr(object.dli_fname, "/_kernels/");
    }

    #define ALLOCATE(freed, call) \\
        int counted = by_kernels(__builtin_return_address(0)); \\
        if (counted && left >= 0 && left-- == 0) return NULL; \\
        held += counted && !freed; \\
        return call

    void *malloc(size_t size) { ALLOCATE(NULL, __libc_malloc(size)); }
    void *calloc(size_t count, size_t size) { ALLOCATE(NULL, __libc_calloc(count, size)); }
    void *realloc(void *memory, size_t size) { ALLOCATE(memory, __libc_realloc(memory, size)); }

    void free(void *memory)
    {
        held -= memory && by_kernels(__builtin_return_address(0));
        __libc_free(memory);
    }
"""

CALLS = """
    import ctypes
    from copy import copy
    import numpy as np
    from cybleu import Ragged, References, corpus_bleu, modified_precision, pairs, rows, self_bleu, sentence_bleu, tuning
    from cybleu.nbest import NBest

    random = np.random.default_rng(0)
    ids = random.integers(0, 500, (100, 20))
    text = Ragged(ids.reshape(-1), np.array([0, ids.size // 2, ids.size]))
    words = list(map(str, text.ids.tolist()))
    lines = [" ".join(words), ", ".join(words[::-1])]
    few = [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]
    others = [[line] for line in few[::-1]]
    prepared = References(text)
    values = random.standard_normal((200, 3))
    nbest = NBest(np.arange(0, 201, 100), values, np.tile([9, 9, 5, 3, 9, 8], (200, 1)))
    block = b"".join(b"%d ||| a b ||| f= 1 g= 2 ||| 3\\n" % (line // 9) for line in range(99))

    def line_search():
        return tuning.line_search(copy(nbest), [1.0, 2.0, 0.5], [0.5, 1.0, 1.0], surface=True).surface[1]

    calls = {
        "sentence_bleu": lambda: sentence_bleu([words[9:], words], words),
        "corpus_bleu": lambda: corpus_bleu([[words], [words]], [words[9:], words]),
        "modified_precision": lambda: float(modified_precision([words], words[::-1], 3)),
        "rows of lists": lambda: rows([words[::-1]], [[words]]),
        "rows of arrays": lambda: rows(ids[::-1], ids),
        "rows of words": lambda: rows([words[::-1]], References([[words]])),
        "rows of raw text": lambda: rows(lines[:1], [lines], tokenize="13a"),
        "rows of raw lines": lambda: rows(few, others, tokenize="intl", threads=2),
        "References of raw text": lambda: rows(lines[1:], References([lines]), tokenize="zh"),
        "References": lambda: rows(text, References(text)),
        "rows": lambda: rows(text, prepared),
        "pairs": lambda: pairs(text),
        "pairs with others": lambda: pairs(Ragged(text.ids[::-1].copy(), text.offsets), text),
        "self_bleu": lambda: self_bleu(text, (1.0,)),
        "line_search": line_search,
        "kbmira": lambda: list(tuning.kbmira(nbest, passes=2).weights.values()),
    }
    for name in ("chrf", "ter", "nist", "gleu", "wer", "rouge2", "rougeL", "rougeLsum"):
        calls[name] = lambda name=name: rows(few, others, metric=name)
    for name in ("chrf", "ter", "rougeL", "wer"):
        calls["pairs by " + name] = lambda name=name: pairs(few[:4], metric=name)

    process = ctypes.CDLL(None)
    left = ctypes.c_long.in_dll(process, "left")
    held = ctypes.c_long.in_dll(process, "held")

    def fails(call, expected, before):
        left.value = before
        try:
            assert np.array_equal(call(), expected)
        except MemoryError:
            assert left.value < 0
            return True
        finally:
            left.value = -1
        return False

    for name, call in calls.items():
        expected = call()
        kept = held.value
        failed = 0
        while fails(call, expected, failed):
            assert held.value == kept, (name, failed)
            failed += 1
        assert failed, name
"""


@pytest.mark.long
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not shutil.which("gcc"), reason="needs glibc and gcc")
def test_any_allocation_of_the_kernels_may_fail(kernels, tmp_path):
    library = tmp_path / "allocation.so"
    compiler = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(compiler, input=textwrap.dedent(ALLOCATION), text=True, check=True)
    done = python("-c", textwrap.dedent(CALLS), variables={"LD_PRELOAD": str(library)})
    assert done.returncode == 0, done.stderr


LONG_LINES = """
    from cybleu import ter

    count = 1_500_000
    words = [str(place % 1009) for place in range(count)]
    changed = words[:]
    changed[500::1000] = ["another"] * (count // 1000)
    for place in range(250, count, 200_000):
        changed[place], changed[place + 1] = changed[place + 1], changed[place]
    print(ter([" ".join(changed)], [" ".join(words)]).score * count / 100)
"""


@pytest.mark.memory
def test_ter_of_long_lines(kernels):
    """Whatever the length of a line, few rows of the tables of distances are kept, and others are computed again."""
    done = python("-c", textwrap.dedent(LONG_LINES) + PEAK, check=True)
    edits, _, memory = done.stdout.splitlines()
    assert round(float(edits), 6) == 1500 + 8  # words replaced, and shifts by one word in several parts of the tables
    assert int(memory) < 500
