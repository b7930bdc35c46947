"""Decoding, encoding and resampling of audio."""
