"""A device with the first firmware, in software: one HTTP request a turn, checked byte for byte."""
