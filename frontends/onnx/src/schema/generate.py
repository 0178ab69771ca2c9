"""Writes the signatures of operators: of the default ONNX domain in all versions, or of ONNX Runtime's own domain.

Usage: python generate.py > ai.onnx.txt                          (needs the `onnx` package, 1.23.2)
       python generate.py com.microsoft > com.microsoft.txt      (needs `onnxruntime`, 1.32, as well)
"""
import sys

import onnx
import onnx.defs as d

SHORT = {"float": "f32", "float16": "f16", "double": "f64", "bfloat16": "bf16", "int8": "i8", "int16": "i16",
         "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


def short(t):
    if t.startswith("tensor(") and t.endswith(")"):
        inner = t[7:-1]
        return SHORT.get(inner, inner)
    return t.replace("tensor(", "").replace(")", "").replace("(", "-")


def formal(p, typevars):
    mark = {d.OpSchema.FormalParameterOption.Single: "", d.OpSchema.FormalParameterOption.Optional: "?",
            d.OpSchema.FormalParameterOption.Variadic: "*"}[p.option]
    het = "" if p.is_homogeneous else "~"
    return f"{p.name}{mark}{het}:{p.type_str if p.type_str in typevars else short(p.type_str)}"


def row(s, sets, name):
    typevars = {}
    for c in s.type_constraints:
        key = " ".join(sorted(short(t) for t in c.allowed_type_strs))
        typevars[c.type_param_str] = sets.setdefault(key, len(sets))
    ins = " ".join(formal(p, typevars) for p in s.inputs) or "-"
    outs = " ".join(formal(p, typevars) for p in s.outputs) or "-"
    attrs = " ".join(f"{a.name}:{str(a.type).split('.')[-1].lower()}{'!' if a.required else ''}"
                     for a in sorted(s.attributes.values(), key=lambda a: a.name)) or "-"
    tv = " ".join(f"{k}={v}" for k, v in sorted(typevars.items())) or "-"
    dep = " deprecated" if s.deprecated else ""
    return f"{name} {s.since_version} {s.min_input} {s.max_input} {s.min_output} {s.max_output}{dep} | {ins} | {outs} | {attrs} | {tv}"


class View:
    """A schema of ONNX Runtime under the names that the onnx package uses."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        names = {"type_str": "typeStr", "is_homogeneous": "isHomogeneous"}
        value = getattr(self.inner, names.get(name, name))
        if name == "option":
            return getattr(d.OpSchema.FormalParameterOption, str(value).split(".")[-1])
        if name in ("inputs", "outputs"):
            return [View(v) for v in value]
        if name == "attributes":
            return {k: View(v) for k, v in value.items()}
        return value


sets = {}
if len(sys.argv) > 1:
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    found = [s for s in get_all_operator_schema() if s.domain == sys.argv[1] and not s.deprecated]
    # This one goes without its domain.
    found += [s for s in get_all_operator_schema() if s.domain == "" and s.name == "SimplifiedLayerNormalization"]
    rows = [row(View(s), sets, s.name) for s in sorted(found, key=lambda s: (s.name, s.since_version))]
    print(f"# Operator signatures of ONNX Runtime {onnxruntime.__version__}, domain {sys.argv[1]}. SPDX-License-Identifier: MIT")
else:
    found = [s for s in d.get_all_schemas_with_history() if s.domain == ""]
    rows = [row(s, sets, s.name) for s in sorted(found, key=lambda s: (s.name, s.since_version))]
    print(f"# Operator signatures of ONNX {onnx.__version__}, opset {d.onnx_opset_version()}. SPDX-License-Identifier: Apache-2.0")
print("# Written by generate.py. `set N TYPES` names a set of types; an operator's row is")
print("# NAME SINCE MIN_IN MAX_IN MIN_OUT MAX_OUT [deprecated] | INPUTS | OUTPUTS | ATTRIBUTES | TYPE VARIABLES=SET")
print("# where ? is optional, * variadic, ~ of mixed types, ! required.")
for k, n in sets.items():
    print(f"set {n} {k}")
print("\n".join(rows))
