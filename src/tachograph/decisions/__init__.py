"""One module for each fork: what is looked at, the rules, the learned policies."""
