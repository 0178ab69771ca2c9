"""Looks for values at which two small graphs differ: the judge of the mutation check.

Reads one JSON request a line, `{"seed", "samples", "class", "left", "right"}`, and answers one line:
`{"wrong": text}`, `{"equal": samples}`, `{"unsupported": text}` or, of a bug in here, `{"failed": text}`. The kinds are evaluated here from their definitions in
ARCHITECTURE.md, on all samples at once (axis 0 of every array): nothing of Egret's interpreter is used.
"""

import json
import math
import sys

import numpy as np

DTYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
}
try:
    import ml_dtypes

    DTYPES["bf16"] = ml_dtypes.bfloat16
except ImportError:
    pass

FLOATS = ("f16", "bf16", "f32", "f64")
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}


class Unsupported(Exception):
    """A kind or type that this evaluator does not know."""


class Undefined(Exception):
    """No sample has a value."""


def storage(dtype, wide):
    """The numpy type of an element type; in the wide domain floats are f64, so that nothing overflows or rounds early."""
    if dtype not in DTYPES:
        raise Unsupported(f"element type {dtype}")
    return np.float64 if wide and dtype in FLOATS else DTYPES[dtype]


def steady(f, *xs):
    """f in f64 with every element in a full vector: numpy's loops round the last few elements of an array otherwise."""
    xs = np.broadcast_arrays(*[x.astype(np.float64) for x in xs])
    shape, n = xs[0].shape, xs[0].size
    flat = [np.concatenate([x.reshape(-1), np.ones(-n % 64 + 64)]) for x in xs]
    return f(*flat)[:n].reshape(shape)


def bits_to_array(dtype, shape, bits, wide):
    if dtype == "bool":
        return np.array(bits, dtype=np.uint8).astype(np.bool_).reshape([1, *shape])
    declared = np.dtype(storage(dtype, False))
    raw = np.array(bits, dtype=np.uint64).astype(f"u{declared.itemsize}")
    return raw.view(declared).reshape([1, *shape]).astype(storage(dtype, wide))


UNARY = {
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "erf": lambda x: np.frompyfunc(math.erf, 1, 1)(x).astype(np.float64),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
}
PLAIN = {"neg": np.negative, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "round": np.rint, "sign": np.sign}


def int_power(base, exponent):
    """Square and multiply, wrapping; negative exponents of signed integers truncate."""
    wide = base.astype(np.int64)
    negative = (exponent < 0) if exponent.dtype.kind == "i" else np.zeros(exponent.shape, bool)
    wide, left = np.broadcast_arrays(wide, exponent.astype(np.uint64))
    result, square, left = np.ones(wide.shape, np.int64), wide.copy(), left.copy()
    for _ in range(64):
        result = np.where(left & np.uint64(1) == 1, result * square, result)
        square, left = square * square, left >> np.uint64(1)
    odd = (exponent & exponent.dtype.type(1)) != 0
    below = np.where(wide == 1, 1, np.where(wide == -1, np.where(odd, -1, 1), 0))
    return np.where(negative, below, result).astype(base.dtype)


class Run:
    """One evaluation of a graph on all samples."""

    def __init__(self, graph, given, wide, samples):
        self.wide, self.samples = wide, samples
        self.bad = np.zeros(samples, bool)
        # Some conversion is of a number that its type does not have: what it gives is not said here.
        self.vague = np.zeros(samples, bool)
        self.values, self.types = [], []
        for node in graph["nodes"]:
            args = [self.values[a] for a in node["args"]]
            kinds = [self.types[a] for a in node["args"]]
            with np.errstate(all="ignore"):
                y = self.node(node, args, kinds, given)
                y = y.astype(storage(node["dtype"], wide), copy=False)
            self.types.append(node["dtype"])
            self.values.append(y)
        self.result = self.spread(self.values[graph["output"]])
        self.dtype = self.types[graph["output"]]

    def spread(self, x):
        return np.broadcast_to(x, (self.samples, *x.shape[1:]))

    def mark(self, where):
        """Samples with a true element have no value."""
        self.bad |= self.per_sample(where)

    def per_sample(self, where):
        return np.broadcast_to(where.reshape(where.shape[0], -1).any(axis=1), self.samples)

    def measure(self):
        """Per sample: the largest finite magnitude of all float values, and whether all of them are finite."""
        scale, finite = np.ones(self.samples), np.ones(self.samples, bool)
        for x, dtype in zip(self.values, self.types):
            if dtype in FLOATS and x.size:
                flat = np.abs(x.astype(np.float64)).reshape(x.shape[0], -1)
                known = np.isfinite(flat)
                scale = np.maximum(scale, np.where(known, flat, 0).max(axis=1))
                finite &= known.all(axis=1)
        return scale, finite

    def node(self, n, args, kinds, given):
        op, at = n["op"], n["attrs"]
        if op == "input":
            x = given[at["index"]]
            return x.astype(storage(n["dtype"], self.wide))
        if op == "const":
            return bits_to_array(n["dtype"], n["shape"], at["bits"], self.wide)
        if op == "dim":
            return np.array([at["value"]], np.int64)
        if op == "iota":
            return np.arange(at["len"])[None].astype(storage(n["dtype"], self.wide))
        if op == "permute":
            return args[0].transpose([0] + [1 + p for p in at["perm"]])
        if op == "reshape":
            return args[0].reshape([args[0].shape[0], *n["shape"]])
        if op == "broadcast":
            x = args[0]
            for axis, _ in at["insert"]:
                x = np.expand_dims(x, axis + 1)
            return np.broadcast_to(x, [x.shape[0], *n["shape"]])
        if op == "slice":
            return self.slices(args[0], at["axes"])
        if op == "pad":
            return self.pads(args[0], args[1], at["axes"], n["shape"])
        if op == "concat":
            return np.concatenate([self.spread(x) for x in args], axis=at["axis"] + 1)
        if op == "gather":
            return self.gather(args[0], args[1], at, n["shape"])
        if op == "map":
            return self.map(at["function"], args, kinds, n["dtype"])
        if op == "reduce":
            return self.fold(at["monoid"], at, args, kinds[0], at["acc"])
        if op == "contract":
            return self.fold("product", at, args, kinds[0], at["acc"])
        if op == "argsort":
            return self.argsort(args[0], at)
        if op in ("softmax", "log_softmax", "layer_norm", "rms_norm", "gelu_erf", "gelu_tanh"):
            return self.composite(op, at, args, kinds[0])
        raise Unsupported(f"kind {op}")

    def slices(self, x, axes):
        for i, (start, step, length) in enumerate(axes):
            places = start + step * np.arange(length)
            if length and (places.min() < 0 or places.max() >= x.shape[i + 1]):
                raise Undefined
            x = x.take(places.astype(np.int64), axis=i + 1)
        return x

    def pads(self, x, value, axes, shape):
        inside = np.ones([1] * (len(shape) + 1), bool)
        for i, (lo, _, inner) in enumerate(axes):
            place = np.arange(shape[i]) - lo
            known = (place % (inner + 1) == 0) & (place >= 0) & (place // (inner + 1) < x.shape[i + 1])
            if x.shape[i + 1] == 0:
                return np.broadcast_to(value.reshape([-1] + [1] * len(shape)), [value.shape[0], *shape])
            x = x.take(np.where(known, place // (inner + 1), 0), axis=i + 1)
            inside = inside & known.reshape([1] * (i + 1) + [-1] + [1] * (len(shape) - i - 1))
        return np.where(inside, x, value.reshape([-1] + [1] * len(shape)))

    def gather(self, data, index, at, shape):
        out = [np.arange(d).reshape([1] * (i + 1) + [-1] + [1] * (len(shape) - i - 1)) for i, d in enumerate(shape)]
        count = sum(d is None for d in at["data"])
        rows = np.arange(self.samples).reshape([-1] + [1] * len(shape))
        index = self.spread(index)
        places, component = [rows], 0
        for axis, label in enumerate(at["data"]):
            if label is not None:
                places.append(out[label])
                continue
            where = [rows] + [out[l] for l in at["ix"]] + ([component] if count != 1 else [])
            place = index[tuple(where)].astype(np.int64)
            component += 1
            extent = data.shape[axis + 1]
            if at["wraps"]:
                place = np.where(place < 0, place + extent, place)
            outside = (place < 0) | (place >= extent)
            self.mark(np.broadcast_to(outside, [self.samples, *shape]))
            if extent == 0 and 0 not in shape:
                raise Undefined
            places.append(np.where(outside, 0, place))
        return self.spread(data)[tuple(places)] if 0 not in shape else np.zeros([1, *shape], data.dtype)

    def argsort(self, x, at):
        x, axis = self.spread(x), at["axis"] + 1
        if at["descending"]:
            back = np.flip(x, axis)
            order = x.shape[axis] - 1 - np.flip(np.argsort(back, axis=axis, kind="stable"), axis)
        else:
            order = np.argsort(x, axis=axis, kind="stable")
        return order.take(np.arange(at["keep"]), axis=axis).astype(np.int64)

    def arithmetic(self, f, dtype, *xs):
        """Half types compute in f32 and round once."""
        half = dtype in ("f16", "bf16") and not self.wide
        y = f(*[x.astype(np.float32) for x in xs]) if half else f(*xs)
        return y.astype(storage(dtype, self.wide))

    def map(self, f, xs, kinds, dtype):
        x, kind = xs[0], kinds[0]
        if f.startswith("cast:"):
            return self.cast(x, kind, f[5:])
        if f.startswith("bitcast:"):
            if self.wide and (kind in FLOATS or dtype in FLOATS):
                raise Unsupported("bits of real numbers")
            return np.ascontiguousarray(x).view(storage(dtype, False))
        if f == "select":
            return np.where(*xs)
        if f in ("eq", "lt", "le"):
            return {"eq": np.equal, "lt": np.less, "le": np.less_equal}[f](*xs)
        if f == "is_nan":
            return np.isnan(x)
        if f.startswith("is_inf"):
            return np.isinf(x) & {"is_inf": True, "is_inf_pos": x > 0, "is_inf_neg": x < 0}[f]
        if kind == "bool":
            ops = {"and": np.logical_and, "min": np.logical_and, "or": np.logical_or, "max": np.logical_or}
            ops |= {"xor": np.logical_xor, "not": np.logical_not}
            if f not in ops:
                raise Unsupported(f"{f} of bool")
            return ops[f](*xs)
        if kind in FLOATS:
            if f in UNARY:
                return steady(UNARY[f], x)
            if f == "pow":
                return steady(np.power, *xs)
            ops = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "min": np.minimum}
            ops |= {"max": np.maximum, "rem_floor": np.mod, "rem_trunc": np.fmod} | PLAIN
            if f not in ops:
                raise Unsupported(f"{f} of {kind}")
            return self.arithmetic(ops[f], dtype, *xs)
        return self.integers(f, xs, kinds)

    def integers(self, f, xs, kinds):
        x = xs[0]
        ops = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
        ops |= {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert}
        ops |= {"neg": np.negative, "abs": np.abs, "sign": np.sign}
        if f in ops:
            return ops[f](*xs)
        if f == "pow" and kinds[1] not in FLOATS and kinds[1] != "bool":
            return int_power(*xs)
        if f in ("div", "rem_trunc", "rem_floor"):
            zero = np.broadcast_to(xs[1] == 0, np.broadcast_shapes(x.shape, xs[1].shape))
            self.mark(zero)
            y = np.where(xs[1] == 0, xs[1].dtype.type(1), xs[1])
            if x.dtype.kind == "i":
                # The least number by -1 wraps; the remainder is 0.
                minus = y == -1
                y = np.where(minus, y.dtype.type(1), y)
                quotient = (np.sign(x) * np.sign(y)) * (np.abs(x.astype(object)) // np.abs(y.astype(object)))
                quotient = np.where(minus, np.negative(x), quotient.astype(x.dtype))
                rest = np.where(minus, x.dtype.type(0), np.fmod(x, y))
                floor = np.where(minus, x.dtype.type(0), np.mod(x, y))
            else:
                quotient, rest, floor = x // y, np.fmod(x, y), np.mod(x, y)
            return {"div": quotient, "rem_trunc": rest, "rem_floor": floor}[f]
        if f in ("shl", "shr"):
            width = 8 * x.dtype.itemsize
            inside = (xs[1] >= 0) & (xs[1] < width)
            by = np.where(inside, xs[1], 0).astype(x.dtype)
            if f == "shl":
                return np.where(inside, np.left_shift(x, by), 0)
            return np.where(inside, np.right_shift(x, by), np.where(x < 0, -1, 0) if x.dtype.kind == "i" else 0)
        raise Unsupported(f"{f} of {kinds[0]}")

    def cast(self, x, kind, to):
        target = storage(to, self.wide)
        if kind in FLOATS and to == "bool":
            return x != 0
        if kind in FLOATS and to not in FLOATS:
            # Out of range is the machine's business: such samples say nothing.
            info = np.iinfo(DTYPES[to])
            wide = x.astype(np.float64)
            outside = ~(np.isfinite(wide) & (np.trunc(wide) >= info.min) & (np.trunc(wide) <= min(info.max, 2.0**62)))
            self.vague |= self.per_sample(outside)
            return np.where(outside, 0, np.trunc(wide)).astype(target)
        if to == "bool":
            return x != 0
        if to in ("f16", "bf16") and kind not in FLOATS and not self.wide:
            return x.astype(np.float64).astype(target)
        return x.astype(target)

    def fold(self, monoid, at, args, kind, acc):
        """Folds term by term, row-major over the folded labels, skipping terms whose window lies outside."""
        extents, rank = at["extents"], at["rank"]
        shape, folded = extents[:rank], extents[rank:]
        hold = storage(acc, self.wide)
        grid = [np.arange(d).reshape([1] * i + [-1] + [1] * (rank - i - 1)) for i, d in enumerate(shape)]
        flat = kind == "bool"
        start = {"sum": 0, "product": 0, "prod": 1, "or": 0, "and": 1}.get(monoid)
        if monoid in ("max", "min"):
            low = monoid == "max"
            if acc in FLOATS:
                start = -np.inf if low else np.inf
            elif flat:
                start = not low
            else:
                start = np.iinfo(hold).min if low else np.iinfo(hold).max
        arg = monoid.startswith("arg")
        samples = max(x.shape[0] for x in args)
        total = None if arg else np.full([samples, *shape], start, dtype=np.bool_ if flat else hold)
        best = None
        for number, folds in enumerate(np.ndindex(*folded)):
            valid, product = np.ones([1, *shape], bool), None
            for x, axes in zip(args, at["ins"]):
                places, known = [], np.ones(shape, bool)
                for i, ix in enumerate(axes):
                    pick = lambda l: grid[l] if l < rank else folds[l - rank]
                    if isinstance(ix, int):
                        places.append(np.broadcast_to(pick(ix), shape))
                        continue
                    out, tap, stride, dil, lo, in_dil = ix
                    place = stride * pick(out) + dil * pick(tap) - lo
                    inside = (place % in_dil == 0) & (place // in_dil >= 0) & (place // in_dil < x.shape[i + 1])
                    known = known & inside
                    places.append(np.broadcast_to(np.where(inside, place // in_dil, 0), shape))
                if any(d == 0 for d in x.shape[1:]):
                    valid = valid & False
                    term = np.zeros([1, *shape], x.dtype)
                elif not places:
                    term = x.reshape([-1] + [1] * rank)
                else:
                    term = x[(slice(None), *places)]
                valid = valid & known[None]
                term = term if arg or flat else term.astype(hold)
                product = term if product is None else self.arithmetic(np.multiply, acc, product, term)
            if arg:
                best = self.better(monoid, best, product, valid, number)
                continue
            if flat:
                step = (total | product) if monoid in ("or", "max", "sum") else (total & product)
            else:
                f = {"sum": np.add, "product": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
                if monoid not in f:
                    raise Unsupported(f"{monoid} of {kind}")
                step = self.arithmetic(f[monoid], acc, total, product)
            total = np.where(valid, step, total)
        if arg:
            if best is None or not best[2].all():
                if 0 in shape:
                    return np.zeros([1, *shape], np.int64)
                raise Undefined
            return best[1]
        return total

    def better(self, monoid, best, x, valid, number):
        x = np.broadcast_to(x, (x.shape[0], *valid.shape[1:]))
        here = np.full(x.shape, number, np.int64)
        if best is None:
            return x, here, np.broadcast_to(valid, x.shape)
        old, place, seen = best
        less = (lambda a, b: a < b) if monoid.startswith("argmax") else (lambda a, b: a > b)
        wins = less(old, x) | ((old == x) & monoid.endswith("last"))
        if x.dtype.kind == "f":
            wins = np.where(np.isnan(old), np.isnan(x) & monoid.endswith("last"), wins | np.isnan(x))
        wins = valid & (wins | ~seen)
        return np.where(wins, x, old), np.where(wins, here, place), seen | valid

    def composite(self, op, at, args, kind):
        x = args[0]
        f = lambda name, *xs, of=kind: self.map(name, list(xs), [of] * len(xs), of).astype(storage(of, self.wide))
        number = lambda v, of=kind: np.array(v).astype(storage(of, False)).astype(storage(of, self.wide)).reshape([1] * x.ndim)
        sums = "f32" if kind in ("f16", "bf16") else kind

        def fold(monoid, x, axes, of=kind, acc=None):
            rank = x.ndim - 1
            kept = [i for i in range(rank) if i not in axes]
            label = {a: i for i, a in enumerate(kept + list(axes))}
            spec = {"rank": len(kept), "extents": [x.shape[1 + a] for a in kept + list(axes)], "ins": [[label[i] for i in range(rank)]]}
            y = self.fold(monoid, spec, [x], of, acc or of).astype(storage(of, self.wide))
            return np.expand_dims(y, tuple(a + 1 for a in axes))

        if op in ("softmax", "log_softmax"):
            axis = [at["axis"]]
            d = f("sub", x, fold("max", x, axis))
            e = f("exp", d)
            total = fold("sum", e, axis, acc=sums)
            return f("div", e, total) if op == "softmax" else f("sub", d, f("log", total))
        if op in ("layer_norm", "rms_norm"):
            rank, stash = x.ndim - 1, at["stash"]
            axes = list(range(rank - at["axes"], rank))
            acc = "f32" if stash in ("f16", "bf16") else stash
            count = number(float(np.prod([x.shape[1 + a] for a in axes])), stash)
            mean = lambda v: f("div", fold("sum", v, axes, of=stash, acc=acc), count, of=stash)
            wide = self.cast(x, kind, stash)
            d = f("sub", wide, mean(wide), of=stash) if op == "layer_norm" else wide
            epsilon = bits_to_array("f64", [], [at["epsilon_bits"]], True)[0]
            var = f("add", mean(f("mul", d, d, of=stash)), number(epsilon, stash), of=stash)
            y = self.cast(f("div", d, f("sqrt", var, of=stash), of=stash), stash, kind)
            like = lambda v: v.reshape([v.shape[0]] + [1] * (rank - at["axes"]) + list(v.shape[1:]))
            scaled = f("mul", y, like(args[1]))
            return f("add", scaled, like(args[2])) if op == "layer_norm" else scaled
        if op == "gelu_erf":
            inner = f("erf", f("div", x, number(math.sqrt(2.0))))
        else:
            cubic = f("add", x, f("mul", number(0.044715), f("mul", f("mul", x, x), x)))
            inner = f("tanh", f("mul", number(math.sqrt(2.0 / math.pi)), cubic))
        return f("mul", f("mul", x, f("add", number(1.0), inner)), number(0.5))


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
EXTREME = SPECIAL + [0.1, -2.5, 0.5, 2.0, 1e-40, -1e-45, 1.2e-38, 3.4e38, -3.4e38, 16777217.0, 70000.0, 88.8, 6e-8]


def values(rng, dtype, shape, samples, numeric):
    """Random elements; each sample has a style of its own, so that special values do not drown every sum."""
    size = (samples, *shape)
    style = lambda options: rng.choice(options, size=[samples] + [1] * len(shape))
    if dtype == "bool":
        return rng.random(size) < style([0.1, 0.5, 0.9])
    if dtype not in FLOATS:
        info = np.iinfo(DTYPES[dtype])
        full = rng.integers(info.min, info.max, size=size, dtype=DTYPES[dtype], endpoint=True)
        small = rng.integers(max(info.min, -4), 5, size=size).astype(DTYPES[dtype])
        edges = np.array([0, 1, 2, info.min, info.max, info.max - 1, info.max // 2 + 1], dtype=DTYPES[dtype])
        kind = style([0, 1, 2])
        return np.where(kind == 0, full, np.where(kind == 1, small, rng.choice(edges, size=size)))
    uniform = rng.uniform(-4, 4, size=size)
    whole = rng.integers(-4, 5, size=size).astype(np.float64) + 0.0
    x = np.where(style([0, 1, 1]) == 0, whole, uniform)
    x = np.where(style([0, 0, 1]) == 1, np.abs(x) + 0.0, x)
    if numeric in ("exact", "reassociates"):
        specials = EXTREME if numeric == "exact" else SPECIAL
        x = np.where(rng.random(size) < style([0.0, 0.0, 0.15, 0.6]), rng.choice(specials, size=size), x)
        if numeric == "exact":
            x = x * np.where(style([0] * 7 + [1]) == 1, np.exp2(rng.integers(-60, 61, size=size)), 1.0)
    with np.errstate(all="ignore"):
        return x.astype(storage(dtype, False))


LOOSE = ("reduce", "contract", "softmax", "log_softmax", "layer_norm", "rms_norm", "gelu_erf", "gelu_tanh")


def loose_zero(graph):
    """Whether the sign of a zero may differ: it went through a fold, min or max."""
    return any(n["op"] in LOOSE or (n["op"] == "map" and n["attrs"]["function"] in ("min", "max")) for n in graph["nodes"])


def rounded(graph):
    """Whether a number of the graph is no short binary fraction, so that real values differ by its rounding."""
    for n in graph["nodes"]:
        if n["op"] == "const" and n["dtype"] in FLOATS:
            x = bits_to_array(n["dtype"], n["shape"], n["attrs"]["bits"], True)
            x = x[np.isfinite(x)]
            if np.any(np.mod(x * 1024, 1) != 0):
                return True
    return any(n["op"].startswith("gelu") for n in graph["nodes"])


def differing(numeric, left, right, given, samples):
    """The samples that have a value, and those of them whose results differ by more than the class allows; both results."""
    integers = all(n["dtype"] not in FLOATS for n in left["nodes"] + right["nodes"])
    strict = numeric == "exact" or integers
    a = Run(left, given, not strict, samples)
    usable = ~(a.bad | a.vague)
    scale, finite = a.measure()
    if numeric in ("finite", "approximates") and not integers:
        usable &= finite
    try:
        b = Run(right, given, not strict, samples)
    except Undefined:
        return usable, usable, a.result, None
    usable &= ~b.vague
    x, y = a.result, b.result
    if a.dtype != b.dtype or x.shape != y.shape:
        raise Unsupported("sides of two types")
    if a.dtype in FLOATS:
        both_nan = np.isnan(x) & np.isnan(y)
        if strict:
            bits = f"u{x.dtype.itemsize}"
            same = np.ascontiguousarray(x).view(bits) == np.ascontiguousarray(y).view(bits)
            if loose_zero(left) or loose_zero(right):
                same |= (x == 0) & (y == 0)
        else:
            unit = 64 * UNIT[a.dtype] if rounded(left) or rounded(right) else 1e-9
            unit = 1e-4 if numeric == "approximates" else unit
            scale = np.maximum(scale, b.measure()[0])
            slack = (unit * scale).reshape([-1] + [1] * (x.ndim - 1))
            with np.errstate(invalid="ignore"):
                same = (x == y) | (np.abs(x - y) <= slack)
        same |= both_nan
    else:
        same = x == y
    wrong = ~same.reshape(samples, -1).all(axis=1) | b.bad
    return usable, wrong & usable, x, y


def shown(x):
    return np.array2string(np.asarray(x), threshold=40, max_line_width=10**6).replace("\n", "")


def judge(request):
    left, right, samples = request["left"], request["right"], request["samples"]
    rng = np.random.default_rng(request["seed"])
    given = [values(rng, t["dtype"], t["shape"], samples, request["class"]) for t in left["inputs"]]
    try:
        usable, wrong, x, y = differing(request["class"], left, right, given, samples)
    except Undefined:
        return {"equal": 0}
    if not wrong.any():
        return {"equal": int(usable.sum())}
    s = int(np.argmax(wrong))
    right_value = "no value" if y is None else shown(y[s])
    return {"wrong": f"{shown(x[s])} and {right_value} for {'; '.join(shown(g[s]) for g in given)}"}


for line in sys.stdin:
    try:
        answer = judge(json.loads(line))
    except Unsupported as e:
        answer = {"unsupported": str(e)}
    except Exception as e:  # What is wrong here is said to the one who asks, which stops.
        answer = {"failed": repr(e)}
    print(json.dumps(answer), flush=True)
