"""One turn, from utterance to reply, as a stream of typed events."""
