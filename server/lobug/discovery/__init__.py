"""Discovery: the server announces itself to its local network by multicast DNS."""
