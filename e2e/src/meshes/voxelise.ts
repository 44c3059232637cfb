import { fail } from '@filigree/ir';
import type { Mesh } from './mesh.js';

/** Cells of a grid of n × n × n over the unit cube: coordinates i, j, k of each, ascending by i, then j, then k. */
export interface Voxels {
  readonly n: number;
  readonly coordinates: Int32Array;
}

export const voxelCount = ({ coordinates }: Voxels): number => coordinates.length / 3;

/** The mesh moved and scaled so that its longest side just fits the cube from `low` to `high`, centred in it. */
export const fitted = (mesh: Mesh, low: number, high: number): Mesh => {
  const v = mesh.vertices;
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < v.length; k++) {
    least[k % 3] = Math.min(least[k % 3], v[k]);
    most[k % 3] = Math.max(most[k % 3], v[k]);
  }
  const scale = (high - low) / Math.max(...most.map((m, a) => m - least[a]));
  const centre = (low + high) / 2;
  const vertices = v.map((x, k) => centre + scale * (x - (least[k % 3] + most[k % 3]) / 2));
  return { ...mesh, vertices };
};

/** The cells that a face of the mesh touches. The mesh must lie in the unit cube (`voxels/outside`). */
export const surfaceVoxels = (mesh: Mesh, n: number): Voxels => {
  const inside = cellFlags(mesh, n);
  for (let f = 0; f < mesh.faces.length; f += 3) markTriangle(triangleOf(mesh, f, n), n, inside);
  return voxelsOf(n, inside);
};

/**
 * The cells whose centres lie within the surface: those that a line along k enters and has not left. Where the surface is
 * not closed and a line enters more often than it leaves, that line's cells are left out. The mesh must lie in the unit
 * cube (`voxels/outside`).
 */
export const solidVoxels = (mesh: Mesh, n: number): Voxels => {
  const inside = cellFlags(mesh, n);
  const crossings: number[][] = Array.from({ length: n * n }, () => []);
  for (let f = 0; f < mesh.faces.length; f += 3) addCrossings(triangleOf(mesh, f, n), n, crossings);
  crossings.forEach((heights, column) => {
    if (heights.length % 2 === 1) return;
    heights.sort((a, b) => a - b);
    for (let c = 0; c < heights.length; c += 2)
      for (let k = Math.ceil(heights[c] - 0.5); k + 0.5 < heights[c + 1]; k++) inside[column * n + k] = 1;
  });
  return voxelsOf(n, inside);
};

type Point = readonly [number, number, number];
type Triangle = readonly [Point, Point, Point];

const cellFlags = (mesh: Mesh, n: number): Uint8Array => {
  for (const x of mesh.vertices)
    if (!(x >= 0 && x <= 1))
      fail('voxels/outside', `the mesh has a coordinate of ${x}, outside the unit cube`, { remedy: 'use fitted()' });
  return new Uint8Array(n * n * n);
};

const voxelsOf = (n: number, inside: Uint8Array): Voxels => {
  const coordinates = new Int32Array(3 * inside.reduce((sum, flag) => sum + flag, 0));
  let at = 0;
  for (let cell = 0; cell < inside.length; cell++) {
    if (inside[cell] === 0) continue;
    coordinates[at++] = Math.floor(cell / (n * n));
    coordinates[at++] = Math.floor(cell / n) % n;
    coordinates[at++] = cell % n;
  }
  return { n, coordinates };
};

/** A face, its corners measured in cells. */
const triangleOf = ({ vertices, faces }: Mesh, f: number, n: number): Triangle => {
  const corner = (k: number): Point => {
    const v = 3 * faces[f + k];
    return [n * vertices[v], n * vertices[v + 1], n * vertices[v + 2]];
  };
  return [corner(0), corner(1), corner(2)];
};

const sub = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/**
 * Marks the cells that overlap a triangle: those which no axis separates from it. The axes are the sides of the cell (its
 * bounding box), the triangle's normal, and the products of both's edges.
 */
const markTriangle = (corners: Triangle, n: number, inside: Uint8Array): void => {
  const edges = [sub(corners[1], corners[0]), sub(corners[2], corners[1]), sub(corners[0], corners[2])];
  const units: readonly Point[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // prettier-ignore
  const axes = [cross(edges[0], edges[1]), ...edges.flatMap((e) => units.map((u) => cross(e, u)))];
  const ranges = axes.map((axis) => {
    const places = corners.map((c) => dot(axis, c));
    const reach = (Math.abs(axis[0]) + Math.abs(axis[1]) + Math.abs(axis[2])) / 2;
    return { axis, low: Math.min(...places) - reach, high: Math.max(...places) + reach };
  });
  const cells = (a: number): readonly [number, number] => [
    Math.max(0, Math.floor(Math.min(...corners.map((c) => c[a])))),
    Math.min(n - 1, Math.floor(Math.max(...corners.map((c) => c[a])))),
  ];
  const [[i0, i1], [j0, j1], [k0, k1]] = [cells(0), cells(1), cells(2)];
  for (let i = i0; i <= i1; i++)
    for (let j = j0; j <= j1; j++)
      for (let k = k0; k <= k1; k++) {
        const centre: Point = [i + 0.5, j + 0.5, k + 0.5];
        const separated = ranges.some(({ axis, low, high }) => {
          const place = dot(axis, centre);
          return place < low || place > high;
        });
        if (!separated) inside[(i * n + j) * n + k] = 1;
      }
};

/* Lines through centres are moved by this much of a cell, so that they do not run through edges that two faces share. */
const ASIDE = [1.3e-5, 2.9e-5] as const;

/** Where the lines along k through the centres of cells cross a triangle. */
const addCrossings = ([a, b, c]: Triangle, n: number, crossings: readonly number[][]): void => {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area === 0) return;
  const range = (axis: 0 | 1): readonly [number, number] => [
    Math.max(0, Math.floor(Math.min(a[axis], b[axis], c[axis]) - 0.5)),
    Math.min(n - 1, Math.ceil(Math.max(a[axis], b[axis], c[axis]) - 0.5)),
  ];
  const [[i0, i1], [j0, j1]] = [range(0), range(1)];
  for (let i = i0; i <= i1; i++)
    for (let j = j0; j <= j1; j++) {
      const [x, y] = [i + 0.5 + ASIDE[0], j + 0.5 + ASIDE[1]];
      const part = (p: Point, q: Point): number => ((p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x)) / area;
      const [wa, wb, wc] = [part(b, c), part(c, a), part(a, b)];
      if (wa >= 0 && wb >= 0 && wc >= 0) crossings[i * n + j].push(wa * a[2] + wb * b[2] + wc * c[2]);
    }
};
