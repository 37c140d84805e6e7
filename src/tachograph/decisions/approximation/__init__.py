"""What a shortest-path search may leave out within an error budget."""
