"""Writes the suites of the onnx wheel as folders: OUT/SUITE/TEST/{model.onnx, tolerance.json, test_data_set_N/*.pb}.

The wheel keeps its node tests as code and its light models without inputs; both are written out here. Inputs and
outputs keep their places as numbers, as in the wheel's own folders. Usage: write_suites.py OUT
"""

import json
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test import loader

# The backends of some cases warn about casts on purpose.
warnings.filterwarnings("ignore")


def serialized(value, info):
    """A value in the form its declared type asks for."""
    if isinstance(value, TensorProto):
        return value.SerializeToString()
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name).SerializeToString()
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name).SerializeToString()
    if kind == "map_type":
        return numpy_helper.from_dict(value, info.name).SerializeToString()
    return numpy_helper.from_array(np.asarray(value), info.name).SerializeToString()


def write(folder, model, sets, rtol, atol):
    """One test: the model's bytes and the bytes of every value."""
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model)
    (folder / "tolerance.json").write_text(json.dumps({"rtol": rtol, "atol": atol}))
    for number, values in enumerate(sets):
        place = folder / f"test_data_set_{number}"
        place.mkdir()
        for tag, items in zip(("input", "output"), values):
            for i, item in enumerate(items):
                (place / f"{tag}_{i}.pb").write_bytes(item)


def write_node(out):
    """The node tests: cases made by the wheel's code."""
    for case in loader.load_node_model_tests():
        graph = case.model.graph
        sets = [
            [[serialized(v, info) for v, info in zip(values, infos)] for values, infos in zip(data, (graph.input, graph.output))]
            for data in case.data_sets
        ]
        write(out / case.name, case.model.SerializeToString(), sets, case.rtol, case.atol)


def write_files(out, data):
    """A suite that lies in the wheel as files."""
    for source in sorted(p for p in data.iterdir() if (p / "model.onnx").is_file()):
        place = out / source.name
        shutil.copytree(source, place)
        described = source / "data.json"
        tolerance = json.loads(described.read_text()) if described.is_file() else {}
        keep = {"rtol": tolerance.get("rtol", 1e-3), "atol": tolerance.get("atol", 1e-7)}
        (place / "tolerance.json").write_text(json.dumps(keep))


def write_light(out, data):
    """Known networks with weights that are one constant each; the input is the ramp the wheel's runner feeds."""
    for described in sorted((data / "real").glob("*/data.json")):
        about = json.loads(described.read_text())
        path = data / "light" / Path(about["url"]).name
        if not path.is_file():
            continue
        model = onnx.load(path)
        known = {i.name for i in model.graph.initializer}
        inputs = []
        for info in (i for i in model.graph.input if i.name not in known):
            shape = [d.dim_value if d.HasField("dim_value") else 1 for d in info.type.tensor_type.shape.dim]
            count = int(np.prod(shape))
            ramp = (np.arange(count).reshape(shape) / count).astype(np.float32)
            inputs.append(numpy_helper.from_array(ramp, info.name).SerializeToString())
        stem = path.with_suffix("")
        outputs = [Path(f"{stem}_output_{i}.pb").read_bytes() for i in range(len(model.graph.output))]
        write(out / f"test_{about['model_name']}", path.read_bytes(), [[inputs, outputs]], about["rtol"], about["atol"])


def main():
    """Writes all suites."""
    out = Path(sys.argv[1])
    data = Path(loader.DATA_DIR)
    write_node(out / "node")
    for suite in ("simple", "pytorch-converted", "pytorch-operator"):
        write_files(out / suite, data / suite)
    write_light(out / "light", data)
    for suite in sorted(out.iterdir()):
        print(f"{suite.name}: {sum(1 for _ in suite.iterdir())} tests")


main()
