"""What Lo-Bug has promised to do and to keep: alerts, lists, notes, and speech that waits."""
