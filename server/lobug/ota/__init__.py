"""Firmware over the air: the owner's images, and which device is offered which."""
