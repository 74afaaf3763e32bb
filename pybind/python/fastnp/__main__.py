"""`python -m fastnp program.py`: run a program with fastnp in NumPy's place."""

from fastnp._loops.program import main
from fastnp._profile.options import ALONE, OPTIONS

if __name__ == "__main__":
    main(OPTIONS, ALONE)
