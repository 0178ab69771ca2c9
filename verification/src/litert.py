"""Runs a TFLite model once in LiteRT: in its reference kernels, where it has them all.

Arguments: the model, an .npz of inputs (keys 0, 1, ... by position), the .npz to write, 1 to write every tensor. Keys written
are the tensors' indices.
"""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

model, given, written, every = sys.argv[1:5]

# The set of reference kernels lacks a few operators; the plain ones have them all.
for kernels in [OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES]:
    try:
        interpreter = Interpreter(
            model_path=model,
            experimental_op_resolver_type=kernels,
            experimental_preserve_all_tensors=every == "1",
            num_threads=1,
        )
        break
    except ValueError as e:
        error = e
else:
    raise error
inputs = np.load(given)
details = interpreter.get_input_details()
for i, detail in enumerate(details):
    if list(inputs[str(i)].shape) != list(detail["shape"]):
        interpreter.resize_tensor_input(detail["index"], inputs[str(i)].shape)
interpreter.allocate_tensors()
for i, detail in enumerate(details):
    interpreter.set_tensor(detail["index"], inputs[str(i)])
interpreter.invoke()
wanted = interpreter.get_tensor_details() if every == "1" else interpreter.get_output_details()
arrays = {}
for detail in wanted:
    try:
        arrays[str(detail["index"])] = interpreter.get_tensor(detail["index"])
    except ValueError:
        # A tensor that no operator wrote.
        continue
np.savez(written, **arrays)
