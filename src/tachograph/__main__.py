"""``python -m tachograph`` is ``tacho``."""

from .cli import main

main()
