"""What ``lobug doctor`` looks at, a module for each area."""
