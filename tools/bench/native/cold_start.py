"""
What it takes to begin with an application of sparse fields in Taichi, nothing from a cache: from `ti.init` to the end of its first step, less
what a second one takes, and less what gives fields their first values. Kernels, layouts and sizes are those of `filigree run`, as far as
Taichi's words go. Usage: cold_start.py NAME; prints JSON. Ends with status 3 where there is no Taichi.
"""

import json
import sys
import time

try:
    import taichi as ti
except ImportError:
    sys.exit(3)

begin = time.perf_counter()
ti.init(arch=ti.cpu, offline_cache=False, cpu_max_num_threads=1, log_level=ti.ERROR, default_fp=ti.f32)


def mpm(dim, n, count):
    dt, mass, vol, mu, lam, g0, wall = 1e-4, 1.0, 1.0, 1e3, 1e3, 9.8, 3
    B = 8 if dim == 2 else 4
    x = ti.Vector.field(dim, ti.f32)
    v = ti.Vector.field(dim, ti.f32)
    C = ti.Matrix.field(dim, dim, ti.f32)
    F = ti.Matrix.field(dim, dim, ti.f32)
    g = ti.Vector.field(dim + 1, ti.f32)
    list_ = ti.field(ti.i32)
    ti.root.dense(ti.i, count).place(x, v, C, F)
    ax = ti.ij if dim == 2 else ti.ijk
    top = ti.root.pointer(ax, n // B)
    top.dense(ax, B).place(g)
    top.dynamic(ti.k if dim == 2 else ti.l, 4096, chunk_size=64).place(list_)

    @ti.kernel
    def init():
        for p in x:
            for d in ti.static(range(dim)):
                x[p][d] = 0.3 + 0.4 * ti.random()
            F[p] = ti.Matrix.identity(ti.f32, dim)

    @ti.func
    def base_of(xp):
        return int(xp * n - 0.5)

    @ti.kernel
    def step():
        for p in x:
            F[p] = F[p] + dt * C[p] @ F[p]
            J = F[p].determinant()
            R = ti.Matrix.identity(ti.f32, dim)
            if ti.static(dim == 2):
                R, S = ti.polar_decompose(F[p])
            else:
                U, sig, V = ti.svd(F[p])
                R = U @ V.transpose()
            stress = 2 * mu * (F[p] - R) @ F[p].transpose() + ti.Matrix.identity(ti.f32, dim) * lam * (J - 1) * J
            C[p] = mass * C[p] - stress * (4 * n * n * dt * vol)
        for p in x:
            b = base_of(x[p]) // B
            if ti.static(dim == 2):
                ti.append(list_.parent(), [b[0], b[1]], p)
            else:
                ti.append(list_.parent(), [b[0], b[1], b[2]], p)
        for I in ti.grouped(list_):
            p = list_[I]
            base = base_of(x[p])
            fx = x[p] * n - base.cast(ti.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            for off in ti.static(ti.grouped(ti.ndrange(*((3,) * dim)))):
                dpos = (off.cast(ti.f32) - fx) / n
                weight = 1.0
                for d in ti.static(range(dim)):
                    weight *= w[off[d]][d]
                mom = v[p] * mass + C[p] @ dpos
                for d in ti.static(range(dim)):
                    g[base + off][d] += weight * mom[d]
                g[base + off][dim] += weight * mass
        for I in ti.grouped(g):
            m = g[I][dim]
            if m > 0:
                for d in ti.static(range(dim)):
                    u = g[I][d] / m
                    if ti.static(d == 1):
                        u -= gravity(dt)
                    if I[d] < wall:
                        u = ti.max(u, 0.0)
                    if I[d] > n - wall:
                        u = ti.min(u, 0.0)
                    g[I][d] = u
        for I in ti.grouped(list_):
            p = list_[I]
            base = base_of(x[p])
            fx = x[p] * n - base.cast(ti.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            nv = ti.Vector.zero(ti.f32, dim)
            nC = ti.Matrix.zero(ti.f32, dim, dim)
            for off in ti.static(ti.grouped(ti.ndrange(*((3,) * dim)))):
                dpos = off.cast(ti.f32) - fx
                weight = 1.0
                for d in ti.static(range(dim)):
                    weight *= w[off[d]][d]
                gv = ti.Vector([g[base + off][d] for d in ti.static(range(dim))])
                nv += weight * gv
                nC += 4 * n * weight * gv.outer_product(dpos)
            v[p] = nv
            C[p] = nC
            x[p] += dt * nv

    @ti.func
    def gravity(dt):
        return dt * g0

    def once():
        top.deactivate_all()
        step()

    return init, once


def fem(n):
    import numpy as np

    M = 8
    u, p, q, r = (ti.Vector.field(3, ti.f32) for _ in range(4))
    lam, mu, free = (ti.field(ti.f32) for _ in range(3))
    top = ti.root.pointer(ti.ijk, (n + 2 * M) // 8)
    for f in (u, p, q, r, lam, mu, free):
        top.dense(ti.ijk, 8).place(f)
    corners = [[a >> 2 & 1, a >> 1 & 1, a & 1] for a in range(8)]

    def slopes(a, b):
        P = [2 * c - 1 for c in corners[a]]
        Q = [2 * c - 1 for c in corners[b]]

        def entry(s, t):
            out = 1.0
            for ax in range(3):
                pp, qq = P[ax], Q[ax]
                out *= (pp * qq if ax == t else pp / 2) if ax == s else (qq / 2 if ax == t else (3 + pp * qq) / 12)
            return out

        return np.array([[entry(s, t) for t in range(3)] for s in range(3)])

    L = [[slopes(a, b) for b in range(8)] for a in range(8)]
    K = [[L[a][b].T + np.eye(3) * np.trace(L[a][b]) for b in range(8)] for a in range(8)]
    L = [[ti.Matrix(m.tolist()) for m in row] for row in L]
    K = [[ti.Matrix(m.tolist()) for m in row] for row in K]

    @ti.kernel
    def init():
        for i, j, k in ti.ndrange(n, n, n):
            free[i + M, j + M, k + M] = 1
            lam[i + M, j + M, k + M] = 1
            mu[i + M, j + M, k + M] = 1
            r[i + M, j + M, k + M] = [0, -1, 0]
            p[i + M, j + M, k + M] = [0, -1, 0]

    @ti.kernel
    def multiply() -> ti.f64:
        pq = ti.cast(0.0, ti.f64)
        for i, j, k in free:
            force = ti.Vector([0.0, 0.0, 0.0])
            for a, b, c in ti.static(ti.ndrange(2, 2, 2)):
                x, y, z = i + a - 1, j + b - 1, k + c - 1
                byL = ti.Vector([0.0, 0.0, 0.0])
                byM = ti.Vector([0.0, 0.0, 0.0])
                for d, e, f in ti.static(ti.ndrange(2, 2, 2)):
                    w = p[x + d, y + e, z + f]
                    byL += L[7 - 4 * a - 2 * b - c][4 * d + 2 * e + f] @ w
                    byM += K[7 - 4 * a - 2 * b - c][4 * d + 2 * e + f] @ w
                force += byL * lam[x, y, z] + byM * mu[x, y, z]
            q[i, j, k] = force * free[i, j, k]
            pq += ti.cast(p[i, j, k].dot(q[i, j, k]), ti.f64)
        return pq

    @ti.kernel
    def rho() -> ti.f64:
        s = ti.cast(0.0, ti.f64)
        for I in ti.grouped(r):
            s += ti.cast(r[I].dot(r[I]), ti.f64)
        return s

    @ti.kernel
    def advance(a: ti.f32):
        for I in ti.grouped(u):
            u[I] += a * p[I]
            r[I] -= a * q[I]

    @ti.kernel
    def follow(b: ti.f32):
        for I in ti.grouped(p):
            p[I] = r[I] + b * p[I]

    def once():
        old = rho()
        a = old / multiply()
        advance(a)
        follow(rho() / old)

    return init, once


def mgpcg(n, levels=5):
    x, p, q = (ti.field(ti.f32) for _ in range(3))
    z, r, res = ([ti.field(ti.f32) for _ in range(levels)] for _ in range(3))
    for l in range(levels):
        for f in [z[l], r[l], res[l]] + ([x, p, q] if l == 0 else []):
            ti.root.pointer(ti.ijk, n // 2**l // 8 + 2).dense(ti.ijk, 8).place(f)

    @ti.func
    def around(u, i, j, k):
        return u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1]

    @ti.kernel
    def init():
        for i, j, k in ti.ndrange(n, n, n):
            r[0][i + 8, j + 8, k + 8] = 1.0
            p[i + 8, j + 8, k + 8] = 1.0
            q[i + 8, j + 8, k + 8] = 0.0
            x[i + 8, j + 8, k + 8] = 0.0
            for l in ti.static(range(levels)):
                s = 2**l
                z[l][i // s + 8, j // s + 8, k // s + 8] = 0.0
                r[l][i // s + 8, j // s + 8, k // s + 8] = 1.0
                res[l][i // s + 8, j // s + 8, k // s + 8] = 0.0

    @ti.kernel
    def start(z: ti.template(), r: ti.template()):
        for i, j, k in z:
            z[i, j, k] = r[i, j, k] / 6 if (i + j + k) % 2 == 0 else 0.0

    @ti.kernel
    def relax(z: ti.template(), r: ti.template(), c: ti.i32):
        for i, j, k in z:
            if (i + j + k) % 2 == c:
                z[i, j, k] = (r[i, j, k] + around(z, i, j, k)) / 6

    @ti.kernel
    def restrict(z: ti.template(), r: ti.template(), res: ti.template(), co: ti.template()):
        for i, j, k in z:
            res[i, j, k] = r[i, j, k] - 6 * z[i, j, k] + around(z, i, j, k)
        for I, J, K in co:
            s = 0.0
            for a, b, c in ti.static(ti.ndrange((-8, -6), (-8, -6), (-8, -6))):
                s += res[2 * I + a, 2 * J + b, 2 * K + c]
            co[I, J, K] = s / 2

    @ti.kernel
    def prolong(z: ti.template(), co: ti.template()):
        for i, j, k in z:
            z[i, j, k] += co[i // 2 + 4, j // 2 + 4, k // 2 + 4]

    @ti.kernel
    def multiply() -> ti.f64:
        s = ti.cast(0.0, ti.f64)
        for i, j, k in p:
            q[i, j, k] = 6 * p[i, j, k] - around(p, i, j, k)
            s += ti.cast(p[i, j, k] * q[i, j, k], ti.f64)
        return s

    @ti.kernel
    def norm() -> ti.f64:
        s = ti.cast(0.0, ti.f64)
        for I in ti.grouped(r[0]):
            s += ti.cast(r[0][I] ** 2, ti.f64)
        return s

    @ti.kernel
    def rho() -> ti.f64:
        s = ti.cast(0.0, ti.f64)
        for I in ti.grouped(r[0]):
            s += ti.cast(r[0][I] * z[0][I], ti.f64)
        return s

    @ti.kernel
    def advance(a: ti.f32):
        for I in ti.grouped(x):
            x[I] += a * p[I]
            r[0][I] -= a * q[I]

    @ti.kernel
    def follow(b: ti.f32):
        for I in ti.grouped(p):
            p[I] = z[0][I] + b * p[I]

    def cycle(l):
        start(z[l], r[l])
        halves = 4
        for h in range(1, halves):
            relax(z[l], r[l], h % 2)
        if l + 1 < levels:
            restrict(z[l], r[l], res[l], r[l + 1])
            cycle(l + 1)
            prolong(z[l], z[l + 1])
        for h in range(halves - 1, -1, -1):
            relax(z[l], r[l], h % 2)

    def once():
        cycle(0)
        old = rho()
        a = old / multiply()
        advance(a)
        norm()
        cycle(0)
        follow(rho() / old)

    return init, once


def cnn(n, CH=16):
    inp, out, wt = (ti.field(ti.f32) for _ in range(3))
    vox = ti.root.pointer(ti.ijk, n // 4).bitmasked(ti.ijk, 4)
    vox.dense(ti.l, CH).place(inp)
    vox.dense(ti.l, CH).place(out)
    ti.root.dense(ti.ijkl, (3, 3, 3, CH * CH)).place(wt)

    @ti.kernel
    def init():
        for i, j in ti.ndrange(n - 8, n - 8):
            inp[i + 4, j + 4, n // 2, 0] = 1.0

    @ti.kernel
    def forward():
        for i, j, k, d in out:
            s = 0.0
            for a, b, c in ti.static(ti.ndrange(3, 3, 3)):
                if ti.is_active(vox, [i + a - 1, j + b - 1, k + c - 1]):
                    for e in range(CH):
                        s += wt[a, b, c, CH * e + d] * inp[i + a - 1, j + b - 1, k + c - 1, e]
            out[i, j, k, d] = s

    return init, forward


MAKERS = {
    "mpm2d": lambda: mpm(2, 256, 31212),
    "mpm3d": lambda: mpm(3, 64, 64215),
    "fem": lambda: fem(64),
    "mgpcg": lambda: mgpcg(128),
    "sparse-cnn": lambda: cnn(128),
}

if sys.argv[1] not in MAKERS:
    sys.exit(3)
fill, step = MAKERS[sys.argv[1]]()
# Memory of the fields, which the first launch would ask for.
ti.lang.impl.get_runtime().materialize()
ready = time.perf_counter()
fill()
ti.sync()
times = []
for _ in range(2):
    first = time.perf_counter()
    step()
    ti.sync()
    times.append(time.perf_counter() - first)
print(json.dumps({"version": ".".join(map(str, ti.__version__)), "ms": 1e3 * (ready - begin + times[0] - times[1])}))
