"""How long each way to run a task takes, predicted from a graph's shape before it runs."""
