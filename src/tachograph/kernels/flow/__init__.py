"""Maximum flow: push-relabel, single paths, rounds."""
