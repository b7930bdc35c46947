"""Recordings in and out: decoding, resampling, WAV."""
