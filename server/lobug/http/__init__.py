"""HTTP routes, thin: they turn requests into turns and events into replies."""
