"""The loops of escape.cpp by Taichi: python escape.py N.

Prints milliseconds of each and the mean of its picture, on one thread, as JSON; exit status 3 where there is no Taichi.
"""

import json
import os
import sys
import time

os.environ.setdefault("TI_LOG_LEVEL", "error")
os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")
try:
    import numpy
    import taichi as ti
except ImportError:
    sys.exit(3)

n = int(sys.argv[1])
ti.init(arch=ti.cpu, cpu_max_num_threads=1, offline_cache=False)
out = ti.field(dtype=ti.f32, shape=(n, n))


@ti.kernel
def mandelbrot():
    for i, j in out:
        cx, cy = 3.0 * i / n - 2.0, 3.0 * j / n - 1.5
        x, y, steps = 0.0, 0.0, 0
        while x * x + y * y < 4.0 and steps < 200:
            t = x * x - y * y + cx
            y = 2.0 * x * y + cy
            x = t
            steps += 1
        out[i, j] = steps


@ti.kernel
def julia():
    for i, j in out:
        z = ti.Vector([4.0 * i / n - 2.0, 2.0 * j / n - 1.0])
        steps = 0
        while z.norm() < 20.0 and steps < 50:
            z = ti.Vector([z[0] * z[0] - z[1] * z[1] - 0.8, 2.0 * z[0] * z[1] + 0.2])
            steps += 1
        out[i, j] = 1.0 - steps * 0.02


@ti.kernel
def march():
    for i, j in out:
        direction = ti.Vector([i / n - 0.5, j / n - 0.5, 1.0]).normalized()
        t = 0.0
        for k in range(64):
            p = direction * t + ti.Vector([0.0, 0.0, -3.0])
            d = ti.min(p.norm() - 1.0, (p - ti.Vector([1.0, 0.5, 0.0])).norm() - 0.5, p[1] + 1.2)
            if d < 1e-3 or t > 20.0:
                break
            t += d
        out[i, j] = t


@ti.kernel
def root():
    for i, j in out:
        y = j + 1.0
        x = 0.1 * i + 1.0
        while ti.abs(x * x * x - y) > 1e-4 * y:
            x -= (x * x * x - y) / (3.0 * x * x)
        out[i, j] = x


@ti.kernel
def gyroid():
    for i, j in out:
        direction = ti.Vector([i / n - 0.5, j / n - 0.5, 1.0]).normalized()
        t = 0.0
        for k in range(64):
            p = direction * t + ti.Vector([0.0, 0.5, -3.0])
            d = ti.sin(p[0]) * ti.cos(p[1]) + ti.sin(p[1]) * ti.cos(p[2]) + ti.sin(p[2]) * ti.cos(p[0]) + 0.9
            if d < 1e-3 or t > 20.0:
                break
            t += 0.5 * d
        out[i, j] = t


@ti.kernel
def kepler():
    for i, j in out:
        eccentricity, mean = 0.9 * i / n, 6.28 * j / n
        at, miss, k = mean, 1.0, 0
        while k < 30 and ti.abs(miss) > 1e-5:
            miss = at - eccentricity * ti.sin(at) - mean
            at -= miss / (1.0 - eccentricity * ti.cos(at))
            k += 1
        out[i, j] = at


squares = ti.field(ti.f32, 16384)
squares.from_numpy((numpy.arange(16384.0) ** 2 / 16384).astype(numpy.float32))


@ti.kernel
def search():
    for i, j in out:
        x = float((i * 7919 + j * 104729) % 16384)
        low, high = 0, 16384
        while low < high:
            middle = (low + high) >> 1
            if squares[middle] < x:
                low = middle + 1
            else:
                high = middle
        out[i, j] = low


density = ti.field(ti.f32, (64, 64, 64))
a, b, c = numpy.indices((64, 64, 64))
density.from_numpy((((a * 7 + b * 13 + c * 29) % 17) / 17).astype(numpy.float32))


@ti.kernel
def fog():
    for i, j in out:
        dx, dy = i / n - 0.5, j / n - 0.5
        z, light = 0.0, 1.0
        while z < 64.0 and light > 0.01:
            x, y = 32.0 + 0.9 * dx * z, 32.0 + 0.9 * dy * z
            d = density[int(x), int(y), int(z)]
            light *= 1.0 - 0.1 * d
            z += ti.select(d > 0.5, 0.25, 0.75)
        out[i, j] = light


@ti.kernel
def uneven():
    for i, j in out:
        most = ti.select(j % 32 == 0, 500.0, 1.0)
        x, k = 0.5, 0.0
        while k < most:
            x = x * 0.9 + 0.1 * k
            k += 1.0
        out[i, j] = x


def measured(kernel):
    kernel()
    ti.sync()
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        kernel()
        ti.sync()
        times.append(1e3 * (time.perf_counter() - begin))
    return {"ms": sorted(times)[len(times) // 2], "mean": float(out.to_numpy().mean())}


print(json.dumps({kernel.__name__: measured(kernel) for kernel in (mandelbrot, julia, march, gyroid, root, kepler, search, fog, uneven)}))
