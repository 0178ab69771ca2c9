"""Loads models with the onnx package: a path per line in, the seconds of `onnx.load` per line out."""

import sys
import time

import onnx

for line in sys.stdin:
    start = time.perf_counter()
    model = onnx.load(line.rstrip("\n"))
    seconds = time.perf_counter() - start
    del model
    print(seconds, flush=True)
