"""Writes small models with control flow, containers and functions, with their inputs as defaults and the expected results
inside, as ../fixtures/generate.py does.

Usage: python generate.py FOLDER     (needs onnx 1.23, onnxruntime 1.32 and numpy)

The expected values come from ONNX Runtime with optimizations off, or from numpy right here where it refuses the model.
"""
import sys
import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper, parser

F = np.float32
rng = np.random.default_rng(11)
CASES = []


def f(*shape):
    return rng.standard_normal(shape).astype(F)


def i64(*values):
    return np.array(values, np.int64)


def n(value):
    return np.array(value, np.int64)


def yes(value=True):
    return np.array(value)


def case(name, text, constants=None, expected=None, opset=17, functions="", domains="", **inputs):
    """`inputs` may be overridden at run time, `constants` may not; `text` is the graph's body, results y0, y1, …"""
    CASES.append((name, text, constants or {}, expected, opset, functions, domains, inputs))


def bits(*names):
    """One case per value of a condition."""
    return [(name, value) for name, value in names]


# ---- If ----
BRANCHES = """
    y0, y1 = If (c) <
        then_branch = then () => (float[n] a, float[2, 3] b) { a = Slice (x, zero, two) b = Add (w, w) },
        else_branch = other () => (float[m] d, float[2, 3] e) { d = Identity (x) t = Transpose <perm = [1, 0]> (v) e = Mul (t, half) }>
"""
for name, value in (("if-then", True), ("if-else", False)):
    case(name, BRANCHES, dict(zero=i64(0), two=i64(2), half=np.array(0.5, F)), c=yes(value), x=f(5), w=f(2, 3), v=f(3, 2))
NESTED = """
    y0 = If (c) <
        then_branch = then () => (float[3] a) {
            a = If (d) <then_branch = tt () => (float[3] p) { p = Relu (x) }, else_branch = te () => (float[3] q) { q = Neg (s) }>
        },
        else_branch = other () => (float[3] b) { b = Exp (x) }>
"""
for name, c, d in (("if-nested-inner-then", True, True), ("if-nested-inner-else", True, False), ("if-nested-else", False, True)):
    case(name, "s = Add (x, x)" + NESTED, c=yes(c), d=yes(d), x=f(3))
# A condition of one element on an axis.
case("if-condition-of-rank-1", """
    y0 = If (c) <then_branch = then () => (float[3] a) { a = Relu (x) }, else_branch = other () => (float[3] b) { b = Neg (x) }>
""", c=yes([False]), x=f(3))
# The branch that is not taken multiplies matrices that do not fit.
x = f(2, 3)
case("if-known-dead-branch", """
    y0 = If (c) <
        then_branch = then () => (float[2, 3] a) { a = Abs (x) },
        else_branch = other () => (float[2, 3] b) { b = MatMul (x, x) }>
""", dict(c=yes()), expected=[np.abs(x)], x=x)
case("if-known-by-shape", """
    sh = Shape (x)
    r = Gather (sh, zero)
    c = Equal (r, two)
    y0 = If (c) <then_branch = then () => (float[2] a) { a = ReduceSum <keepdims = 0> (x, one) },
                 else_branch = other () => (float[2, 3] b) { b = Identity (x) }>
""", dict(zero=n(0), two=n(2), one=i64(1)), x=f(2, 3))
# A branch that gives a captured value, and a constant.
for name, value in (("if-gives-captured", True), ("if-gives-constant", False)):
    case(name, """
    y0 = If (c) <then_branch = then () => (float[2] a) { a = Identity (x) },
                 else_branch = other () => (float[2] b) { b = Constant <value = float[2] {1.5, -2.0}> () }>
    """, c=yes(value), x=f(2))

# ---- Loop ----
case("loop-until", """
    y0, y1 = Loop (m, c, s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b, float[2] each) {
        b = Add (a, step)
        top = ReduceMax <keepdims = 0> (b)
        on = Less (top, ten)
        each = Mul (b, half)
    }>
""", dict(ten=np.array(10, F), half=np.array(0.5, F)), m=n(100), c=yes(), s=np.array([1, 2], F), step=np.array([1.5, 2.5], F))
for name, trips in (("loop-count", 4), ("loop-no-iteration", 0)):
    case(name, """
    y0, y1 = Loop (m, "", s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b, float[2] each) {
        on = Identity (go)
        k = Cast <to = 1> (i)
        b = Add (a, k)
        each = Identity (b)
    }>
    """, m=n(trips), s=np.array([1, 2], F))
case("loop-never", """
    y0, y1 = Loop (m, c, s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b, float[2] each) {
        on = Identity (go)
        b = Add (a, a)
        each = Identity (b)
    }>
""", m=n(3), c=yes(False), s=np.array([1, 2], F))
case("loop-known-count", """
    y0, y1 = Loop (m, c, s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b, float[2] each) {
        on = Identity (go)
        k = Cast <to = 1> (i)
        b = Add (a, k)
        each = Mul (b, b)
    }>
""", dict(m=n(3), c=yes()), s=np.array([1, 2], F))
case("loop-known-none", """
    y0, y1 = Loop (m, c, s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b, float[2] each) {
        on = Identity (go)
        b = Add (a, a)
        each = Mul (b, b)
    }>
""", dict(m=n(0), c=yes()), s=np.array([1, 2], F))
case("loop-known-until", """
    y0 = Loop ("", c, s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b) {
        b = Add (a, a)
        on = Less (i, two)
    }>
""", dict(two=n(2), c=yes()), s=np.array([1, 2], F))
# A carried value that grows, and one that is carried round as it came.
case("loop-grows", """
    y0, y1 = Loop (m, c, s, w) <body = body (int64 i, bool go, float[k] a, float[2, 2] v) => (bool on, float[k2] b, float[2, 2] v2) {
        on = Identity (go)
        p = MatMul (x, v)
        b = Concat <axis = 0> (a, p)
        v2 = Identity (v)
    }>
""", m=n(3), c=yes(), s=f(1), w=f(2, 2), x=f(2))
# The iteration number picks a slice; an If inside; values of two levels up.
case("loop-slices-and-if", """
    y0, y1 = Loop (m, c, s) <body = body (int64 i, bool go, float[3] a) => (bool on, float[3] b, float[3] each) {
        on = Identity (go)
        row = Gather (x, i)
        par = Mod (i, two)
        odd = Cast <to = 9> (par)
        t = If (odd) <then_branch = then () => (float[3] p) { p = Add (row, w) }, else_branch = other () => (float[3] q) { q = Sub (a, row) }>
        b = Add (a, t)
        each = Identity (t)
    }>
""", dict(two=n(2)), m=n(4), c=yes(), s=f(3), x=f(4, 3), w=f(3))
case("loop-in-loop", """
    y0 = Loop (m, c, s) <body = body (int64 i, bool go, float[2] a) => (bool on, float[2] b) {
        on = Identity (go)
        b = Loop (k, go, a) <body = inner (int64 j, bool g, float[2] d) => (bool o, float[2] e) {
            o = Identity (g)
            h = Mul (d, w)
            e = Add (h, a)
        }>
    }>
""", m=n(3), k=n(2), c=yes(), s=f(2), w=f(2))
# The rows that Slice takes and the positions that Range counts are equally many, which only the run shows.
case("loop-writes-rows", """
    y0 = Loop (m, c, s) <body = body (int64 i, bool go, float[2, 4, 3] a) => (bool on, float[2, 4, 3] b) {
        on = Identity (go)
        from = Unsqueeze (i, zero)
        next = Add (from, one)
        shape = Shape (a)
        extent = Gather (shape, one)
        until = Min (next, extent)
        old = Slice (a, from, until, one, one)
        place = Shape (old)
        row = Expand (x, place)
        end = Squeeze (until)
        count = Range (i, end, step)
        line = Reshape (count, along)
        at = Tile (line, times)
        b = ScatterElements <axis = 1> (a, at, row)
    }>
""", dict(zero=i64(0), one=i64(1), step=n(1), along=i64(1, -1, 1), times=i64(2, 1, 3)), m=n(3), c=yes(),
     s=np.zeros((2, 4, 3), F), x=np.arange(6, dtype=F).reshape(2, 1, 3))
case("loop-counter-of-rank-1", """
    y0 = Loop (m, c, s) <body = body (int64[1] i, bool[1] go, float[2] a) => (bool[1] on, float[2] b) {
        on = Identity (go)
        k = Cast <to = 1> (i)
        b = Add (a, k)
    }>
""", m=i64(3), c=yes([True]), s=f(2))

# ---- Scan ----
for name, steps in (("scan", 80), ("known-scan", 4)):
    case(name, """
    y0, y1, y2 = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1],
                       scan_output_axes = [0, 1], scan_output_directions = [1, 0],
        body = body (float[2] a, float[2] u, float[2] v) => (float[2] b, float[2] p, float[2] q) {
            t = Mul (a, w) b = Add (t, u) p = Add (b, v) q = Neg (b)
        }> (s, x, z)
    """, s=f(2), x=f(2, steps), z=f(steps, 2), w=f(2) / 4)
for name, steps in (("scan-8", 150), ("known-scan-8", 4)):
    case(name, """
    y0, y1 = Scan <num_scan_inputs = 1, directions = [1],
        body = body (float[2] a, float[2] u) => (float[2] b, float[2] p) { b = Add (a, u) p = Mul (b, u) }> ("", s, x)
    """, opset=8, s=f(3, 2), x=f(3, steps, 2))
x, s = f(2, 4, 2), f(2, 2)
lens, final, scanned = [3, 4], np.zeros((2, 2), F), np.zeros((2, 4, 2), F)
for b in range(2):
    a = s[b]
    for t in range(lens[b]):
        a = a + x[b, t]
        scanned[b, t] = a
    final[b] = a
case("known-scan-8-lengths", """
    y0, y1 = Scan <num_scan_inputs = 1,
        body = body (float[2] a, float[2] u) => (float[2] b, float[2] p) { b = Add (a, u) p = Identity (b) }> (lens, s, x)
""", dict(lens=i64(*lens)), opset=8, expected=[final, scanned], s=s, x=x)

# ---- Containers ----
case("sequence-parts", """
    q = SplitToSequence <axis = 0> (x, cuts)
    a = SequenceAt (q, last)
    e = SequenceErase (q, zero)
    k = SequenceInsert (e, w, zero)
    y0 = ConcatFromSequence <axis = 0> (k)
    y1 = SequenceLength (k)
    y2 = Relu (a)
""", dict(cuts=i64(1, 2, 2), last=n(-1), zero=n(0)), x=f(5, 2), w=f(3, 2))
case("sequence-stack", """
    e = SequenceEmpty <dtype = 1> ()
    p = SequenceInsert (e, x)
    q = SequenceInsert (p, w)
    y0 = ConcatFromSequence <axis = -1, new_axis = 1> (q)
    s = SplitToSequence <axis = 1, keepdims = 0> (y0)
    y1 = SequenceAt (s, one)
""", dict(one=n(1)), x=f(2, 3), w=f(2, 3))
case("sequence-through-if-and-loop", """
    q = SequenceConstruct (x, w)
    r = If (c) <then_branch = then () => (seq(float[2]) a) { a = SequenceInsert (q, x) },
                else_branch = other () => (seq(float[2]) b) { b = Identity (q) }>
    t = Loop (m, c, r) <body = body (int64 i, bool go, seq(float[2]) s) => (bool on, seq(float[2]) s2) {
        on = Identity (go) p = SequenceAt (s, i) d = Add (p, p) s2 = SequenceInsert (s, d)
    }>
    y0 = ConcatFromSequence <axis = 0> (t)
""", dict(c=yes(), m=n(2)), x=f(2), w=f(2))
case("sequence-map", """
    q = SequenceConstruct (x, w)
    r = SequenceMap <body = body (float[2] e, float[2] k) => (float[2] g) { g = Mul (e, k) }> (q, v)
    y0 = ConcatFromSequence <axis = 0> (r)
""", x=f(2), w=f(2), v=f(2))
case("optional", """
    o = Optional (x)
    h = OptionalHasElement (o)
    y0 = If (h) <then_branch = then () => (float[2] a) { g = OptionalGetElement (o) a = Neg (g) },
                 else_branch = other () => (float[2] b) { b = Identity (w) }>
""", opset=18, x=f(2), w=f(2))

# ---- Functions ----
SCALED = """
<domain: "local", opset_import: ["" : 17]>
scaled <alpha, beta: float = 0.5> (t) => (u) {
    a = Constant <value_float: float = @alpha> ()
    b = Constant <value_float: float = @beta> ()
    p = Mul (t, a)
    u = Add (p, b)
}
"""
LOCAL = ', "local" : 1'
case("function-attributes-per-call", """
    p = local.scaled <alpha = 2.0> (x)
    q = local.scaled <alpha = -1.0, beta = 3.0> (x)
    y0 = Mul (p, q)
""", functions=SCALED, domains=LOCAL, x=f(3))
# The inner call's attribute is the outer call's; both have a value of the same name.
case("function-nested", """
    t = Neg (x)
    y0 = local.twice <gamma = 3.0> (t)
    y1 = local.twice <gamma = -0.5> (y0)
""", functions=SCALED + """
<domain: "local", opset_import: ["" : 17, "local" : 1]>
twice <gamma> (x) => (y) {
    t = local.scaled <alpha: float = @gamma> (x)
    y = local.scaled <alpha: float = @gamma, beta = 1.0> (t)
}
""", domains=LOCAL, x=f(2))
# An operand left out, a result nobody wants, and an operand that is a result.
x, w = f(3), f(2)
case("function-optional-parts", """
    y0, no, y1 = local.parts (x, "", w)
""", expected=[x, w], functions="""
<domain: "local", opset_import: ["" : 17]>
parts (a, lo, b) => (c, d, b) {
    c = Clip (a, lo)
    d = Exp (a)
}
""", domains=LOCAL, x=x, w=w)
# Bodies inside a function that capture its values, and calls inside bodies.
INSIDE = """
<domain: "local", opset_import: ["" : 17]>
pick (c, x) => (y) {
    t = Neg (x)
    y = If (c) <then_branch = then () => (p) { p = Add (t, x) s = Identity (p) }, else_branch = other () => (q) { q = Mul (t, x) }>
}
"""
for name, value in (("function-with-branches-then", True), ("function-with-branches-else", False)):
    case(name, """
    t = Abs (x)
    y0 = local.pick (c, t)
    y1 = local.pick (c, x)
    """, functions=INSIDE, domains=LOCAL, c=yes(value), x=f(3))
case("function-in-bodies", """
    y0 = If (c) <then_branch = then () => (float[3] p) { p = local.scaled <alpha = 2.0> (x) },
                 else_branch = other () => (float[3] q) { t = local.scaled <alpha = 4.0> (x) q = local.pick (c, t) }>
    y1 = Loop (m, c, x) <body = body (int64 i, bool go, float[3] a) => (bool on, float[3] b) {
        on = Identity (go)
        b = local.scaled <alpha = 0.25> (a)
    }>
""", functions=SCALED + INSIDE, domains=LOCAL, c=yes(False), m=n(3), x=f(3))
# Written for an opset in which Softmax flattens and ReduceSum has its axes as an attribute.
x = f(2, 3, 4)
e = np.exp(x.reshape(2, 12) - x.reshape(2, 12).max(1, keepdims=True))
flat = (e / e.sum(1, keepdims=True)).reshape(2, 3, 4)
case("function-of-another-opset", """
    y0, y1 = local.old (x)
    y2 = Softmax (x)
""", expected=[flat, flat.sum(1), np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)],
     functions="""
<domain: "local", opset_import: ["" : 11]>
old (x) => (y, z) {
    y = Softmax (x)
    z = ReduceSum <axes = [1], keepdims = 0> (y)
}
""", domains=LOCAL, x=x)


def build(name, text, constants, expected, opset, functions, domains, inputs):
    kind = {np.dtype(F): "float", np.dtype(np.int64): "int64", np.dtype(bool): "bool"}
    results = []
    while f"y{len(results)}" in text:
        results.append(f"y{len(results)}")
    declared = lambda k, v: f"{kind[v.dtype]}[{', '.join(map(str, v.shape))}] {k}"
    ins = ", ".join(declared(k, v) for k, v in inputs.items())
    outs = ", ".join(f"float {y}" for y in results)
    opsets = f'"" : {opset}{domains}'
    model = parser.parse_model(f'<ir_version: 8, opset_import: [{opsets}]> g ({ins}) => ({outs}) {{ {text} }} {functions}')
    for y in model.graph.output:
        y.ClearField("type")
    for k, v in {**inputs, **constants}.items():
        model.graph.initializer.append(numpy_helper.from_array(v, k))
    if expected is None:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        expected = session.run(None, {})
    del model.graph.output[:]
    for y, v in zip(results, expected):
        v = np.asarray(v)
        model.graph.initializer.append(numpy_helper.from_array(v, f"expected:{y}"))
        shape = [None] * v.ndim
        model.graph.output.append(helper.make_tensor_value_info(y, helper.np_dtype_to_tensor_dtype(v.dtype), shape))
    model.producer_name = "egret fixtures"
    return model


for arguments in CASES:
    try:
        onnx.save(build(*arguments), f"{sys.argv[1]}/{arguments[0]}.onnx")
    except Exception as e:  # says which case, and goes on
        print(arguments[0], str(e)[:600], file=sys.stderr)
