"""What pages see while it happens: notices of changes, finished turns, utterances and rings."""
