"""Searches in a tree of nodes, and steps along a list of them."""

import random
import sys

searches = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
random.seed(1)


class Node:
    """A key, and the trees of smaller and of larger keys."""

    def __init__(self, key):
        self.key, self.left, self.right, self.count = key, None, None, 1


def insert(root, key):
    node = root
    while key != node.key:
        if key < node.key:
            if node.left is None:
                node.left = Node(key)
                return
            node = node.left
        else:
            if node.right is None:
                node.right = Node(key)
                return
            node = node.right
    node.count += 1


def find(root, key):
    node = root
    while node is not None and node.key != key:
        node = node.left if key < node.key else node.right
    return node


root = Node(5000)
for _ in range(2000):
    insert(root, random.randrange(10000))
keys = [random.randrange(10000) for _ in range(searches)]
hits = depth = 0
for key in keys:
    node = root
    while node is not None and node.key != key:
        depth += 1
        node = node.left if key < node.key else node.right
    if node is not None:
        hits += 1
for key in keys[: searches // 2]:
    found = find(root, key)
    if found is not None:
        found.count += 1
smallest = root
while smallest.left is not None:
    smallest = smallest.left
print(hits, depth, smallest.key, smallest.count, root.count)
