"""The open device protocol over WebSocket: frames, messages, audio formats, codec and pacing."""
