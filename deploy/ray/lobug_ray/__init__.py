"""Lo-Bug's own hearing and voice on Ray Serve; docs/ray.md."""
