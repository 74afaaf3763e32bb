"""People who walk and infect each other, objects of a class with a state in words."""

import math
import random
import sys

days = int(sys.argv[1]) if len(sys.argv) > 1 else 250
random.seed(2)


class Person:
    """Somebody at a point, who is well, ill or immune."""

    def __init__(self, x, y):
        self.x, self.y = x, y
        self.state, self.days = "well", 0

    def walk(self, step):
        self.x = min(max(self.x + random.uniform(-step, step), 0.0), 1.0)
        self.y = min(max(self.y + random.uniform(-step, step), 0.0), 1.0)

    def is_near(self, other):
        return math.hypot(self.x - other.x, self.y - other.y) < 0.03


people = [Person(random.random(), random.random()) for _ in range(400)]
for person in people[:5]:
    person.state = "ill"
counts = []
for day in range(days):
    for person in people:
        person.walk(0.02)
    for person in people:
        if person.state != "ill":
            continue
        for other in people:
            if other.state == "well" and person.is_near(other) and random.random() < 0.3:
                other.state = "ill"
        person.days += 1
        if person.days > 20:
            person.state = "immune" if random.random() < 0.8 else "well"
            person.days = 0
    counts.append(sum(1 for person in people if person.state == "ill"))
print(counts[:20], counts[-20:])
print(sum(person.x for person in people), [person.state for person in people[:9]])
