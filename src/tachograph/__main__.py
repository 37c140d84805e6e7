"""``python -m tachograph`` is ``tacho``."""

from .cli import main

if __name__ == "__main__":  # not when tacho warm's processes import this file
    main()
