"""There is no pip here: python3 -m pip says what to do instead."""
