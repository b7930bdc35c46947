"""What the owner says about memory itself: the sentences, who recognises them, who obeys them."""
