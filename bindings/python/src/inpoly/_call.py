"""Calls of the library that Ctrl-C and progress functions can interrupt."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable, Generator, List, Optional, Tuple

from ._library import library
from .errors import CanceledError, InpolyError

Progress = Callable[[str, int, int], Any]

# Called by the library on the thread of the call, about 20 times a second.
_WITH_NUMBERS = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64
)

# The same callback without its last arguments, which a caller in C removes itself.
_WITHOUT_NUMBERS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)

Call = Callable[[Optional[int]], int]


def run(call: Call, progress: Optional[Progress] = None) -> None:
    """Call ``call(address)``, where address is a callback, and raise its error.

    Handlers of signals run during the call. If a handler raises an exception, as Ctrl-C does, the
    call ends early, and ``run`` raises this exception.
    """
    if progress is None:
        _run_here(call)
    else:
        _run_with_progress(call, progress)


def _run_here(call: Call) -> None:
    caught: List[BaseException] = []
    watch = _watch(caught)
    next(watch)
    callback = _WITHOUT_NUMBERS(watch.send)
    status = call(ctypes.cast(callback, ctypes.c_void_p).value)
    if caught:
        raise caught[0]
    if status:
        raise library().error(status)


def _watch(caught: List[BaseException]) -> Generator[int, object, None]:
    # A generator, because Python runs the handlers of signals when it resumes a function. In a
    # generator that is resumed, this place is inside of the try statement. In a function that is
    # called, it is outside, and ctypes would drop the exception.
    result = 0
    while True:
        try:
            while True:
                yield result
        except GeneratorExit:
            return
        except BaseException as e:
            caught.append(e)
            result = 1


class _Work(threading.Thread):
    """A call of the library on a thread of its own, so that it does not run handlers of signals."""

    def __init__(self, call: Call) -> None:
        super().__init__(name="inpoly", daemon=True)
        self.call = call
        self.latest: Optional[Tuple[str, int, int]] = None
        self.cancel = False
        self.finished = threading.Event()
        self.error: Optional[InpolyError] = None
        self.callback = _WITH_NUMBERS(self.report)

    def report(self, _user: Optional[int], stage: bytes, done: int, total: int) -> int:
        self.latest = (stage.decode(), done, total)
        return int(self.cancel)

    def run(self) -> None:
        try:
            status = self.call(ctypes.cast(self.callback, ctypes.c_void_p).value)
            if status:
                self.error = library().error(status)
        finally:
            self.finished.set()


def _run_with_progress(call: Call, progress: Progress) -> None:
    work = _Work(call)
    work.start()
    try:
        while not work.finished.wait(0.05):
            if work.latest is not None and progress(*work.latest) is False:
                raise CanceledError("progress returned False")
    except BaseException:
        work.cancel = True
        work.finished.wait()
        raise
    finally:
        del work.callback  # which refers to work
    if work.error is not None:
        raise work.error
