"""Text with numbers to arrays."""
