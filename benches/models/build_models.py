#!/usr/bin/env python3
"""Writes the benchmark models: real architectures with seeded random weights.

Needs numpy and onnx only. Two kinds of model:

* built here, node by node, in the form that PyTorch's exporter gives them at opset 13 (layer norm
  and GELU decomposed, shapes computed by Shape/Gather/Concat chains, batch norms kept): resnet50,
  mobilenetv2, squeezenet, bert-base, gpt2-4l, mlp, vit-tiny;
* the "light" models that the onnx package ships (squeezenet-light, resnet50-light): their weights
  are ConstantOfShape nodes, so every output is a constant; here each becomes an initializer with
  random numbers. They keep their old form: opset 9, IR 3, weights listed among the graph inputs.

Weights are scaled after He et al., "Delving Deep into Rectifiers" (2015), section 2.2: standard
deviation sqrt(gain / fan-in), so that activations keep their size through the depth of the net.
The same numpy gives the same bytes.
"""

import argparse
import hashlib
import math
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Net:
    """A graph under construction. Methods that add a node return the name of its output."""

    def __init__(self, name, seed):
        self.name = name
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.count = 0

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}_{self.count}"

    # Values

    def input(self, name, dtype, shape):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, value, name, shape):
        """Declares `value` a graph output under the name `name`."""
        for node in self.nodes:
            for names in (node.output, node.input):
                for k, old in enumerate(names):
                    if old == value:
                        names[k] = name
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def weight(self, array, prefix="w"):
        name = self.fresh(prefix)
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def he(self, shape, fan_in, gain=2.0):
        return self.weight((self.rng.standard_normal(shape) * math.sqrt(gain / fan_in)).astype(np.float32))

    def normal(self, shape, scale):
        return self.weight((self.rng.standard_normal(shape) * scale).astype(np.float32))

    def about_one(self, n, gain=1.0):
        return self.weight((gain * (1 + 0.1 * self.rng.standard_normal(n))).astype(np.float32))

    def zeros(self, n):
        return self.weight(np.zeros(n, np.float32))

    def const(self, array):
        """A Constant node, as PyTorch's exporter emits it."""
        return self.op("Constant", [], value=numpy_helper.from_array(np.asarray(array)))

    def f32(self, x):
        return self.const(np.float32(x))

    def ints(self, *xs):
        return self.const(np.array(xs, np.int64))

    def op(self, kind, inputs, outputs=1, **attributes):
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"/{kind}_{self.count}", **attributes))
        return names[0] if outputs == 1 else names

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="egret-benches")
        model.ir_version = 8
        return model

    # Convolutional parts

    def conv(self, x, c_in, c_out, k, stride=1, pad=None, groups=1, bias=False, gain=2.0):
        pad = k // 2 if pad is None else pad
        inputs = [x, self.he((c_out, c_in // groups, k, k), c_in // groups * k * k, gain)]
        if bias:
            inputs.append(self.normal(c_out, 0.1))
        return self.op("Conv", inputs, kernel_shape=[k, k], strides=[stride, stride], pads=[pad] * 4,
                       group=groups, dilations=[1, 1])

    def batch_norm(self, x, c, gain=1.0):
        scale, bias, mean = self.about_one(c, gain), self.normal(c, 0.1), self.normal(c, 0.1)
        variance = self.weight((1 + 0.1 * self.rng.random(c)).astype(np.float32))
        return self.op("BatchNormalization", [x, scale, bias, mean, variance], epsilon=1e-5, momentum=0.9)

    def relu(self, x):
        return self.op("Relu", [x])

    def relu6(self, x):
        return self.op("Clip", [x, self.f32(0), self.f32(6)])

    def classifier(self, x, features):
        """Global average pool and a linear layer to 1000 classes."""
        x = self.op("GlobalAveragePool", [x])
        x = self.op("Flatten", [x], axis=1)
        return self.gemm_transposed(x, features, 1000)

    def gemm_transposed(self, x, n_in, n_out):
        return self.op("Gemm", [x, self.he((n_out, n_in), n_in, 1.0), self.zeros(n_out)],
                       transB=1, alpha=1.0, beta=1.0)

    # Transformer parts

    def linear(self, x, n_in, n_out):
        y = self.op("MatMul", [x, self.he((n_in, n_out), n_in, 1.0)])
        return self.op("Add", [self.normal(n_out, 0.02), y])

    def layer_norm(self, x, n, eps=1e-5):
        mean = self.op("ReduceMean", [x], axes=[-1])
        centred = self.op("Sub", [x, mean])
        square = self.op("Pow", [centred, self.f32(2)])
        variance = self.op("ReduceMean", [square], axes=[-1])
        variance = self.op("Add", [variance, self.f32(eps)])
        deviation = self.op("Sqrt", [variance])
        y = self.op("Div", [centred, deviation])
        y = self.op("Mul", [y, self.about_one(n)])
        return self.op("Add", [y, self.normal(n, 0.1)])

    def gelu(self, x):
        erf = self.op("Erf", [self.op("Div", [x, self.f32(math.sqrt(2))])])
        y = self.op("Mul", [x, self.op("Add", [erf, self.f32(1)])])
        return self.op("Mul", [y, self.f32(0.5)])

    def gelu_tanh(self, x):
        cube = self.op("Pow", [x, self.f32(3)])
        inner = self.op("Add", [x, self.op("Mul", [cube, self.f32(0.044715)])])
        tanh = self.op("Tanh", [self.op("Mul", [inner, self.f32(math.sqrt(2 / math.pi))])])
        one_plus = self.op("Add", [tanh, self.f32(1)])
        return self.op("Mul", [self.op("Mul", [x, self.f32(0.5)]), one_plus])

    def size(self, x, axis):
        """One extent of `x` as a rank-0 tensor."""
        shape = self.op("Shape", [x])
        return self.op("Gather", [shape, self.const(np.int64(axis))], axis=0)

    def shape(self, *parts):
        """A shape tensor from numbers and rank-0 tensors."""
        ones = [self.ints(p) if isinstance(p, int) else self.op("Unsqueeze", [p, self.ints(0)]) for p in parts]
        return self.op("Concat", ones, axis=0)

    def heads(self, x, heads, width, perm):
        """[batch, sequence, heads*width] split into heads and transposed."""
        split = self.op("Reshape", [x, self.shape(self.size(x, 0), self.size(x, 1), heads, width)])
        return self.op("Transpose", [split], perm=perm)

    def merge_heads(self, x, hidden):
        x = self.op("Transpose", [x], perm=[0, 2, 1, 3])
        return self.op("Reshape", [x, self.shape(self.size(x, 0), self.size(x, 1), hidden)])


def resnet50():
    net = Net("resnet50", 1)
    x = net.input("input", TensorProto.FLOAT, [1, 3, 224, 224])
    x = net.conv(x, 3, 64, 7, 2, 3)
    x = net.relu(net.batch_norm(x, 64))
    x = net.op("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, ceil_mode=0)
    c = 64
    for width, blocks, first_stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            shortcut = x
            y = net.relu(net.batch_norm(net.conv(x, c, width, 1), width))
            y = net.relu(net.batch_norm(net.conv(y, width, width, 3, stride), width))
            y = net.batch_norm(net.conv(y, width, 4 * width, 1), 4 * width, 0.4)
            if block == 0:
                shortcut = net.batch_norm(net.conv(x, c, 4 * width, 1, stride, gain=1.0), 4 * width)
            x = net.relu(net.op("Add", [y, shortcut]))
            c = 4 * width
    net.output(net.classifier(x, 2048), "output", [1, 1000])
    return net.model()


def mobilenetv2():
    net = Net("mobilenetv2", 2)
    x = net.input("input", TensorProto.FLOAT, [1, 3, 224, 224])
    x = net.relu6(net.batch_norm(net.conv(x, 3, 32, 3, 2), 32))
    c = 32
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, width, blocks, first_stride in stages:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            hidden = c * expansion
            y = x
            if expansion != 1:
                y = net.relu6(net.batch_norm(net.conv(y, c, hidden, 1, gain=1.5), hidden))
            y = net.relu6(net.batch_norm(net.conv(y, hidden, hidden, 3, stride, groups=hidden), hidden))
            y = net.batch_norm(net.conv(y, hidden, width, 1, gain=1.5), width, 0.8)
            x = net.op("Add", [x, y]) if stride == 1 and c == width else y
            c = width
    x = net.relu6(net.batch_norm(net.conv(x, 320, 1280, 1), 1280))
    net.output(net.classifier(x, 1280), "output", [1, 1000])
    return net.model()


def squeezenet():
    net = Net("squeezenet", 3)

    def conv_relu(x, c_in, c_out, k, stride=1, pad=None):
        return net.relu(net.conv(x, c_in, c_out, k, stride, pad, bias=True))

    def max_pool(x):
        return net.op("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[0] * 4, ceil_mode=1)

    def fire(x, c_in, squeeze, expand):
        q = conv_relu(x, c_in, squeeze, 1)
        return net.op("Concat", [conv_relu(q, squeeze, expand, 1), conv_relu(q, squeeze, expand, 3)], axis=1)

    x = net.input("input", TensorProto.FLOAT, [1, 3, 224, 224])
    x = max_pool(conv_relu(x, 3, 64, 3, 2, 0))
    x = fire(x, 64, 16, 64)
    x = max_pool(fire(x, 128, 16, 64))
    x = fire(x, 128, 32, 128)
    x = max_pool(fire(x, 256, 32, 128))
    for c, squeeze, expand in [(256, 48, 192), (384, 48, 192), (384, 64, 256), (512, 64, 256)]:
        x = fire(x, c, squeeze, expand)
    x = net.op("Dropout", [x])
    x = conv_relu(x, 512, 1000, 1)
    x = net.op("GlobalAveragePool", [x])
    x = net.op("Flatten", [x], axis=1)
    net.output(x, "output", [1, 1000])
    return net.model()


def bert_base(layers=12, hidden=768, heads=12, sequence=128, vocabulary=30522):
    net = Net("bert", 4)
    ids = net.input("input_ids", TensorProto.INT64, [1, sequence])
    mask = net.input("attention_mask", TensorProto.INT64, [1, sequence])
    types = net.input("token_type_ids", TensorProto.INT64, [1, sequence])
    width = hidden // heads

    # The additive mask: 0 where attended, -10000 elsewhere.
    m = net.op("Unsqueeze", [mask, net.ints(1)])
    m = net.op("Unsqueeze", [m, net.ints(2)])
    m = net.op("Cast", [m], to=TensorProto.FLOAT)
    m = net.op("Sub", [net.f32(1), m])
    m = net.op("Mul", [m, net.f32(-10000.0)])

    words = net.op("Gather", [net.normal((vocabulary, hidden), 0.5), ids], axis=0)
    segments = net.op("Gather", [net.normal((2, hidden), 0.5), types], axis=0)
    x = net.op("Add", [words, segments])
    # Positions: a constant buffer cut to the length of the input.
    buffer = net.weight(np.arange(512, dtype=np.int64)[None])
    length = net.op("Unsqueeze", [net.size(ids, 1), net.ints(0)])
    positions = net.op("Slice", [buffer, net.ints(0), length, net.ints(1), net.ints(1)])
    positions = net.op("Gather", [net.normal((512, hidden), 0.5), positions], axis=0)
    x = net.layer_norm(net.op("Add", [x, positions]), hidden, 1e-12)

    for _ in range(layers):
        q, k = net.linear(x, hidden, hidden), net.linear(x, hidden, hidden)
        k = net.heads(k, heads, width, [0, 2, 3, 1])
        v = net.heads(net.linear(x, hidden, hidden), heads, width, [0, 2, 1, 3])
        q = net.heads(q, heads, width, [0, 2, 1, 3])
        scores = net.op("MatMul", [q, k])
        scores = net.op("Div", [scores, net.f32(math.sqrt(width))])
        scores = net.op("Add", [scores, m])
        scores = net.op("Softmax", [scores], axis=-1)
        context = net.merge_heads(net.op("MatMul", [scores, v]), hidden)
        x = net.layer_norm(net.op("Add", [net.linear(context, hidden, hidden), x]), hidden, 1e-12)
        inner = net.gelu(net.linear(x, hidden, 4 * hidden))
        x = net.layer_norm(net.op("Add", [net.linear(inner, 4 * hidden, hidden), x]), hidden, 1e-12)

    pooled = net.op("Gather", [x, net.const(np.int64(0))], axis=1)
    pooled = net.op("Gemm", [pooled, net.he((hidden, hidden), hidden, 1.0), net.zeros(hidden)], transB=1)
    pooled = net.op("Tanh", [pooled])
    net.output(x, "last_hidden_state", [1, sequence, hidden])
    net.output(pooled, "pooler_output", [1, hidden])
    return net.model()


def gpt2_4l(layers=4, hidden=768, heads=12, sequence=128):
    net = Net("gpt2_4l", 5)
    x = net.input("inputs_embeds", TensorProto.FLOAT, [1, sequence, hidden])
    width = hidden // heads
    x = net.op("Add", [x, net.normal((1, sequence, hidden), 0.1)])
    causal = net.weight(np.tril(np.ones((1, 1, 1024, 1024), bool)), "bias")

    def conv1d(t, n_in, n_out, d0, d1):
        """GPT-2's Conv1D: a Gemm on the flattened tokens."""
        flat = net.op("Reshape", [t, net.ints(-1, n_in)])
        y = net.op("Gemm", [flat, net.he((n_in, n_out), n_in, 1.0), net.normal(n_out, 0.02)], alpha=1.0, beta=1.0)
        return net.op("Reshape", [y, net.shape(d0, d1, n_out)])

    for _ in range(layers):
        n = net.layer_norm(x, hidden)
        d0, d1 = net.size(n, 0), net.size(n, 1)
        qkv = conv1d(n, hidden, 3 * hidden, d0, d1)
        q, k, v = net.op("Split", [qkv, net.ints(hidden, hidden, hidden)], 3, axis=2)
        q, k, v = (net.heads(t, heads, width, [0, 2, 1, 3]) for t in (q, k, v))
        scores = net.op("MatMul", [q, net.op("Transpose", [k], perm=[0, 1, 3, 2])])
        scores = net.op("Div", [scores, net.f32(math.sqrt(width))])
        q_len = net.op("Unsqueeze", [net.size(q, 2), net.ints(0)])
        k_len = net.op("Unsqueeze", [net.size(k, 2), net.ints(0)])
        zero, one = net.ints(0), net.ints(1)
        mask = net.op("Slice", [causal, zero, q_len, net.ints(2), one])
        mask = net.op("Slice", [mask, zero, k_len, net.ints(3), one])
        scores = net.op("Softmax", [net.op("Where", [mask, scores, net.f32(-1e4)])], axis=3)
        context = net.merge_heads(net.op("MatMul", [scores, v]), hidden)
        x = net.op("Add", [conv1d(context, hidden, hidden, d0, d1), x])
        n = net.layer_norm(x, hidden)
        inner = net.gelu_tanh(conv1d(n, hidden, 4 * hidden, d0, d1))
        x = net.op("Add", [x, conv1d(inner, 4 * hidden, hidden, d0, d1)])
    net.output(net.layer_norm(x, hidden), "output", [1, sequence, hidden])
    return net.model()


def mlp():
    net = Net("mlp", 6)
    x = net.input("input", TensorProto.FLOAT, [32, 784])
    for n_in, n_out, activated in [(784, 1024, True), (1024, 1024, True), (1024, 10, False)]:
        x = net.op("Gemm", [x, net.he((n_out, n_in), n_in), net.normal(n_out, 0.05)], transB=1, alpha=1.0, beta=1.0)
        if activated:
            x = net.relu(x)
    net.output(x, "output", [32, 10])
    return net.model()


def vit_tiny(layers=12, hidden=192, heads=3, patch=16, image=224):
    net = Net("vit_tiny", 7)
    x = net.input("input", TensorProto.FLOAT, [1, 3, image, image])
    width, tokens = hidden // heads, (image // patch) ** 2 + 1
    x = net.conv(x, 3, hidden, patch, patch, 0, bias=True, gain=1.0)
    # flatten(2).transpose(1, 2), as exported.
    shape = net.op("Shape", [x])
    leading = net.op("Slice", [shape, net.ints(0), net.ints(2), net.ints(0)])
    x = net.op("Reshape", [x, net.op("Concat", [leading, net.ints(-1)], axis=0)])
    x = net.op("Transpose", [x], perm=[0, 2, 1])
    batch = net.size(x, 0)
    token = net.op("Expand", [net.normal((1, 1, hidden), 0.5), net.shape(batch, 1, hidden)])
    x = net.op("Concat", [token, x], axis=1)
    x = net.op("Add", [x, net.normal((1, tokens, hidden), 0.5)])
    for _ in range(layers):
        n = net.layer_norm(x, hidden, 1e-6)
        d0, d1 = net.size(n, 0), net.size(n, 1)
        qkv = net.linear(n, hidden, 3 * hidden)
        qkv = net.op("Reshape", [qkv, net.shape(d0, d1, 3, heads, width)])
        qkv = net.op("Transpose", [qkv], perm=[2, 0, 3, 1, 4])
        q, k, v = (net.op("Gather", [qkv, net.const(np.int64(i))], axis=0) for i in range(3))
        scores = net.op("MatMul", [q, net.op("Transpose", [k], perm=[0, 1, 3, 2])])
        scores = net.op("Mul", [scores, net.f32(width**-0.5)])
        scores = net.op("Softmax", [scores], axis=-1)
        context = net.op("Transpose", [net.op("MatMul", [scores, v])], perm=[0, 2, 1, 3])
        context = net.op("Reshape", [context, net.shape(d0, d1, hidden)])
        x = net.op("Add", [x, net.linear(context, hidden, hidden)])
        n = net.layer_norm(x, hidden, 1e-6)
        inner = net.gelu(net.linear(n, hidden, 4 * hidden))
        x = net.op("Add", [x, net.linear(inner, 4 * hidden, hidden)])
    x = net.layer_norm(x, hidden, 1e-6)
    x = net.op("Gather", [x, net.const(np.int64(0))], axis=1)
    net.output(net.gemm_transposed(x, hidden, 1000), "output", [1, 1000])
    return net.model()


def light(file, sha256, seed):
    """A light model of the onnx package with random weights in place of its ConstantOfShape nodes."""
    path = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light", file)
    with open(path, "rb") as f:
        data = f.read()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise SystemExit(f"{file} in the installed onnx package has sha256 {found}, expected {sha256}")
    model = onnx.load_from_string(data)
    graph = model.graph
    rng = np.random.default_rng(seed)

    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    constants = [n for n in graph.node if n.op_type == "ConstantOfShape"]
    consumers = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            consumers.setdefault(name, []).append((node, place))

    def values(name, shape):
        """Random numbers that suit the one place where the weight `name` is used."""
        [(node, place)] = consumers[name]
        normal = rng.standard_normal(shape)
        if node.op_type == "BatchNormalization":
            # A branch that is summed with another is damped, or the sums grow with depth.
            summed = any(user.op_type == "Sum" for user, _ in consumers.get(node.output[0], []))
            scale = (0.5 if summed else 1.0) * (1 + 0.1 * normal)
            return [scale, 0.1 * normal, 0.1 * normal, 1 + 0.1 * rng.random(shape)][place - 1]
        if node.op_type == "Conv":
            return normal * math.sqrt(2.0 / math.prod(shape[1:])) if place == 1 else 0.1 * normal
        if node.op_type == "Gemm":
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            return normal * math.sqrt(0.1 / shape[1 if transposed else 0]) if place == 1 else 0.02 * normal
        raise SystemExit(f"{file}: no rule for the weight {name} of a {node.op_type}")

    old_shapes = {n.input[0] for n in constants}
    new_tensors, new_inputs = [], []
    for node in constants:
        shape = tuple(int(d) for d in shapes[node.input[0]])
        name = node.output[0]
        new_tensors.append(numpy_helper.from_array(values(name, shape).astype(np.float32), name))
        new_inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    replace(graph.node, [n for n in graph.node if n.op_type != "ConstantOfShape"])
    replace(graph.initializer, [t for t in graph.initializer if t.name not in old_shapes] + new_tensors)
    replace(graph.input, [i for i in graph.input if i.name not in old_shapes] + new_inputs)
    return model


def replace(field, items):
    """Sets a repeated protobuf field."""
    items = list(items)
    del field[:]
    field.extend(items)


MODELS = {
    "resnet50": resnet50,
    "mobilenetv2": mobilenetv2,
    "squeezenet": squeezenet,
    "bert-base": bert_base,
    "gpt2-4l": gpt2_4l,
    "mlp": mlp,
    "vit-tiny": vit_tiny,
    "squeezenet-light": lambda: light(
        "light_squeezenet.onnx", "770b0f3c8623e18bf58b53754d710051b4c268248422142980a132bbe6dfe908", 8),
    "resnet50-light": lambda: light(
        "light_resnet50.onnx", "05e77a5c9c9ce0913f549a50d6ebaced5e0ff6817b61e09bae26e4c5bd9055e4", 9),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, metavar="DIR", help="where the .onnx files go")
    parser.add_argument("--only", metavar="NAME,...", help=f"some of: {', '.join(MODELS)} (default: all)")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else list(MODELS)
    unknown = [n for n in names if n not in MODELS]
    if unknown:
        parser.error(f"unknown model {', '.join(unknown)}; known are {', '.join(MODELS)}")
    os.makedirs(args.out, exist_ok=True)
    for name in names:
        model = MODELS[name]()
        onnx.checker.check_model(model)
        path = os.path.join(args.out, f"{name}.onnx")
        # Written beside and renamed, so that a reader never meets half a file.
        onnx.save(model, f"{path}.part")
        os.replace(f"{path}.part", path)
        print(f"{name}: {len(model.graph.node)} nodes, {os.path.getsize(path) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    sys.exit(main())
