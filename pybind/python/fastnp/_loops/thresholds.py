"""When a loop is compiled, when compiled code is entered, and when a site is retired: constants."""

from __future__ import annotations

from math import inf

# Seconds that a site is interpreted before it is compiled, which takes about as long (a loop of ten
# lines: 3 to 15 ms): so the most that is lost is once more what was interpreted (ski rental).
COMPILE_AFTER = 4e-3
# A loop of so many lines of code is compiled as early as that, one of more is interpreted for about
# as long as writing so many takes: it may be too much, which is found out late. Each line takes 10
# to 20 µs. A filter whose state is attributes has 6,000, of which a third are for its first turn.
TIERS = ((2_500, 40e-3), (9_000, 250e-3), (24_000, inf))
# A loop waits for the one around it, which is compiled when its turn is over: for a turn as long as
# this loop has been interpreted, at most, and until that is so many times as long as compiling
# takes. That one has at most so many times as many statements, so that its code is about as long.
WAITS, MOST_AROUND = 2, 3
# A loop that has so many times as long to go, as far as is known, is compiled after this part of
# it, which tells how long a turn takes. Where turns become shorter, as in an elimination, a third
# of that is to come.
TO_COME = 3
KNOWN_AFTER = 1 / 8
# The first loop of a program waits so much longer: with it the compiler is imported.
IMPORT_COMPILER = 8e-3
# Seconds that an entry must be expected to be interpreted for compiled code to be entered, as long
# as it is not known what entering takes; of up to so many times that, some are timed again.
ENTER_FROM = 15e-6
TIMED_AGAIN = 3
# Seconds that the interpreter is given before a loop is asked again.
PIECE = 3e-4
# Seconds of the interpreter that the first run of compiled code is about.
TRIAL = 2e-3
# Turns, or seconds, that say how long a turn takes: between pieces some microseconds pass.
FEW = 4
TELLING = 1e-4
# Seconds that some turns take if the system runs another process meanwhile.
PREEMPTED = 1e-3
NO_TURNS: tuple[float, float, float] = (0, 0.0, 0.0)
# A loop about to execute at most this many statements is not timed.
SHORT = 32
# After so many statements in short entries alone a site is no longer counted.
RETIRE_SHORT = 40_000
# A statement is retired if so many entries took less than ENTER_FROM each: an entry that is timed
# pays two microseconds or three.
JUDGED_ENTRIES = 512
# A `for` statement is retired after so many entries over what has no source.
MAX_SOURCELESS = 64
# Compiled code is entered if the interpreter is expected to take so many times as long as the last
# runs took beyond machine code: to find values and to copy lists. Each entry that is left to the
# interpreter for it lowers that time, as lists may have become shorter.
MARGIN = 1.5
FORGOTTEN = 0.99
# A run counts as so many times what those before took beyond machine code, at most: where one was
# preempted, hundreds of entries would be left to the interpreter.
MOST_BEYOND = 4
MAX_COMPILED = 8
# Beyond so many versions, or where one was for other objects, the interpreter is given as long as
# compiling takes, and so many times as long for each further one.
FEW_VERSIONS = 4
MORE_PATIENCE = 4
# The compiler is asked this often, as types may change: the second time after so many times as long
# as the loop was interpreted before, in which it is not timed.
MAX_REFUSALS = 2
AGAIN_AFTER = 16
# A site is retired when so many runs have been left, each after less than these turns on average.
MAX_LEAVES = 20
TURNS_A_LEAVE = 100
# A site is retired when its runs, of which there were so many at least, have cost so many seconds
# more than the interpreter would have taken for the same turns, and most of them have cost more: a
# run that the system preempts takes a time slice longer, some milliseconds, and says nothing.
JUDGED = 4
LOST = 2e-3
