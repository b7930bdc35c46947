"""What claims do to memory: whom they speak of, what they replace and end, what stays forgotten."""
