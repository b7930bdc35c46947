"""What a running Lo-Bug tells about itself: stage times, metrics, log lines. Never content."""
