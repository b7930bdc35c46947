"""Which connections may stay open when there are more than this computer has room for."""
