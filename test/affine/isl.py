"""Answers questions about integer sets and maps with isl: test/affine.rs asks them.

Each line of the input is a question in JSON, and gets one line with the answer. A text is a set or a map in isl's
notation, and a list is a method of isl with what it is asked of: ["is_equal", ["union", "{ [i] : i > 0 }", ..], ..].
An answer is a truth value or a number, which may be infinite and is then a text; null where isl would take too long.
"""

import json
import sys

import islpy as isl

# Few questions need more; they can need minutes.
MOST_OPERATIONS = 200_000


def read(term):
    if isinstance(term, str):
        return (isl.Map if "] -> [" in term else isl.Set)(term)
    if isinstance(term, list):
        return [term[0], *map(read, term[1:])]
    return term


def value(term):
    if isinstance(term, list):
        method, own, *others = term
        return getattr(value(own), method)(*map(value, others))
    return term


for line in sys.stdin:
    context = isl.DEFAULT_CONTEXT
    context.set_max_operations(0)
    context.resume()
    term = read(json.loads(line))
    context.reset_operations()
    context.set_max_operations(MOST_OPERATIONS)
    try:
        found = value(term)
    except isl.Error:
        found = None
    if isinstance(found, isl.Val):
        found = found.to_python() if found.is_int() else str(found)
    print(json.dumps(found), flush=True)
