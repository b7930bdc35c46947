"""Access control: pairing of devices, tokens, and the caller behind a request."""
