"""Structured arrays, dates, strings and objects: what has no kernel must behave all the same."""

import numpy as np

people = np.array(
    [("Ada", 36, 1.65), ("Alan", 41, 1.78), ("Grace", 85, 1.6)],
    dtype=[("name", "U10"), ("age", "i4"), ("height", "f8")],
)
print(people["name"], people["age"] + 1, people[people["age"] > 40]["name"])
people["height"] *= 100
people[0]["age"] = 37
print(people, np.sort(people, order="age")["name"], people.dtype.names, people["height"].mean())
days = np.array(["2024-02-28", "2024-03-01"], dtype="datetime64[D]")
print(
    days[1] - days[0],
    days + np.timedelta64(1, "D"),
    np.arange("2024-01", "2024-04", dtype="datetime64[M]"),
)
words = np.array(["lorem", "ipsum"])
print(np.char.upper(words), np.strings.str_len(words), words == "ipsum", words.astype(object) + "!")
boxes = np.array([{"a": 1}, [1, 2], None], dtype=object)
print(boxes, boxes[1], np.array([1, "x"], dtype=object) * 2)
masked = np.ma.masked_greater(np.arange(5), 2)
print(masked, masked.sum(), np.poly1d([1, 2, 3])(2), np.vectorize(lambda v: v + 1)(np.arange(3)))
print(
    np.float16(1) / 3,
    np.arange(3, dtype=np.longdouble) / 2,
    np.bitwise_count(np.array([7, 8], dtype=np.uint8)),
)
