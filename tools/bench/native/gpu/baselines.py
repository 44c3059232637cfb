"""Measures what the programs `rate-*` and `algebra-*` do by CuPy, on the same device, and writes baselines.json."""

import json
import os
import sys

import numpy as np

try:
    import cupy as cp
    import cupyx.scipy.sparse as sparse
except ImportError as e:
    sys.exit(f"CuPy is not here ({e}): pip install cupy-cuda13x")

ROW = 8


def folder(name):
    return os.path.join("programs", name)


def elements(name):
    """How many results a kernel has: the number that its launch is given."""
    with open(os.path.join(folder(f"rate-{name}"), "calls.txt")) as calls:
        launches = [line.split() for line in calls if line.startswith("launch")]
    return int(launches[-1][-1])


def seconds(run, repeats=20):
    """Of one run, the median of several."""
    run()
    times = []
    for _ in range(repeats):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(begin, end) / 1e3)
    return sorted(times)[repeats // 2]


def saxpy(n):
    x, y = cp.arange(n, dtype=cp.float64) % 97, cp.ones(n)
    add = cp.ElementwiseKernel("float64 x", "float64 y", "y += 0.5 * x", "saxpy")
    return lambda: add(x, y)


def stencil(n):
    x, y = cp.arange(n + 2, dtype=cp.float64) % 97, cp.empty(n)
    add = cp.ElementwiseKernel("float64 l, float64 m, float64 r", "float64 y", "y = l + r - 2 * m", "stencil")
    return lambda: add(x[:-2], x[1:-1], x[2:], y)


def spmv(n):
    columns = (cp.arange(n, dtype=cp.int64)[:, None] + cp.arange(ROW)[None, :]) % n
    starts = cp.arange(n + 1, dtype=cp.int32) * ROW
    a = sparse.csr_matrix((cp.full(n * ROW, 0.125), columns.astype(cp.int32).ravel(), starts), shape=(n, n))
    x = cp.arange(n, dtype=cp.float64) % 97
    return lambda: a @ x


EXPRESSIONS = {
    "power-2": lambda L: L @ L,
    "lmlt-plus-k": lambda L, M, K: L @ M @ L.T.tocsr() + K,
}


def matrices(name):
    """The compressed rows that lie beside a program, by the names of the matrices: shape, entries, columns, starts."""
    path = folder(f"algebra-{name}")
    read = lambda file, kind: np.fromfile(os.path.join(path, file), kind)
    found = {}
    for file in sorted(os.listdir(path)):
        matrix, _, rest = file.partition(".")
        if rest != "shape.txt":
            continue
        with open(os.path.join(path, file)) as text:
            shape = tuple(int(n) for n in text.read().split())
        parts = read(f"{matrix}.values.f64", "f8"), read(f"{matrix}.columns.i32", "i4"), read(f"{matrix}.starts.i32", "i4")
        found[matrix] = (shape, parts)
    return found, read("expected.f64", "f8")


def algebra(name):
    """Seconds of an expression on the device, and with its numbers sent there and read from there. The answer is checked first."""
    given, expected = matrices(name)
    evaluate = EXPRESSIONS[name]
    there = {m: sparse.csr_matrix(tuple(map(cp.asarray, parts)), shape=shape) for m, (shape, parts) in given.items()}

    def whole():
        for m, (_, parts) in given.items():
            there[m].data.set(parts[0])
        return evaluate(**there).data.get()

    result = evaluate(**there)
    result.sort_indices()
    values = result.data.get()
    if values.size != expected.size or not np.allclose(values, expected, rtol=1e-9, atol=1e-9 * abs(expected).max()):
        sys.exit(f"CuPy's result of {name} is another: {values.size} entries, {expected.size} expected")
    return {f"{name} values": seconds(lambda: evaluate(**there)), f"{name} whole": seconds(whole)}


def has(program):
    return os.path.isdir(folder(program))


if __name__ == "__main__":
    rows = {run.__name__: seconds(run(elements(run.__name__))) for run in (saxpy, stencil, spmv) if has(f"rate-{run.__name__}")}
    for name in EXPRESSIONS:
        if has(f"algebra-{name}"):
            rows.update(algebra(name))
    with open("baselines.json", "w") as out:
        json.dump({"library": f"CuPy {cp.__version__}", "seconds": rows}, out, indent=1)
