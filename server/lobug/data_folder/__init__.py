"""The data folder as a whole: who may write to it, and who may read it."""
