"""What only the tests use."""
