"""Long-term memory: conversation log, facts, summaries, base memory."""
