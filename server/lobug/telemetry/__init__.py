"""Telemetry of a running Lo-Bug: stage times, metrics, log lines. Never content."""
