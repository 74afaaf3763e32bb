"""Small programs of other libraries, run under NumPy and under fastnp; both have to give the same.

`libraries/` has one file a library. A program is a function of the module `np` that returns what is
compared. `python -m tests.neighbours.survey [LIBRARY …]` runs those of the libraries that are
installed and prints a table. `known.txt` lists the differences that are known.
"""
