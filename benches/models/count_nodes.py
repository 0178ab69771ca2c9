#!/usr/bin/env python3
"""Prints the nodes that onnxslim leaves of a model whose open dimensions are bound as given.

Output: one JSON object {"nodes": n, "bytes": n}. Subgraphs count; Constant nodes count.
"""

import argparse
import contextlib
import json
import sys

import onnx


def bind(model, shapes, dims):
    """Writes the bound extents into the model's declared types."""
    inputs = {i.name: i for i in model.graph.input}
    for word in shapes:
        name, _, extents = word.rpartition("=")
        if name not in inputs:
            raise SystemExit(f"no input {name}; there are {', '.join(inputs)}")
        declared = inputs[name].type.tensor_type.shape.dim
        extents = [int(e) for e in extents.split(",")]
        if len(extents) != len(declared):
            raise SystemExit(f"{name} has rank {len(declared)}, not {len(extents)}")
        for dim, extent in zip(declared, extents):
            dim.dim_value = extent
    known = {name: int(extent) for name, extent in (word.split("=") for word in dims)}
    for value in [*model.graph.input, *model.graph.output, *model.graph.value_info]:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in known:
                dim.dim_value = known[dim.dim_param]
    if shapes:
        # What the file says of other values may no longer hold.
        del model.graph.value_info[:]


def count(graph):
    subgraphs = [a.g for n in graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    return len(graph.node) + sum(count(g) for g in subgraphs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--shape", action="append", default=[], metavar="INPUT=N,N,...")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N")
    args = parser.parse_args()
    model = onnx.load(args.model)
    bind(model, args.shape, args.dim)
    with contextlib.redirect_stdout(sys.stderr):
        import onnxslim

        slim = onnxslim.slim(model)
    print(json.dumps({"nodes": count(slim.graph), "bytes": slim.ByteSize()}))


if __name__ == "__main__":
    main()
