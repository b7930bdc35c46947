"""HTTPS: Lo-Bug's own certificate authority, the server's certificate, and when it is renewed."""
