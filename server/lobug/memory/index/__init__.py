"""What was said and what was recalled: the log, its sessions, the retrieval log."""
