"""Writes the small TFLite models that the tests read, and what LiteRT's kernels (the reference ones, where it has
them) give for them.

One model per family, with one output per operator. Needs numpy and ai-edge-litert, whose own schema module writes the
files. Every NAME.tflite has a NAME.npz beside it: `in/TENSOR` and `out/TENSOR`.

    python tests/tflite/write.py [NAME ...]
"""

import pathlib
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as s
from ai_edge_litert.interpreter import Interpreter, OpResolverType

FOLDER = pathlib.Path(__file__).parent
TYPES = {
    np.dtype(np.float32): s.TensorType.FLOAT32,
    np.dtype(np.float16): s.TensorType.FLOAT16,
    np.dtype(np.int8): s.TensorType.INT8,
    np.dtype(np.uint8): s.TensorType.UINT8,
    np.dtype(np.int16): s.TensorType.INT16,
    np.dtype(np.int32): s.TensorType.INT32,
    np.dtype(np.int64): s.TensorType.INT64,
    np.dtype(np.bool_): s.TensorType.BOOL,
}
ACT = s.ActivationFunctionType
SAME, VALID = s.Padding.SAME, s.Padding.VALID


class Net:
    """A model under construction. Tensors are named; a value is its tensor's index."""

    def __init__(self, name, seed=0):
        self.name = name
        self.rng = np.random.default_rng(seed)
        self.tensors, self.buffers, self.codes, self.ops = [], [s.BufferT()], [], []
        self.inputs, self.outputs, self.given = [], [], {}

    def tensor(self, name, dtype, shape, data=None, quant=None, signature=None):
        t = s.TensorT()
        t.name, t.type, t.shape = name, TYPES[np.dtype(dtype)], list(shape)
        t.hasRank = True
        t.buffer = 0
        if signature:
            t.shapeSignature = list(signature)
        if data is not None:
            b = s.BufferT()
            b.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            self.buffers.append(b)
            t.buffer = len(self.buffers) - 1
        if quant:
            q = s.QuantizationParametersT()
            scale, zero = quant[0], quant[1]
            q.scale = np.atleast_1d(np.array(scale, np.float32))
            q.zeroPoint = np.broadcast_to(np.atleast_1d(np.array(zero, np.int64)), q.scale.shape)
            q.quantizedDimension = quant[2] if len(quant) > 2 else 0
            t.quantization = q
        self.tensors.append(t)
        return len(self.tensors) - 1

    def input(self, name, value, quant=None, signature=None):
        value = np.asarray(value)
        i = self.tensor(name, value.dtype, value.shape, quant=quant, signature=signature)
        self.inputs.append(i)
        self.given[name] = value
        return i

    def const(self, value, quant=None):
        value = np.asarray(value)
        return self.tensor(f"c{len(self.tensors)}", value.dtype, value.shape, data=value, quant=quant)

    def ints(self, *values):
        return self.const(np.array(values, np.int32))

    def op(self, code, inputs, dtype=np.float32, options=None, outputs=1, quant=None, name=None, keep=True):
        """Adds an operator; its results become outputs of the model unless they are not kept."""
        number = getattr(s.BuiltinOperator, code)
        if number not in [c.builtinCode for c in self.codes]:
            c = s.OperatorCodeT()
            version = 2 if code == "BROADCAST_TO" else 1
            c.builtinCode, c.deprecatedBuiltinCode, c.version = number, min(number, 127), version
            self.codes.append(c)
        o = s.OperatorT()
        o.opcodeIndex = [c.builtinCode for c in self.codes].index(number)
        o.inputs = list(inputs)
        dtypes = dtype if isinstance(dtype, (list, tuple)) else [dtype] * outputs
        stem = name or f"{code.lower()}{len(self.ops)}"
        o.outputs = [
            self.tensor(stem if k == 0 else f"{stem}:{k}", d, [], quant=quant) for k, d in enumerate(dtypes)
        ]
        if options:
            kind, values = options
            made = getattr(s, kind + "T")()
            for key, value in values.items():
                assert hasattr(made, key), (kind, key)
                setattr(made, key, value)
            o.builtinOptionsType = getattr(s.BuiltinOptions, kind)
            o.builtinOptions = made
        self.ops.append(o)
        if keep:
            self.outputs += o.outputs
        return o.outputs[0] if len(o.outputs) == 1 else o.outputs

    def pack(self):
        m, g = s.ModelT(), s.SubGraphT()
        m.version, m.description = 3, "written by tests/tflite/write.py"
        m.operatorCodes, m.buffers, m.subgraphs = self.codes, self.buffers, [g]
        g.name, g.tensors, g.operators = self.name, self.tensors, self.ops
        g.inputs, g.outputs = self.inputs, self.outputs
        b = flatbuffers.Builder(1 << 16)
        b.Finish(m.Pack(b), b"TFL3")
        return bytes(b.Output())

    def interpreter(self, data):
        # The set of reference kernels lacks a few operators; the plain ones have them all.
        for kernels in [OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES]:
            try:
                return Interpreter(
                    model_content=data,
                    experimental_op_resolver_type=kernels,
                    experimental_preserve_all_tensors=True,
                )
            except ValueError as e:
                error = e
        raise error

    def run(self, data):
        i = self.interpreter(data)
        for d in i.get_input_details():
            if list(self.given[d["name"]].shape) != list(d["shape"]):
                i.resize_tensor_input(d["index"], self.given[d["name"]].shape)
        i.allocate_tensors()
        for d in i.get_input_details():
            i.set_tensor(d["index"], self.given[d["name"]])
        i.invoke()
        return i

    def write(self):
        i = self.run(self.pack())
        # The shapes that the interpreter worked out become the declared ones.
        for d in i.get_tensor_details():
            # Temporary tensors of the kernels come after the model's.
            at = d["index"]
            if at < len(self.tensors) and self.tensors[at].buffer == 0 and at not in self.inputs:
                self.tensors[d["index"]].shape = [int(n) for n in d["shape"]]
        data = self.pack()
        i = self.run(data)
        arrays = {f"in/{k}": v for k, v in self.given.items()}
        for o in self.outputs:
            arrays[f"out/{self.tensors[o].name}"] = i.get_tensor(o)
        (FOLDER / f"{self.name}.tflite").write_bytes(data)
        np.savez_compressed(FOLDER / f"{self.name}.npz", **arrays)
        print(f"{self.name}: {len(self.ops)} operators, {len(data)} bytes")


def normal(net, *shape):
    return net.rng.standard_normal(shape).astype(np.float32)


def elementwise(net):
    a, b = net.input("a", normal(net, 2, 3, 4)), net.input("b", normal(net, 3, 1))
    pos = net.input("pos", np.abs(normal(net, 2, 3, 4)) + np.float32(0.1))
    near = net.input("near", np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4, -2.6], np.float32))
    x, y = net.input("x", np.array([7, -7, 7, -7, 6], np.int32)), net.input("y", np.array([3, 3, -3, -3, 2], np.int32))
    p, q = net.input("p", np.array([0, 0, 1, 1], np.bool_)), net.input("q", np.array([0, 1, 0, 1], np.bool_))
    net.op("ADD", [a, b], options=("AddOptions", {"fusedActivationFunction": ACT.RELU6}))
    net.op("SUB", [a, b], options=("SubOptions", {"fusedActivationFunction": ACT.RELU_N1_TO_1}))
    net.op("MUL", [a, b], options=("MulOptions", {"fusedActivationFunction": ACT.RELU}))
    net.op("DIV", [a, pos], options=("DivOptions", {}))
    for code in ["MAXIMUM", "MINIMUM"]:
        net.op(code, [a, b], options=("MaximumMinimumOptions", {}))
    net.op("POW", [pos, a], options=("PowOptions", {}))
    net.op("FLOOR_DIV", [a, pos], options=("FloorDivOptions", {}))
    net.op("FLOOR_MOD", [a, pos], options=("FloorModOptions", {}))
    net.op("SQUARED_DIFFERENCE", [a, b], options=("SquaredDifferenceOptions", {}))
    net.op("ADD_N", [a, pos, a], options=("AddNOptions", {}))
    for code in ["ABS", "CEIL", "COS", "EXP", "FLOOR", "NEG", "SIN", "SQUARE", "SIGN"]:
        net.op(code, [a])
    for code in ["LOG", "SQRT", "RSQRT"]:
        net.op(code, [pos])
    net.op("ROUND", [near])
    net.op("FLOOR_DIV", [x, y], np.int32, ("FloorDivOptions", {}), name="floor_div_int")
    net.op("FLOOR_MOD", [x, y], np.int32, ("FloorModOptions", {}), name="floor_mod_int")
    net.op("DIV", [x, y], np.int32, ("DivOptions", {}), name="div_int")
    for code in ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]:
        net.op(code, [x, y], np.bool_)
    for code in ["LOGICAL_AND", "LOGICAL_OR"]:
        net.op(code, [p, q], np.bool_)
    net.op("LOGICAL_NOT", [p], np.bool_)
    low = net.op("LESS", [a, b], np.bool_, keep=False)
    net.op("SELECT_V2", [low, a, b], options=("SelectV2Options", {}))
    net.op("SELECT", [net.const(np.array([True, False])), a, pos], options=("SelectOptions", {}))
    net.op("CAST", [a], np.int32, ("CastOptions", {"inDataType": 0, "outDataType": s.TensorType.INT32}))
    net.op("CAST", [x], np.float32, ("CastOptions", {"inDataType": s.TensorType.INT32, "outDataType": 0}), name="cast_int")
    net.op("DEQUANTIZE", [net.const(np.array([0.1, -2, 65504], np.float16))], options=("DequantizeOptions", {}))


def activation(net):
    x = net.input("x", normal(net, 2, 3, 5) * np.float32(3))
    for code in ["RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "ELU", "TANH", "LOGISTIC", "HARD_SWISH"]:
        net.op(code, [x])
    net.op("LEAKY_RELU", [x], options=("LeakyReluOptions", {"alpha": 0.2}))
    net.op("PRELU", [x, net.const(normal(net, 1, 1, 5))])
    net.op("GELU", [x], options=("GeluOptions", {"approximate": False}))
    net.op("GELU", [x], options=("GeluOptions", {"approximate": True}))
    net.op("SOFTMAX", [x], options=("SoftmaxOptions", {"beta": 0.5}))
    net.op("LOG_SOFTMAX", [x], options=("LogSoftmaxOptions", {}))
    net.op("L2_NORMALIZATION", [x], options=("L2NormOptions", {}))
    image = net.input("image", normal(net, 1, 2, 2, 6))
    net.op("LOCAL_RESPONSE_NORMALIZATION", [image],
           options=("LocalResponseNormalizationOptions", {"radius": 2, "bias": 1.0, "alpha": 0.3, "beta": 0.75}))


def conv(net):
    x = net.input("x", normal(net, 2, 9, 8, 4))
    w, b = net.const(normal(net, 6, 3, 2, 4)), net.const(normal(net, 6))
    for padding in [SAME, VALID]:
        for stride, dilation in [((1, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (2, 2))]:
            net.op("CONV_2D", [x, w, b], options=("Conv2DOptions", {
                "padding": padding, "strideH": stride[0], "strideW": stride[1], "dilationHFactor": dilation[0],
                "dilationWFactor": dilation[1], "fusedActivationFunction": ACT.RELU}))
    net.op("CONV_2D", [x, net.const(normal(net, 5, 1, 1, 4)), net.const(normal(net, 5))], options=("Conv2DOptions", {
        "padding": VALID, "strideH": 1, "strideW": 1}))
    net.op("CONV_2D", [x, net.const(normal(net, 6, 3, 3, 2)), b], options=("Conv2DOptions", {
        "padding": SAME, "strideH": 2, "strideW": 2}), name="grouped")
    for times, stride, dilation in [(1, 1, 1), (2, 2, 1), (1, 1, 2), (3, 1, 1)]:
        net.op("DEPTHWISE_CONV_2D", [x, net.const(normal(net, 1, 3, 3, 4 * times)), net.const(normal(net, 4 * times))],
               options=("DepthwiseConv2DOptions", {
                   "padding": SAME, "strideH": stride, "strideW": stride, "depthMultiplier": times,
                   "dilationHFactor": dilation, "dilationWFactor": dilation, "fusedActivationFunction": ACT.RELU6}))
    for padding, out, stride in [(SAME, (18, 16), (2, 2)), (VALID, (11, 9), (1, 1)), (SAME, (17, 24), (2, 3)),
                                 (VALID, (20, 17), (2, 2))]:
        net.op("TRANSPOSE_CONV", [net.ints(2, *out, 5), net.const(normal(net, 5, 3, 2, 4)), x],
               options=("TransposeConvOptions", {"padding": padding, "strideH": stride[0], "strideW": stride[1]}))


def contract(net):
    x = net.input("x", normal(net, 2, 3, 4))
    w, b = net.const(normal(net, 5, 4)), net.const(normal(net, 5))
    net.op("FULLY_CONNECTED", [x, w, b], options=("FullyConnectedOptions", {"fusedActivationFunction": ACT.RELU}))
    net.op("FULLY_CONNECTED", [x, w, -1], options=("FullyConnectedOptions", {"keepNumDims": True}))
    net.op("FULLY_CONNECTED", [x, net.const(normal(net, 3, 12)), -1], options=("FullyConnectedOptions", {}))
    y, z = net.input("y", normal(net, 2, 4, 5)), net.input("z", normal(net, 1, 5, 4))
    net.op("BATCH_MATMUL", [x, y], options=("BatchMatMulOptions", {}))
    net.op("BATCH_MATMUL", [x, z], options=("BatchMatMulOptions", {"adjY": True}))
    t = net.input("t", normal(net, 2, 4, 3))
    net.op("BATCH_MATMUL", [t, y], options=("BatchMatMulOptions", {"adjX": True}))


def pool(net):
    x = net.input("x", normal(net, 2, 7, 8, 3))
    for code in ["MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D"]:
        for padding in [SAME, VALID]:
            net.op(code, [x], options=("Pool2DOptions", {
                "padding": padding, "strideH": 2, "strideW": 1, "filterHeight": 3, "filterWidth": 2,
                "fusedActivationFunction": ACT.RELU if padding == SAME else ACT.NONE}))


def reduce(net):
    x = net.input("x", normal(net, 2, 3, 4))
    p = net.input("p", np.array([[0, 1, 1], [1, 1, 1]], np.bool_))
    n = net.input("n", np.array([[3, 9, 9], [-1, -4, -4]], np.int32))
    for code in ["SUM", "MEAN", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"]:
        for keep, axes in [(False, (1,)), (True, (0, -1)), (False, (0, 1, 2))]:
            net.op(code, [x, net.ints(*axes)], options=("ReducerOptions", {"keepDims": keep}))
    for code in ["REDUCE_ANY", "REDUCE_ALL"]:
        net.op(code, [p, net.ints(1)], np.bool_, ("ReducerOptions", {"keepDims": False}))
    net.op("ARG_MAX", [x, net.ints(1)], np.int32, ("ArgMaxOptions", {"outputType": s.TensorType.INT32}))
    net.op("ARG_MIN", [x, net.ints(-1)], np.int64, ("ArgMinOptions", {"outputType": s.TensorType.INT64}))
    net.op("ARG_MAX", [n, net.ints(1)], np.int32, ("ArgMaxOptions", {"outputType": s.TensorType.INT32}), name="ties")
    net.op("TOPK_V2", [x, net.const(np.int32(2))], [np.float32, np.int32], ("TopKV2Options", {}))
    for exclusive in [False, True]:
        for reverse in [False, True]:
            net.op("CUMSUM", [x, net.const(np.int32(1))],
                   options=("CumsumOptions", {"exclusive": exclusive, "reverse": reverse}))


def shape(net):
    x = net.input("x", normal(net, 2, 3, 4))
    one = net.input("one", normal(net, 1, 3, 1, 2))
    net.op("RESHAPE", [x, net.ints(4, -1)], options=("ReshapeOptions", {"newShape": [4, -1]}))
    net.op("EXPAND_DIMS", [x, net.const(np.int32(-2))], options=("ExpandDimsOptions", {}))
    net.op("SQUEEZE", [one], options=("SqueezeOptions", {"squeezeDims": [2]}))
    net.op("SQUEEZE", [one], options=("SqueezeOptions", {"squeezeDims": []}))
    net.op("SHAPE", [x], np.int32, ("ShapeOptions", {"outType": s.TensorType.INT32}))
    net.op("SHAPE", [x], np.int64, ("ShapeOptions", {"outType": s.TensorType.INT64}))
    net.op("RANK", [x], np.int32, ("RankOptions", {}))
    net.op("ZEROS_LIKE", [x], options=("ZerosLikeOptions", {}))
    net.op("BROADCAST_TO", [one, net.ints(2, 3, 5, 2)], options=("BroadcastToOptions", {}))
    value = net.input("value", np.float32(1.5))
    net.op("FILL", [net.ints(2, 3), value], options=("FillOptions", {}))
    net.op("RANGE", [net.const(np.int32(7)), net.const(np.int32(-2)), net.const(np.int32(-3))], np.int32,
           ("RangeOptions", {}))
    net.op("RANGE", [net.const(np.float32(0)), net.const(np.float32(1)), net.const(np.float32(0.25))],
           options=("RangeOptions", {}))


def slicing(net):
    x = net.input("x", normal(net, 4, 5, 6))
    net.op("SLICE", [x, net.ints(1, 0, 2), net.ints(2, -1, 3)], options=("SliceOptions", {}))

    def strided(begin, end, strides, **masks):
        net.op("STRIDED_SLICE", [x, net.ints(*begin), net.ints(*end), net.ints(*strides)],
               options=("StridedSliceOptions", masks))

    strided((1, 0, 1), (3, 5, 6), (1, 2, 3))
    strided((-1, 4, 0), (-5, 0, 100), (-1, -2, 1))
    strided((0, 2, 0), (0, 0, 0), (1, 1, 1), beginMask=1, endMask=7)
    strided((0, 1), (0, 4), (1, 2), ellipsisMask=1)
    strided((0, 0, 2), (0, 0, 5), (1, 1, 1), newAxisMask=1, endMask=2)
    strided((-2, 0, 3), (0, 0, 4), (1, 1, 1), shrinkAxisMask=5, endMask=2)
    net.op("SPLIT", [net.const(np.int32(2)), x], outputs=3, options=("SplitOptions", {"numSplits": 3}))
    net.op("SPLIT_V", [x, net.ints(1, -1, 2), net.const(np.int32(1))], outputs=3,
           options=("SplitVOptions", {"numSplits": 3}))
    y = net.input("y", normal(net, 4, 2, 6))
    net.op("CONCATENATION", [x, y], options=("ConcatenationOptions", {"axis": -2}))
    net.op("PACK", [x, x], options=("PackOptions", {"valuesCount": 2, "axis": -1}))
    net.op("UNPACK", [y], outputs=2, options=("UnpackOptions", {"num": 2, "axis": 1}))
    net.op("REVERSE_V2", [x, net.ints(1)], options=("ReverseV2Options", {}))


def movement(net):
    x = net.input("x", normal(net, 2, 4, 6, 4))
    net.op("TRANSPOSE", [x, net.ints(3, 0, 2, 1)], options=("TransposeOptions", {}))
    pads = net.const(np.array([[0, 0], [1, 2], [2, 0], [0, 1]], np.int32))
    net.op("PAD", [x, pads], options=("PadOptions", {}))
    net.op("PADV2", [x, pads, net.const(np.float32(-7))], options=("PadV2Options", {}))
    for mode in [s.MirrorPadMode.REFLECT, s.MirrorPadMode.SYMMETRIC]:
        net.op("MIRROR_PAD", [x, pads], options=("MirrorPadOptions", {"mode": mode}))
    net.op("TILE", [x, net.ints(1, 2, 1, 3)], options=("TileOptions", {}))
    net.op("SPACE_TO_DEPTH", [x], options=("SpaceToDepthOptions", {"blockSize": 2}))
    net.op("DEPTH_TO_SPACE", [x], options=("DepthToSpaceOptions", {"blockSize": 2}))
    net.op("SPACE_TO_BATCH_ND", [x, net.ints(2, 3), net.const(np.array([[1, 1], [0, 3]], np.int32))],
           options=("SpaceToBatchNDOptions", {}))
    many = net.input("many", normal(net, 12, 2, 3, 1))
    net.op("BATCH_TO_SPACE_ND", [many, net.ints(2, 3), net.const(np.array([[1, 0], [2, 1]], np.int32))],
           options=("BatchToSpaceNDOptions", {}))


def index(net):
    x = net.input("x", normal(net, 3, 4, 5))
    i = net.input("i", np.array([[2, 0], [1, 3]], np.int32))
    net.op("GATHER", [x, i], options=("GatherOptions", {"axis": 1}))
    net.op("GATHER", [x, net.const(np.array([[0, 4], [1, 1], [2, 0]], np.int32))],
           options=("GatherOptions", {"axis": 2, "batchDims": 1}))
    net.op("GATHER_ND", [x, net.const(np.array([[2, 3], [0, 1]], np.int32))], options=("GatherNdOptions", {}))
    net.op("GATHER_ND", [x, net.const(np.array([[2], [0]], np.int32))], options=("GatherNdOptions", {}))
    net.op("EMBEDDING_LOOKUP", [net.ints(1, 0, 1), x])
    net.op("SCATTER_ND", [net.const(np.array([[1], [3], [1]], np.int32)), net.const(normal(net, 3, 2)), net.ints(4, 2)],
           options=("ScatterNdOptions", {}))
    hot = net.input("hot", np.array([0, 2, -1, 3], np.int32))
    net.op("ONE_HOT", [hot, net.const(np.int32(3)), net.const(np.float32(5)), net.const(np.float32(-1))],
           options=("OneHotOptions", {"axis": -1}))


def resize(net):
    x = net.input("x", normal(net, 1, 4, 5, 2))
    for code, kind in [("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                       ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")]:
        for corners, centers in [(False, False), (True, False), (False, True)]:
            for size in [(8, 10), (3, 7), (2, 2)]:
                net.op(code, [x, net.ints(*size)], options=(kind, {"alignCorners": corners, "halfPixelCenters": centers}))


def dynamic(net):
    """A batch that is open: flatten by shape arithmetic, as exporters write it."""
    x = net.input("x", normal(net, 3, 4, 4, 2), signature=(-1, 4, 4, 2))
    y = net.op("CONV_2D", [x, net.const(normal(net, 3, 3, 3, 2)), net.const(normal(net, 3))],
               options=("Conv2DOptions", {"padding": SAME, "strideH": 2, "strideW": 2}), keep=False)
    sizes = net.op("SHAPE", [y], np.int32, ("ShapeOptions", {"outType": s.TensorType.INT32}), keep=False)
    batch = net.op("STRIDED_SLICE", [sizes, net.ints(0), net.ints(1), net.ints(1)], np.int32,
                   ("StridedSliceOptions", {"shrinkAxisMask": 1}), keep=False)
    flat = net.op("PACK", [batch, net.const(np.int32(-1))], np.int32, ("PackOptions", {"valuesCount": 2}), keep=False)
    z = net.op("RESHAPE", [y, flat], keep=False)
    z = net.op("FULLY_CONNECTED", [z, net.const(normal(net, 5, 12)), net.const(normal(net, 5))],
               options=("FullyConnectedOptions", {}), keep=False)
    net.op("SOFTMAX", [z], options=("SoftmaxOptions", {"beta": 1.0}))


def q8(net, *shape):
    return net.rng.integers(-128, 128, shape).astype(np.int8)


def bias(net, n):
    return net.const(net.rng.integers(-2000, 2000, n).astype(np.int32))


def int8_layers(net):
    """Per-channel weights, int32 bias."""
    sx, sw = 0.05, np.linspace(0.002, 0.006, 6)
    x = net.input("x", q8(net, 1, 9, 8, 4), quant=(sx, -3))
    conv = net.const(np.clip(q8(net, 6, 3, 3, 4), -127, 127), quant=(sw, 0, 0))
    for act, stride in [(ACT.NONE, 1), (ACT.RELU6, 2)]:
        net.op("CONV_2D", [x, conv, bias(net, 6)], np.int8, ("Conv2DOptions", {
            "padding": SAME, "strideH": stride, "strideW": stride, "fusedActivationFunction": act}), quant=(0.07, 5))
    sd = np.linspace(0.01, 0.03, 4)
    depth = net.const(np.clip(q8(net, 1, 3, 3, 4), -127, 127), quant=(sd, 0, 3))
    net.op("DEPTHWISE_CONV_2D", [x, depth, bias(net, 4)], np.int8, ("DepthwiseConv2DOptions", {
        "padding": SAME, "strideH": 1, "strideW": 1, "depthMultiplier": 1, "fusedActivationFunction": ACT.RELU}),
        quant=(0.09, -20))
    net.op("TRANSPOSE_CONV", [net.ints(1, 18, 16, 6), conv, x, bias(net, 6)], np.int8, ("TransposeConvOptions", {
        "padding": SAME, "strideH": 2, "strideW": 2}), quant=(0.06, 1))
    y = net.input("y", q8(net, 3, 40), quant=(0.02, 7))
    net.op("FULLY_CONNECTED", [y, net.const(np.clip(q8(net, 5, 40), -127, 127), quant=(0.01, 0)), bias(net, 5)], np.int8,
           ("FullyConnectedOptions", {"fusedActivationFunction": ACT.RELU}), quant=(0.05, -128))
    net.op("FULLY_CONNECTED", [y, net.const(np.clip(q8(net, 5, 40), -127, 127), quant=(0.01, 0)), -1], np.int8,
           ("FullyConnectedOptions", {}), quant=(0.05, 0))
    # So deep that sums exceed what f32 holds exactly.
    deep = net.input("deep", np.full((1, 1200), -128, np.int8) + q8(net, 1, 1200) // 64, quant=(0.02, 127))
    net.op("FULLY_CONNECTED", [deep, net.const(np.clip(q8(net, 2, 1200) // 32 + 90, -127, 127), quant=(0.001, 0)), bias(net, 2)],
           np.int8, ("FullyConnectedOptions", {}), quant=(5.0, 20))
    # Old models: unsigned, with a zero point of the weights.
    u = net.input("u", net.rng.integers(0, 256, (1, 6, 6, 3)).astype(np.uint8), quant=(0.04, 120))
    w = net.const(net.rng.integers(0, 256, (4, 3, 3, 3)).astype(np.uint8), quant=(0.01, 131))
    net.op("CONV_2D", [u, w, bias(net, 4)], np.uint8, ("Conv2DOptions", {
        "padding": VALID, "strideH": 1, "strideW": 1}), quant=(0.1, 128), name="conv_uint8")


def int8_other(net):
    a = net.input("a", q8(net, 2, 3, 4, 4), quant=(0.05, -3))
    b = net.input("b", q8(net, 2, 3, 4, 4), quant=(0.03, 10))
    net.op("ADD", [a, b], np.int8, ("AddOptions", {"fusedActivationFunction": ACT.RELU}), quant=(0.06, -5))
    net.op("SUB", [a, b], np.int8, ("SubOptions", {}), quant=(0.06, -5))
    net.op("MUL", [a, b], np.int8, ("MulOptions", {}), quant=(0.1, 3))
    net.op("MAXIMUM", [a, a], np.int8, ("MaximumMinimumOptions", {}), quant=(0.05, -3))
    net.op("LOGISTIC", [a], np.int8, quant=(1 / 256, -128))
    net.op("TANH", [a], np.int8, quant=(1 / 128, 0))
    net.op("HARD_SWISH", [a], np.int8, quant=(0.05, -100))
    net.op("LEAKY_RELU", [a], np.int8, ("LeakyReluOptions", {"alpha": 0.1}), quant=(0.05, -100))
    net.op("RELU", [a], np.int8, quant=(0.05, -3))
    net.op("SOFTMAX", [a], np.int8, ("SoftmaxOptions", {"beta": 1.0}), quant=(1 / 256, -128))
    net.op("MEAN", [a, net.ints(1, 2)], np.int8, ("ReducerOptions", {"keepDims": True}), quant=(0.02, 4))
    # SUM is left out: the kernel adds up in 8 bits and wraps.
    pool = {"padding": SAME, "strideH": 2, "strideW": 2, "filterHeight": 2, "filterWidth": 3}
    net.op("AVERAGE_POOL_2D", [a], np.int8, ("Pool2DOptions", pool), quant=(0.05, -3))
    net.op("MAX_POOL_2D", [a], np.int8, ("Pool2DOptions", {**pool, "fusedActivationFunction": ACT.RELU}), quant=(0.05, -3))
    net.op("PAD", [a, net.const(np.array([[0, 0], [1, 1], [0, 2], [0, 0]], np.int32))], np.int8, ("PadOptions", {}),
           quant=(0.05, -3))
    net.op("RESHAPE", [a, net.ints(2, -1)], np.int8, ("ReshapeOptions", {"newShape": [2, -1]}), quant=(0.05, -3))
    net.op("TRANSPOSE", [a, net.ints(0, 3, 1, 2)], np.int8, ("TransposeOptions", {}), quant=(0.05, -3))
    net.op("CONCATENATION", [a, a], np.int8, ("ConcatenationOptions", {"axis": 3}), quant=(0.05, -3))
    net.op("RESIZE_BILINEAR", [a, net.ints(6, 8)], np.int8, ("ResizeBilinearOptions", {"halfPixelCenters": True}),
           quant=(0.05, -3))
    net.op("RESIZE_NEAREST_NEIGHBOR", [a, net.ints(6, 8)], np.int8, ("ResizeNearestNeighborOptions", {}),
           quant=(0.05, -3))
    net.op("ARG_MAX", [a, net.ints(3)], np.int32, ("ArgMaxOptions", {"outputType": s.TensorType.INT32}))
    net.op("DEQUANTIZE", [a], options=("DequantizeOptions", {}))
    net.op("QUANTIZE", [a], np.int8, ("QuantizeOptions", {}), quant=(0.08, 11), name="requantize")
    f = net.input("f", normal(net, 3, 5))
    net.op("QUANTIZE", [f], np.int8, ("QuantizeOptions", {}), quant=(0.02, -7))
    net.op("LESS", [a, b], np.bool_, ("LessOptions", {}))


FAMILIES = [elementwise, activation, conv, contract, pool, reduce, shape, slicing, movement, index, resize, dynamic,
            int8_layers, int8_other]

if __name__ == "__main__":
    wanted = sys.argv[1:]
    for k, family in enumerate(FAMILIES):
        if not wanted or family.__name__ in wanted:
            net = Net(family.__name__, seed=k)
            family(net)
            net.write()
