"""What Lo-Bug can do for somebody: one module for each skill, and one registry of all."""
