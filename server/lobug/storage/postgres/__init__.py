"""PostgreSQL behind the storage room: connections, transactions, schema."""
