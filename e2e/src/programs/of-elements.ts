import type { ElementsWord } from '@filigree/specialize';
import { clothScope } from './cloth.js';
import { cotanScope } from './cotan.js';

/** Where the corners of each face are, and where each of the values that a face adds goes, of its table. */
export interface ElementTables {
  readonly count: number;
  readonly corners: readonly Int32Array[];
  readonly slots: readonly Int32Array[];
}

/**
 * The programs of `cotan.ts` and `cloth.ts` with their loop over faces as one body: what a face does is said, and traced, once. Results are the same.
 *
 * @param V vertex coordinates, by vertex and axis
 */
export function cotanOfElements(
  elements: ElementsWord,
  V: number[][],
  { count, corners, slots }: ElementTables,
  nonZeros: number,
): { L: number[]; M: number[] } {
  const L = new Array<number>(nonZeros).fill(0);
  const M = new Array<number>(V.length).fill(0);
  elements(count, { V, L, M, corners, slots }, ({ V, L, M, corners, slots }) => {
    const [a, b, c] = corners;
    const edges = [between(V, b, c), between(V, c, a), between(V, a, b)];
    const doubleArea = length(cross(edges[0], edges[1]));
    for (let k = 0; k < 3; k++) {
      const cot = -dot(edges[(k + 1) % 3], edges[(k + 2) % 3]) / doubleArea;
      L[slots[4 * k]] += cot;
      L[slots[4 * k + 1]] += cot;
      L[slots[4 * k + 2]] -= cot;
      L[slots[4 * k + 3]] -= cot;
      M[corners[k]] += doubleArea / 6;
    }
  });
  return { L, M };
}

/** The lower half of the cloth's Hessian, derived by hand: each two of a face's nine coordinates once. */
export function clothHessianOfElements(
  elements: ElementsWord,
  X: number[][],
  areas: number[],
  gradients: number[][],
  stretch: number,
  shear: number,
  { count, corners, slots }: ElementTables,
  nonZeros: number,
): number[] {
  const H = new Array<number>(nonZeros).fill(0);
  elements(count, { X, areas, gradients, H, corners, slots }, ({ X, areas, gradients, H, corners, slots }, f) => {
    const block = faceHessian(cornersOf(X, corners), entries(gradients, f), areas[f], stretch, shear);
    let slot = 0;
    for (let i = 0; i < 9; i++) for (let j = 0; j <= i; j++) H[slots[slot++]] += block[9 * i + j];
  });
  return H;
}

/** The energy of the cloth, to differentiate. */
export function clothEnergyOfElements(
  elements: ElementsWord,
  X: number[][],
  areas: number[],
  gradients: number[][],
  stretch: number,
  shear: number,
  { count, corners }: ElementTables,
): number {
  const energy = [0];
  elements(count, { X, areas, gradients, energy, corners }, ({ X, areas, gradients, energy, corners }, f) => {
    const { u, v } = tangents(cornersOf(X, corners), entries(gradients, f));
    const stretchU = areas[f] * (Math.sqrt(dot(u, u)) - 1);
    const stretchV = areas[f] * (Math.sqrt(dot(v, v)) - 1);
    const shearUV = areas[f] * dot(u, v);
    energy[0] += (stretch * (stretchU * stretchU + stretchV * stretchV) + shear * shearUV * shearUV) / 2;
  });
  return energy[0];
}

function between(V: number[][], from: number, to: number): number[] {
  return [V[to][0] - V[from][0], V[to][1] - V[from][1], V[to][2] - V[from][2]];
}

function cornersOf(X: number[][], corners: number[]): number[] {
  const x: number[] = [];
  for (let i = 0; i < 3; i++) for (let c = 0; c < 3; c++) x.push(X[corners[i]][c]);
  return x;
}

function entries(gradients: number[][], f: number): number[] {
  const own: number[] = [];
  for (let i = 0; i < 6; i++) own.push(gradients[f][i]);
  return own;
}

const { cross, dot, length } = cotanScope;
const { faceHessian, tangents } = clothScope;

/** What the programs of this file refer to, for whoever rewrites their source. */
export const ofElementsScope = {
  ...clothScope,
  between,
  cornersOf,
  entries,
  cross,
  dot,
  length,
};

/** Tables of faces: corners, and the slots of the triplets of each face, `width` of them. */
export const faceTables = (
  faces: ArrayLike<number>,
  width: number,
  slotOf: (face: number, k: number) => number,
): ElementTables => {
  const count = faces.length / 3;
  const table = (of: (f: number) => number): Int32Array => Int32Array.from({ length: count }, (_, f) => of(f));
  return {
    count,
    corners: [0, 1, 2].map((k) => table((f) => faces[3 * f + k])),
    slots: Array.from({ length: width }, (_, k) => table((f) => slotOf(f, k))),
  };
};

/** The tables of `clothHessianOfElements`, from the slots of the 81 entries of each face (`clothAssembly`), where one of two mirrored entries is kept. */
export const clothTables = (faces: ArrayLike<number>, slots: ArrayLike<number>): ElementTables => {
  const pairs = Array.from({ length: 9 }, (_, i) =>
    Array.from({ length: i + 1 }, (_, j) => [9 * i + j, 9 * j + i]),
  ).flat();
  return faceTables(faces, pairs.length, (f, k) => Math.max(slots[81 * f + pairs[k][0]], slots[81 * f + pairs[k][1]]));
};
