"""The lab: a page on this machine where one drops a graph and watches what is decided.

``server.py`` is a small local server, ``api/`` has a module for each panel that answers its requests
by the same road as every other door, and ``page/`` is what the browser loads.
"""
