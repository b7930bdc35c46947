"""How well memory recalls, measured on the product's own store and retriever."""
