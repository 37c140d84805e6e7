"""Notes which modules of the package a measured command imports, and which graphs it makes or reads.

``record.py`` puts this folder into $PYTHONPATH. Python imports ``sitecustomize`` whenever it starts, so
worker processes are seen, too. A note is a line at the end of the file that $TACHOGRAPH_WITNESS names.
Nothing is noted in a running loop: only imports, the generators, and the first time that a file is
read. Nothing is imported here that Python has not loaded already, because imports are measured, too.
"""

import os
import sys
from importlib.machinery import PathFinder

GENERATORS, READERS = "tachograph.graph.generate", "tachograph.graph.files"
REGISTRY = "tachograph.decisions.graphs"  # only makes graphs, which are noted by name
seen = set()


def note(*words):
    place = os.open(os.environ["TACHOGRAPH_WITNESS"], os.O_WRONLY | os.O_APPEND)
    os.write(place, ("\t".join(words) + "\n").encode())
    os.close(place)


class Witness:
    """Finds modules of the package as Python would, and notes their files."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] != "tachograph":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None and name != REGISTRY:
            note("code", spec.origin, "")
        if name in (GENERATORS, READERS, REGISTRY):
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: execute(run, module)
        return spec


def execute(run, module):
    """Execute a module that makes graphs, then wrap its functions."""
    run(module)
    if module.__name__ == READERS:
        module.read = noted(module.read, of_file)
        return
    if module.__name__ == REGISTRY:
        module.graph_named = noted(module.graph_named, of_name)
        return
    for name, thing in list(vars(module).items()):
        own = getattr(thing, "__module__", "") == module.__name__ and hasattr(thing, "__code__")
        if own and not name.startswith("_"):
            setattr(module, name, noted(thing, of_graph))


def noted(function, describe):
    from functools import wraps

    @wraps(function)
    def wrapper(*args, **options):
        made = function(*args, **options)
        describe(function.__name__, made, args, options)
        return made

    return wrapper


def of_graph(function, graph, args, options):
    """Note the hash of a generated graph."""
    given = [repr(value) for value in args]
    given += [f"{key}={value!r}" for key, value in options.items()]
    hashed(f"{function}({', '.join(given)})", graph)


def of_name(function, graph, args, options):
    """Note the hash of a graph of the registry."""
    hashed(args[0] if args else options["name"], graph)


def hashed(name, graph):
    from tachograph.decisions.graphs import hash_of

    name = " ".join(name.split())
    if name not in seen and hasattr(graph, "indptr"):
        seen.add(name)
        note("graph", name, hash_of(graph))


def of_file(function, graph, args, options):
    """Note the hash of a file the first time that it is read, which is a warm-up round."""
    from hashlib import file_digest
    from pathlib import Path

    path = Path(args[0] if args else options["path"])
    if path not in seen and path.is_file():
        seen.add(path)
        with path.open("rb") as file:
            note("graph", path.name, file_digest(file, "sha256").hexdigest()[:16])


if "TACHOGRAPH_WITNESS" in os.environ:
    sys.meta_path.insert(0, Witness)
