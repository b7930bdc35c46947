"""The spoken form of written English: numbers, dates, addresses and signs in words."""
