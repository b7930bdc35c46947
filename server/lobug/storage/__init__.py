"""The database files: their tables, how they are opened, migrated, queried and compacted."""
