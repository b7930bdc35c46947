"""The database file: how it is opened, migrated, repacked and guarded."""
