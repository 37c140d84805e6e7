"""What would be run, and why."""
