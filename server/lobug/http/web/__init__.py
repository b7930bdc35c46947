"""What only the pages of the web house need; all else they share with programs and devices."""
