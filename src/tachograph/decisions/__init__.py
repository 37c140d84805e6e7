"""The forks: what can be chosen, what is looked at, and who chooses. State in, choice out."""
