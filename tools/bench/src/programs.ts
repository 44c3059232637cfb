import {
  arapInput,
  arapRightHandSide,
  barycentricMass,
  clothHessian,
  clothInput,
  cotanAssembly,
  cotanLaplacian,
  dualLaplacian,
  dualLaplacianAssembly,
  gridMesh,
  nonZeros,
  orientTets,
  subdivide,
  tetBox,
  vertexCount,
  type Assembly,
  type Mesh,
} from '@filigree/e2e';
import type { CsrPattern } from '@filigree/sparse/formats';
import type { BaselineInputs, NativeBaseline } from './native/baseline.js';

export type ProgramName = 'cotan' | 'dual-laplacian' | 'arap' | 'cloth-hessian';

/** All that a program reads, apart from its topology: named arrays of numbers. */
export interface ProgramProblem {
  readonly kind: 'program';
  readonly program: ProgramName;
  readonly mesh: Mesh;
  /** Where triplets go, for the programs that assemble a matrix. */
  readonly assembly?: Assembly;
  /** Neighbours of each vertex, for `arap`. */
  readonly neighbours?: CsrPattern;
  readonly reals: Readonly<Record<string, Float64Array>>;
}

/** How a program is set up, run plainly, and run by the native baselines. */
export interface ProgramCase {
  readonly title: string;
  /** A mesh of about `n` vertices; `base` is the mesh of the repository. */
  readonly mesh: (n: number, base: Mesh) => Mesh;
  readonly defaultN: number;
  /** The paper's own mesh, which is taken where nothing else is asked for and the test data has it. */
  readonly paperMesh?: string;
  readonly make: (mesh: Mesh) => ProgramProblem;
  /** The program on plain numbers; its outputs one after another. */
  readonly evaluate: (p: ProgramProblem) => Float64Array;
  readonly eigen: string;
  readonly inputs: (p: ProgramProblem) => BaselineInputs;
  /** The outputs of the baseline, in the order of `evaluate`. */
  readonly outputs: (b: NativeBaseline) => Float64Array;
  /** The baseline can compute values without assembling them. */
  readonly hasValues: boolean;
  /** Errors accepted in f64 and f32, where the usual ones are too strict. */
  readonly tolerance?: { readonly f64: number; readonly f32: number };
}

/** The experiments on meshes (§5.3 to §5.6). */
export const PROGRAM_CASES: Readonly<Record<ProgramName, ProgramCase>> = {
  cotan: {
    title: 'cotan Laplacian and barycentric mass',
    mesh: (n, base) => refine(base, n),
    defaultN: 46_850,
    paperMesh: 'meshes/cloth-and-tets/cloth4.off',
    make: (mesh) => ({
      kind: 'program',
      program: 'cotan',
      mesh,
      assembly: cotanAssembly(mesh.faces, vertexCount(mesh)),
      reals: { vertices: mesh.vertices },
    }),
    evaluate: ({ mesh, assembly, reals }) =>
      joined(
        assembly ? cotanLaplacian(reals.vertices, mesh.faces, assembly.slots, nonZeros(assembly.pattern)) : [],
        barycentricMass(reals.vertices, mesh.faces, vertexCount(mesh)),
      ),
    eigen: 'cotan',
    inputs: ({ mesh, reals }) => ({ reals: [reals.vertices], integers: [mesh.faces] }),
    outputs: (b) => joined(b.matrix(0).values, b.matrix(1).values),
    hasValues: true,
  },
  'dual-laplacian': {
    title: 'dual Laplacian and mass of tetrahedra',
    mesh: (n) => {
      const cells = Math.max(1, Math.round(Math.cbrt(n)) - 1);
      return tetBox(cells, cells, cells, 0.2);
    },
    defaultN: 21 ** 3,
    make: (given) => {
      const mesh = orientTets(given);
      return {
        kind: 'program',
        program: 'dual-laplacian',
        mesh,
        assembly: dualLaplacianAssembly(mesh.tets, vertexCount(mesh)),
        reals: { vertices: mesh.vertices },
      };
    },
    evaluate: ({ mesh, assembly, reals }) => {
      if (!assembly) return new Float64Array(0);
      const { L, M } = dualLaplacian(
        reals.vertices,
        mesh.tets,
        assembly.slots,
        nonZeros(assembly.pattern),
        vertexCount(mesh),
      );
      return joined(L, M);
    },
    eigen: 'dual_laplacian',
    inputs: ({ mesh, reals }) => ({ reals: [reals.vertices], integers: [mesh.tets] }),
    outputs: (b) => joined(b.matrix(0).values, b.matrix(1).values),
    hasValues: true,
    // Circumcentres of flat tetrahedra lie far away: their errors in f32 are those of the mathematics.
    tolerance: { f64: 1e-8, f32: 2e-2 },
  },
  arap: {
    title: 'as-rigid-as-possible local step',
    mesh: (n, base) => refine(base, n),
    defaultN: 46_850,
    make: (mesh) => {
      const { deformed, rest, weights, neighbours } = arapInput(mesh);
      return {
        kind: 'program',
        program: 'arap',
        mesh,
        neighbours,
        reals: { deformed, rest, weights: Float64Array.from(weights) },
      };
    },
    evaluate: ({ neighbours, reals }) =>
      neighbours
        ? Float64Array.from(
            arapRightHandSide(reals.deformed, reals.rest, reals.weights, neighbours.rowPtr, neighbours.colIdx),
          )
        : new Float64Array(0),
    eigen: 'arap',
    inputs: ({ neighbours, reals }) => ({
      matrices: neighbours ? [{ pattern: neighbours, values: reals.weights }] : [],
      reals: [reals.deformed, reals.rest],
    }),
    outputs: (b) => b.reals(0),
    hasValues: false,
    // Four sweeps, against sweeps until convergence.
    tolerance: { f64: 1e-6, f32: 1e-3 },
  },
  'cloth-hessian': {
    title: 'cloth stretch and shear Hessian',
    mesh: (n) => gridMesh(Math.round(Math.sqrt(n)), Math.round(Math.sqrt(n))),
    defaultN: 144 * 144,
    make: (mesh) => {
      const { vertices, areas, gradients, stiffness, assembly } = clothInput(mesh, 7);
      return {
        kind: 'program',
        program: 'cloth-hessian',
        mesh,
        assembly,
        reals: {
          vertices,
          areas: Float64Array.from(areas),
          gradients: Float64Array.from(gradients),
          stiffness: Float64Array.from(stiffness),
        },
      };
    },
    evaluate: ({ mesh, assembly, reals: { vertices, areas, gradients, stiffness } }) =>
      assembly
        ? Float64Array.from(
            clothHessian(
              vertices,
              mesh.faces,
              areas,
              gradients,
              stiffness[0],
              stiffness[1],
              assembly.slots,
              nonZeros(assembly.pattern),
            ),
          )
        : new Float64Array(0),
    eigen: 'cloth_hessian',
    inputs: ({ mesh, reals: { vertices, areas, gradients, stiffness } }) => ({
      reals: [vertices, areas, gradients, stiffness],
      integers: [mesh.faces],
    }),
    outputs: (b) => b.matrix(0).values,
    hasValues: true,
  },
};

/** The mesh cut finer until it has about `n` vertices. */
const refine = (mesh: Mesh, n: number): Mesh => (4 * vertexCount(mesh) < 1.5 * n ? refine(subdivide(mesh), n) : mesh);

const joined = (...parts: ArrayLike<number>[]): Float64Array => {
  const out = new Float64Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};
