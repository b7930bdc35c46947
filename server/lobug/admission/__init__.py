"""Admission of connections: which stay open when there are more than this computer can hold."""
