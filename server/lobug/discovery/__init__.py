"""Being found: the server tells its local network where it is, by multicast DNS."""
