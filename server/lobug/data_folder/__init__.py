"""The data folder: its lock, which allows one writer, and its file permissions."""
