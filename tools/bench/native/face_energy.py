"""Energies of the faces of a grid under JAX or Autograd: python face_energy.py LIBRARY ENERGY SIDE DTYPE.

ENERGY is `dirichlet` or `stvk`. Prints milliseconds of the energy, of its gradient, and with JAX of the Hessians of all faces, not yet
assembled, as JSON; exit status 3 where there is no such library.
"""

import json
import sys

from python_peer import least, library_of

library, energy, side, dtype = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
peer, np, version = library_of(library, dtype)

import numpy

kind = numpy.float32 if dtype == "f32" else numpy.float64
rows, columns = numpy.meshgrid(numpy.arange(side), numpy.arange(side), indexing="ij")
x, y = columns.ravel() / (side - 1), rows.ravel() / (side - 1)
corner = (numpy.arange(side - 1)[:, None] * side + numpy.arange(side - 1)).ravel()
faces = numpy.concatenate(
    [numpy.stack([corner, corner + 1, corner + side], 1), numpy.stack([corner + 1, corner + side + 1, corner + side], 1)]
)
rest = numpy.stack([x, y, 0.3 * numpy.sin(3 * x) * y if energy == "dirichlet" else 0 * x], 1)

# Of each face its area, and the gradients of its hat functions in the plane of the face.
a, b = rest[faces[:, 1]] - rest[faces[:, 0]], rest[faces[:, 2]] - rest[faces[:, 0]]
areas = numpy.linalg.norm(numpy.cross(a, b), axis=1) / 2
along = numpy.linalg.norm(a, axis=1)
edges = numpy.zeros((len(faces), 2, 2))
edges[:, 0, 0], edges[:, 0, 1] = along, numpy.sum(a * b, 1) / along
edges[:, 1, 1] = 2 * areas / along
inverse = numpy.linalg.inv(edges)
hats = numpy.concatenate([-inverse.sum(1, keepdims=True), inverse], 1)
areas, hats = areas.astype(kind), hats.astype(kind)

if energy == "dirichlet":
    start = rest[:, :2].astype(kind)
else:
    start = numpy.stack([1.1 * x, 1.1 * y, 0.1 * numpy.sin(9 * 1.1 * x)], 1).astype(kind)
mu, bulk = 400.0, 250.0


def of_faces(corners, area, hat):
    """Energies of faces by their corners."""
    F = np.einsum("...kc,...kd->...cd", corners, hat)
    if energy == "dirichlet":
        det = F[..., 0, 0] * F[..., 1, 1] - F[..., 0, 1] * F[..., 1, 0]
        return area * np.sum(F * F, axis=(-2, -1)) * (1 + 1 / (det * det))
    E = (np.einsum("...cd,...ce->...de", F, F) - numpy.eye(2, dtype=kind)) / 2
    trace = E[..., 0, 0] + E[..., 1, 1]
    return area * (mu * np.sum(E * E, axis=(-2, -1)) + bulk / 2 * trace * trace)


def total(at):
    return np.sum(of_faces(at[faces], areas, hats))


found = {"version": version}
if library == "jax":
    value, gradient = peer.jit(total), peer.jit(peer.value_and_grad(total))
    hessians = peer.jit(peer.vmap(peer.hessian(of_faces)))
    corners = start[faces]
    found["energy"] = least(lambda: value(start).block_until_ready())
    found["gradient"] = least(lambda: gradient(start)[1].block_until_ready())
    found["Hessian"] = least(lambda: hessians(corners, areas, hats).block_until_ready())
else:
    gradient = peer.grad(total)
    found["energy"] = least(lambda: total(start))
    found["gradient"] = least(lambda: gradient(start))
print(json.dumps(found))
