"""Who may talk: pairing of devices, tokens, and what a request may do."""
