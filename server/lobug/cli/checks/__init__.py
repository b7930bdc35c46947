"""The checks of ``lobug doctor``, one module for each area."""
