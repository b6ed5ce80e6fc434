"""Prints the declarations of symbol graphs, one a line, in an order that stays."""

import json
import os
import sys


def declaration(symbol):
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    attributes = [f"deprecated: {item['renamed']}" if "renamed" in item else "deprecated"
                  for item in symbol.get("availability", []) if item.get("isUnconditionallyDeprecated")]
    note = f"  // {', '.join(attributes)}" if attributes else ""
    path = ".".join(symbol["pathComponents"])
    access = "open " if symbol["accessLevel"] == "open" else ""
    return " ".join(f"{path}: {access}{text}".split()) + note


def is_written(symbol):
    # The members that a conformance adds have none.
    return "location" in symbol


def conformances(graph, names):
    for relation in graph["relationships"]:
        if relation["kind"] == "conformsTo" and relation["source"] in names:
            target = relation.get("targetFallback") or names.get(relation["target"])
            # These two every type has.
            if target and target not in ("Swift.Copyable", "Swift.Escapable"):
                yield f"{names[relation['source']]}: {target}"


lines = set()
for path in sys.argv[1:]:
    if not os.path.exists(path):
        continue
    with open(path, encoding="utf-8") as file:
        graph = json.load(file)
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
    lines.update(declaration(symbol) for symbol in graph["symbols"] if is_written(symbol))
    lines.update(conformances(graph, names))
print("\n".join(sorted(lines)))
