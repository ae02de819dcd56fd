"""Call the public interface on the mirror: a process that runs with CYBLEU_BACKEND=python, started once, makes the calls.

`on_mirror(function, *arguments)` sends a pickled call and returns the result. Functions of a test are sent as their code
with what they refer to, so that a lambda can be called on both backends; arrays keep their strides and alignment.
"""

import atexit
import ctypes
import marshal
import os
import pickle
import subprocess
import sys
import threading
import traceback
from functools import partial
from importlib import import_module
from types import CellType, FunctionType

LARGEST_ALIGNMENT = 64


class Request(pickle.Pickler):
    def reducer_override(self, value):
        if type(value) is FunctionType and "<" in value.__qualname__:  # a lambda, or a function in a function
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            return function_of, (value.__module__, marshal.dumps(value.__code__), value.__defaults__, cells)
        if type(value) is getattr(sys.modules.get("numpy"), "ndarray", None) and not value.dtype.hasobject:
            reach = [(size - 1) * stride for size, stride in zip(value.shape, value.strides)] if value.size else []
            before = -sum(step for step in reach if step < 0)
            start = value.ctypes.data - before
            size = before + sum(step for step in reach if step > 0) + value.itemsize * bool(value.size)
            layout = value.shape, value.dtype, value.strides, value.flags.writeable
            return array_of, (ctypes.string_at(start, size), start % LARGEST_ALIGNMENT, before, *layout)
        return NotImplemented


def function_of(module, code, defaults, cells):
    closure = tuple(map(CellType, cells))
    return FunctionType(marshal.loads(code), vars(import_module(module)), None, defaults, closure)


def array_of(data, place, before, shape, dtype, strides, writeable):
    import numpy as np

    memory = np.zeros(len(data) + LARGEST_ALIGNMENT, np.uint8)
    start = (place - memory.ctypes.data) % LARGEST_ALIGNMENT
    memory[start : start + len(data)] = np.frombuffer(data, np.uint8)
    made = np.ndarray(shape, dtype, memory, start + before, strides)
    made.flags.writeable = writeable
    return made


class Mirror:
    """The process with the mirror, which a call starts if there is none."""

    def __init__(self):
        self.one_at_a_time = threading.Lock()
        self.process = None

    def call(self, function, *arguments):
        """The result of a call, whose exceptions fail the test."""
        with self.one_at_a_time:
            try:
                result, problem = self.answer(partial(function, *arguments))
            except BaseException:  # also an interrupt: the answer would be taken for that of the next call
                self.end()
                raise
        assert problem is None, f"on the mirror: {problem}"
        return result

    def answer(self, call):
        if self.process is None:
            variables = {**os.environ, "CYBLEU_BACKEND": "python", "PYTHONPATH": os.pathsep.join(sys.path)}
            code = "import on_mirror; on_mirror.serve()"
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self.process = subprocess.Popen([sys.executable, "-c", code], env=variables, **pipes)
        Request(self.process.stdin, pickle.HIGHEST_PROTOCOL).dump(call)
        self.process.stdin.flush()
        return pickle.load(self.process.stdout)

    def end(self):
        process = self.process
        self.process = None
        if process is not None:
            process.kill()
            process.communicate()


MIRROR = Mirror()
atexit.register(MIRROR.end)
on_mirror = MIRROR.call


def serve():
    """Answer calls until the process is killed."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a call prints is no answer
    while True:
        call = pickle.load(sys.stdin.buffer)
        try:
            answer = pickle.dumps((call(), None))
        except BaseException:
            answer = pickle.dumps((None, traceback.format_exc()))
        answers.write(answer)
        answers.flush()
