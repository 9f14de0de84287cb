"""There are no virtual environments here: python3 -m venv says what to do instead."""
