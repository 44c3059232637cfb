"""Measures what the kernels `rate-*` do by CuPy, on the same device, and writes baselines.json."""

import json
import sys

try:
    import cupy as cp
    import cupyx.scipy.sparse as sparse
except ImportError as e:
    sys.exit(f"CuPy is not here ({e}): pip install cupy-cuda13x")

ROW = 8


def elements():
    """How many results each kernel has: the number that its launch is given."""
    found = {}
    for name in ("saxpy", "stencil", "spmv"):
        with open(f"programs/rate-{name}/calls.txt") as calls:
            launches = [line.split() for line in calls if line.startswith("launch")]
        found[name] = int(launches[-1][-1])
    return found


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


if __name__ == "__main__":
    rows = {name: seconds(globals()[name](n)) for name, n in elements().items()}
    with open("baselines.json", "w") as out:
        json.dump({"version": 1, "cupy": cp.__version__, "seconds": rows}, out, indent=1)
    print(json.dumps(rows))
