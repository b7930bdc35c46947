"""How many descriptors this process may open, and what happens when there is none left."""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
from typing import Any

from lobug.admission.connections import Admission

log = logging.getLogger(__name__)

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def raise_descriptor_limit(wanted: int) -> int:
    """Raise this process's soft limit of descriptors to ``wanted``, as far as its hard limit
    allows; a higher one stays. Returns the limit that is in force."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited:
        return wanted
    target = wanted if hard == unlimited else min(wanted, hard)
    if soft >= target:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    except (OSError, ValueError) as error:  # macOS has a further limit of the kernel
        log.warning("the limit of open files stays at %d: %s", soft, error)
        return soft
    return target


class AcceptFaults:
    """The event loop's exception handler. Asyncio writes a stack trace for every connection that
    it has no descriptor for, thousands a second, and tries again after a second: those are counted
    instead, and room is made. All else is handled as usual."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what asyncio reports."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED and "socket" in context:
            self._admission.out_of_descriptors(error)
        else:
            loop.default_exception_handler(context)
