"""Words of 10 + 12 + 10 bits stored by Taichi: python quant_store.py ELEMENTS THREADS.

Prints milliseconds of a run, fused and not, and how many elements are wrong, as JSON; exit status 3 where there is no Taichi.
"""

import json
import os
import sys
import time

os.environ.setdefault("TI_LOG_LEVEL", "error")
os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")
try:
    import taichi as ti
except ImportError:
    sys.exit(3)

count, threads = (int(a) for a in sys.argv[1:3])


def measured(fuse):
    ti.init(
        arch=ti.cpu,
        cpu_max_num_threads=threads,
        quant_opt_store_fusion=fuse,
        quant_opt_atomic_demotion=fuse,
        offline_cache=False,
    )
    low, middle, top = (ti.field(dtype=ti.types.quant.int(bits, True)) for bits in (10, 12, 10))
    words = ti.BitpackedFields(max_num_bits=32)
    words.place(low, middle, top)
    ti.root.dense(ti.i, count).place(words)

    @ti.kernel
    def store():
        for p in range(count):
            low[p] = p & 511
            middle[p] = 2047 - (p & 2047)
            top[p] = (p & 255) - 256

    @ti.kernel
    def wrong() -> ti.i32:
        bad = 0
        for p in range(count):
            if low[p] != p & 511 or middle[p] != 2047 - (p & 2047) or top[p] != (p & 255) - 256:
                bad += 1
        return bad

    store()
    ti.sync()
    bad = wrong()
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        store()
        ti.sync()
        times.append(1e3 * (time.perf_counter() - begin))
    return {"ms": sorted(times)[len(times) // 2], "wrong": bad}


print(json.dumps({"version": ".".join(map(str, ti.__version__)), "fused": measured(True), "single": measured(False)}))
