"""Lo-Bug: a voice companion that lives in an M5Stack and thinks on its owner's computer."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("lobug")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0+source"
