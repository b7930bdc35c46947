"""Tells automations of the owner what happens, by signed HTTP requests that survive a restart."""
