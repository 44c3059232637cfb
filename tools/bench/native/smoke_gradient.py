"""The smoke of the gallery under JAX, Autograd or PyTorch: python smoke_gradient.py LIBRARY SIZE STEPS SWEEPS DTYPE.

Prints milliseconds of the loss and of the loss with its gradient as JSON; exit status 3 where there is no such library.
"""

import json
import sys

from python_peer import least, library_of

library, dtype = sys.argv[1], sys.argv[5]
size, steps, sweeps = (int(a) for a in sys.argv[2:5])
peer, np, version = library_of(library, dtype)

import numpy

kind = numpy.float32 if dtype == "f32" else numpy.float64
rows, columns = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")


def project(vx, vy):
    div = 0.5 * (np.roll(vx, -1, 0) - np.roll(vx, 1, 0) + np.roll(vy, -1, 1) - np.roll(vy, 1, 1))
    p = np.zeros_like(div)
    for _ in range(sweeps):
        p = (np.roll(p, -1, 0) + np.roll(p, 1, 0) + np.roll(p, -1, 1) + np.roll(p, 1, 1) - div) / 4
    return (
        vx - 0.5 * (np.roll(p, -1, 0) - np.roll(p, 1, 0)),
        vy - 0.5 * (np.roll(p, -1, 1) - np.roll(p, 1, 1)),
    )


def carry(fields, ux, uy):
    x, y = rows - ux, columns - uy
    if library == "jax":
        a, b = np.floor(x).astype(int), np.floor(y).astype(int)
    elif library == "torch":
        a, b = np.floor(x).long(), np.floor(y).long()
    else:
        a, b = np.floor(np.array(getvalue(x))).astype(int), np.floor(np.array(getvalue(y))).astype(int)
    s, r = x - a, y - b
    a, b = a % size, b % size
    c, d = (a + 1) % size, (b + 1) % size
    return [(1 - s) * ((1 - r) * f[a, b] + r * f[a, d]) + s * ((1 - r) * f[c, b] + r * f[c, d]) for f in fields]


def getvalue(x):
    while hasattr(x, "_value"):
        x = x._value
    return x


def step(vx, vy, dye):
    ux, uy = project(vx, vy)
    return carry([ux, uy, dye], ux, uy)


i, j = numpy.meshgrid(numpy.arange(size), numpy.arange(size), indexing="ij")
first, target, wind = (
    (np.from_numpy if library == "torch" else np.array)(field.astype(kind))
    for field in (
        0.5 + 0.5 * numpy.cos(4 * numpy.pi * j / size),
        ((i - size / 2) ** 2 + (j - size / 2) ** 2 < (size / 3) ** 2) * 1.0,
        0.4 + 0.05 * numpy.sin(2 * numpy.pi * j / size),
    )
)

if library == "jax":
    once = peer.checkpoint(lambda state, _: (tuple(step(*state)), None))

    def loss(vx, vy):
        (_, _, dye), _ = peer.lax.scan(once, (vx, vy, first), None, length=steps)
        return np.mean((dye - target) ** 2)

    value, both = peer.jit(loss), peer.jit(peer.value_and_grad(loss, (0, 1)))
    done = peer.block_until_ready
else:

    def loss(vx, vy):
        dye = first
        for _ in range(steps):
            vx, vy, dye = step(vx, vy, dye)
        return np.mean((dye - target) ** 2)

    value, both = loss, lambda vx, vy: peer.value_and_grad(lambda v: loss(v[0], v[1]))((vx, vy))
    if library == "torch":

        def value(vx, vy):
            with peer.no_grad():
                return loss(vx, vy)

        def both(vx, vy):
            v = [x.clone().requires_grad_() for x in (vx, vy)]
            return peer.autograd.grad(loss(*v), v)

    done = lambda x: x


def timed(f):
    return least(lambda: done(f(wind, wind)))


print(json.dumps({"version": version, "loss": timed(value), "gradient": timed(both)}))
