"""Who talks, what was said lately, what the device senses, and the prompt made of it."""
