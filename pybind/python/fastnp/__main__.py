"""`python -m fastnp program.py`: run a program with fastnp in NumPy's place."""

from fastnp._loops.program import main

if __name__ == "__main__":
    main()
