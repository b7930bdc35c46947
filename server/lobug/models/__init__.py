"""The embedded models: their catalog, how they are downloaded, and how their files are verified."""
