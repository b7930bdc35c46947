"""Routes of OpenAI's interface, below ``/v1``."""
