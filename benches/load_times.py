"""Loads models with the onnx package: a path per line in, two numbers of seconds per line out: of `onnx.load`, and of that
together with `onnx.checker.check_model` and `onnx.shape_inference.infer_shapes`, after which every value has a type."""

import sys
import time

import onnx

for line in sys.stdin:
    start = time.perf_counter()
    model = onnx.load(line.rstrip("\n"))
    loaded = time.perf_counter() - start
    onnx.checker.check_model(model)
    typed = onnx.shape_inference.infer_shapes(model)
    checked = time.perf_counter() - start
    del model, typed
    print(loaded, checked, flush=True)
