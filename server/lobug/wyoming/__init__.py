"""The Wyoming door: speech-to-text, text-to-speech and conversation for Home Assistant and others."""
