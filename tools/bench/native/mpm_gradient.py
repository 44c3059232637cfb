"""Particles and a grid (MLS-MPM in the plane, f32) under Taichi, on one thread: the loss, and its gradient by all first velocities."""

import json
import math
import sys

import python_peer

n, count, steps = map(int, sys.argv[1:4])
try:
    import taichi as ti
except ImportError:
    sys.exit(3)

ti.init(arch=ti.cpu, default_fp=ti.f32, cpu_max_num_threads=1, offline_cache=False, log_level=ti.ERROR)
dt, stiff, gravity, wall = 0.0064 / n, 10.0, 3.8, 3

vec, mat = ti.types.vector(2, ti.f32), ti.types.matrix(2, 2, ti.f32)
x, v = ti.Vector.field(2, ti.f32), ti.Vector.field(2, ti.f32)
C, F = ti.Matrix.field(2, 2, ti.f32), ti.Matrix.field(2, 2, ti.f32)
momentum, u, mass = ti.Vector.field(2, ti.f32), ti.Vector.field(2, ti.f32), ti.field(ti.f32)
loss = ti.field(ti.f32)
ti.root.dense(ti.i, steps + 1).dense(ti.j, count).place(x, v, C, F)
ti.root.dense(ti.ij, n).place(momentum, mass, u)
ti.root.place(loss)
ti.root.lazy_grad()


@ti.kernel
def begin():
    along = ti.cast(ti.ceil(ti.sqrt(ti.cast(count, ti.f32))), ti.i32)
    for p in range(count):
        x[0, p] = vec(0.3 + 0.4 * (p % along + 0.5) / along, 0.3 + 0.4 * (p // along + 0.5) / along)
        v[0, p] = vec(1.0 + ti.sin(1.0 * p), -1.0)
        C[0, p] = mat(0, 0, 0, 0)
        F[0, p] = mat(1, 0, 0, 1)


@ti.kernel
def empty():
    for i, j in mass:
        momentum[i, j], u[i, j], mass[i, j] = vec(0, 0), vec(0, 0), 0.0
        momentum.grad[i, j], u.grad[i, j], mass.grad[i, j] = vec(0, 0), vec(0, 0), 0.0


@ti.kernel
def empty_gradients():
    for t, p in x:
        x.grad[t, p], v.grad[t, p] = vec(0, 0), vec(0, 0)
        C.grad[t, p], F.grad[t, p] = mat(0, 0, 0, 0), mat(0, 0, 0, 0)


@ti.func
def around(at):
    base = ti.cast(at * n - 0.5, ti.i32)
    off = at * n - ti.cast(base, ti.f32)
    return base, off, ti.Matrix.cols([0.5 * (1.5 - off) ** 2, 0.75 - (off - 1) ** 2, 0.5 * (off - 0.5) ** 2])


@ti.kernel
def to_grid(t: ti.i32):
    for p in range(count):
        deformed = F[t, p] + dt * C[t, p] @ F[t, p]
        F[t + 1, p] = deformed
        J = deformed.determinant()
        R, S = ti.polar_decompose(deformed)
        stress = 2 * stiff * (deformed - R) @ deformed.transpose() + ti.Matrix.identity(ti.f32, 2) * stiff * (J - 1) * J
        affine = C[t, p] - 4 * n * n * dt * stress
        base, off, w = around(x[t, p])
        for i, j in ti.static(ti.ndrange(3, 3)):
            away = (vec(i, j) - off) / n
            share = w[0, i] * w[1, j]
            momentum[base + ti.Vector([i, j])] += share * (v[t, p] + affine @ away)
            mass[base + ti.Vector([i, j])] += share


@ti.kernel
def on_grid():
    for i, j in mass:
        w = momentum[i, j] / (mass[i, j] + 1e-10) - vec(0, gravity * dt)
        if (i < wall and w[0] < 0) or (i > n - wall and w[0] > 0):
            w[0] = 0
        if (j < wall and w[1] < 0) or (j > n - wall and w[1] > 0):
            w[1] = 0
        u[i, j] = w


@ti.kernel
def to_particles(t: ti.i32):
    for p in range(count):
        base, off, w = around(x[t, p])
        speed, turn = vec(0, 0), mat(0, 0, 0, 0)
        for i, j in ti.static(ti.ndrange(3, 3)):
            part = w[0, i] * w[1, j] * u[base + ti.Vector([i, j])]
            speed += part
            turn += 4 * n * part.outer_product(vec(i, j) - off)
        v[t + 1, p], C[t + 1, p] = speed, turn
        x[t + 1, p] = x[t, p] + dt * speed


@ti.kernel
def far():
    for p in range(count):
        loss[None] += (x[steps, p].dot(x[steps, p])) / count


def forward():
    for t in range(steps):
        empty()
        to_grid(t)
        on_grid()
        to_particles(t)
    loss[None] = 0
    far()
    return loss[None]


def both():
    value = forward()
    empty_gradients()
    loss.grad[None] = 1
    far.grad()
    for t in reversed(range(steps)):
        # The grid of a step is made again: it was overwritten.
        empty()
        to_grid(t)
        on_grid()
        to_particles.grad(t)
        on_grid.grad()
        to_grid.grad(t)
    return value, [v.grad[0, p][k] for p in range(4) for k in range(2)]


begin()
value, gradient = both()
if not math.isfinite(value):
    sys.exit(1)
times = {"loss": python_peer.least(forward), "gradient": python_peer.least(both)}
print(json.dumps({"version": ".".join(map(str, ti.__version__)), **times, "value": value, "first": gradient}))
