"""The web app: its page, and what only it asks for."""
