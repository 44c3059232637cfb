import { symbolic } from '@filigree/lang/numeric';
import type { TraceContext, TracedOutput } from '@filigree/specialize';
import { fail, type Num } from '@filigree/ir';
import { orientTets, vertexCount, type Mesh } from '../meshes/index.js';
import { randomNumbers } from '../meshes/random.js';
import {
  arapRightHandSide,
  arapScope,
  arapWeights,
  barycentricMass,
  clothAssembly,
  clothEnergy,
  clothHessian,
  clothRest,
  clothScope,
  cotanAssembly,
  cotanLaplacian,
  cotanScope,
  dualLaplacian,
  dualLaplacianAssembly,
  dualLaplacianScope,
  nonZeros,
  type Assembly,
} from '../programs/index.js';
import { samePattern, type CsrPattern } from '@filigree/sparse/formats';
import type { Problem } from './problem.js';

/** Cotan Laplacian `L` and barycentric mass `M` of a triangle mesh, from its `vertices` (paper §5.3). */
export const cotanProblem = (
  mesh: Mesh,
  assembly: Assembly = cotanAssembly(mesh.faces, vertexCount(mesh)),
): Problem => {
  const { faces, vertices } = mesh;
  const { pattern, slots } = assembly;
  const laplacian = symbolic(cotanLaplacian, { scope: cotanScope });
  const mass = symbolic(barycentricMass, { scope: cotanScope });
  return {
    title: `cotan Laplacian and mass, ${count(vertexCount(mesh))} vertices`,
    program: {
      capacity: 22 * faces.length,
      inputs: { vertices: vertices.length },
      run: (inputs) => {
        const V = inputs.vertices as Num[];
        return {
          L: laplacian(V, faces, slots, nonZeros(pattern)) as Num[],
          M: mass(V, faces, vertexCount(mesh)) as Num[],
        };
      },
    },
    values: { vertices },
    evaluate: ({ vertices: V }) => ({
      L: cotanLaplacian(V, faces, slots, nonZeros(pattern)),
      M: barycentricMass(V, faces, vertexCount(mesh)),
    }),
    tolerance: { f64: 1e-10, f32: 1e-3 },
  };
};

/** Dual Laplacian `L` and Voronoi mass `M` of a tetrahedral mesh of positive volumes, from its `vertices` (paper §5.4). */
export const dualLaplacianProblem = (
  given: Mesh,
  assembly: Assembly = dualLaplacianAssembly(orientTets(given).tets, vertexCount(given)),
): Problem => {
  const mesh = orientTets(given);
  const { tets, vertices } = mesh;
  const args = [tets, assembly.slots, nonZeros(assembly.pattern), vertexCount(mesh)] as const;
  const traced = symbolic(dualLaplacian, { scope: dualLaplacianScope });
  return {
    title: `dual Laplacian, ${count(vertexCount(mesh))} vertices, ${count(tets.length / 4)} tetrahedra`,
    program: {
      capacity: 140 * tets.length,
      inputs: { vertices: vertices.length },
      run: (inputs) => {
        const { L, M } = traced(inputs.vertices as Num[], ...args);
        return { L: L as Num[], M: M as Num[] };
      },
    },
    values: { vertices },
    evaluate: ({ vertices: V }) => dualLaplacian(V, ...args),
    // Circumcentres of flat tetrahedra lie far away: their errors in f32 are those of the mathematics.
    tolerance: { f64: 1e-8, f32: 2e-2 },
  };
};

/** The inputs of the local step: rest shape, deformed shape, and the neighbours with their weights. */
export interface ArapInput {
  readonly rest: Float64Array;
  readonly deformed: Float64Array;
  readonly weights: ArrayLike<number>;
  readonly neighbours: CsrPattern;
}

/** The local step's input for a mesh that is twisted about its vertical axis. */
export const arapInput = (mesh: Mesh): ArapInput => {
  const { pattern, slots } = cotanAssembly(mesh.faces, vertexCount(mesh));
  const local = arapWeights(pattern, cotanLaplacian(mesh.vertices, mesh.faces, slots, nonZeros(pattern)));
  return { rest: mesh.vertices, deformed: twisted(mesh.vertices), weights: local.weights, neighbours: local.pattern };
};

/**
 * The local step of as-rigid-as-possible deformation (paper §5.5): output `B`, three numbers a vertex. What enters and leaves
 * the decomposition of a vertex is tagged, so that one kernel computes all of it.
 */
export const arapProblem = ({ rest, deformed, weights, neighbours }: ArapInput): Problem => {
  const { rowPtr, colIdx } = neighbours;
  return {
    title: `as-rigid-as-possible local step, ${count(rest.length / 3)} vertices`,
    program: {
      capacity: 450 * rest.length,
      inputs: { deformed: deformed.length, rest: rest.length, weights: weights.length },
      run: (inputs, context) => {
        const scope = { ...arapScope, plainSvd3: arapScope.svd3, tag: new Tag(context), svd3: taggedSvd3 };
        const step = symbolic(arapRightHandSide, { scope });
        return {
          B: step(inputs.deformed as Num[], inputs.rest as Num[], inputs.weights as Num[], rowPtr, colIdx) as Num[],
        };
      },
    },
    values: { deformed, rest, weights },
    evaluate: (v) => ({ B: arapRightHandSide(v.deformed, v.rest, v.weights, rowPtr, colIdx) }),
    // Four sweeps leave rotations that are not yet exact, which magnifies rounding.
    tolerance: { f64: 1e-6, f32: 1e-3 },
  };
};

/** The inputs of the cloth's Hessian. */
export interface ClothInput {
  readonly faces: ArrayLike<number>;
  readonly vertices: Float64Array;
  readonly areas: ArrayLike<number>;
  readonly gradients: ArrayLike<number>;
  readonly stiffness: readonly [stretch: number, shear: number];
  readonly assembly: Assembly;
}

/** A cloth whose rest shape is the mesh, its vertices moved by up to a twentieth of an edge. */
export const clothInput = (mesh: Mesh, seed: number): ClothInput => {
  const { areas, gradients } = clothRest(mesh.vertices, mesh.faces);
  const random = randomNumbers(seed);
  const edge = Math.sqrt(areas[0]);
  return {
    faces: mesh.faces,
    vertices: mesh.vertices.map((x) => x + 0.1 * edge * (random() - 0.5)),
    areas,
    gradients,
    stiffness: [800, 200],
    assembly: clothAssembly(mesh.faces, vertexCount(mesh)),
  };
};

/**
 * The Hessian of a cloth's stretch and shear energy, derived by hand (paper §5.6): output `H`, the lower triangle. With
 * `tagged` the 81 entries of a face are tagged as one block; otherwise the blocks must be found.
 */
export const clothHessianProblem = (cloth: ClothInput, tagged = false): Problem => {
  const { faces, areas, gradients, assembly } = cloth;
  const { slots, pattern } = assembly;
  return {
    title: `cloth Hessian, ${count(cloth.vertices.length / 3)} vertices`,
    program: {
      capacity: 200 * faces.length,
      inputs: { vertices: cloth.vertices.length, areas: areas.length, gradients: gradients.length, stiffness: 2 },
      run: (inputs, context) => {
        const scope = tagged
          ? { ...clothScope, plainHessian: clothScope.faceHessian, tag: new Tag(context), faceHessian: taggedHessian }
          : clothScope;
        const [stretch, shear] = inputs.stiffness as Num[];
        const [V, A, G] = [inputs.vertices as Num[], inputs.areas as Num[], inputs.gradients as Num[]];
        return {
          H: symbolic(clothHessian, { scope })(V, faces, A, G, stretch, shear, slots, nonZeros(pattern)) as Num[],
        };
      },
    },
    values: { vertices: cloth.vertices, areas, gradients, stiffness: cloth.stiffness },
    evaluate: (v) => ({
      H: clothHessian(
        v.vertices,
        faces,
        v.areas,
        v.gradients,
        v.stiffness[0],
        v.stiffness[1],
        slots,
        nonZeros(pattern),
      ),
    }),
  };
};

/**
 * The same Hessian by differentiating the energy: the program is the energy alone, and pattern and values are found. The independent reference is the one that
 * was derived by hand.
 */
export const clothDerivedHessianProblem = (cloth: ClothInput): Problem => {
  const { faces, assembly } = cloth;
  const byHand = clothHessianProblem(cloth);
  return {
    title: `${byHand.title}, by differentiation`,
    program: {
      ...byHand.program,
      run: (inputs, { hessian }) => {
        const energy = symbolic(clothEnergy, { scope: clothScope });
        const [stretch, shear] = inputs.stiffness as Num[];
        const [V, A, G] = [inputs.vertices as Num[], inputs.areas as Num[], inputs.gradients as Num[]];
        const H = hessian(energy(V, faces, A, G, stretch, shear), V, { half: 'lower' });
        requireSamePattern(H.pattern, assembly.pattern);
        return { H };
      },
    },
    values: byHand.values,
    evaluate: byHand.evaluate,
  };
};

/** Entries are compared by their places, so both must have the same ones. */
export const requireSamePattern = (found: CsrPattern, expected: CsrPattern): void => {
  if (!samePattern(found, expected))
    fail(
      'example/pattern',
      `the pattern found has ${found.colIdx.length} entries, the one by hand ${expected.colIdx.length}`,
    );
};

/** Reaches the trace's tagging from rewritten code, which takes instances of classes as they are. */
class Tag {
  constructor(private readonly context: TraceContext) {}
  block<T extends TracedOutput>(values: T): T {
    return this.context.block(values);
  }
}

declare const tag: Tag;
declare const plainSvd3: typeof arapScope.svd3;
declare const plainHessian: typeof clothScope.faceHessian;

/** Only ever run in its rewritten form, with `tag` and `plainSvd3` in scope. */
function taggedSvd3(S: number[]): ArrayLike<number> {
  return tag.block(plainSvd3(tag.block(S)));
}

/** Only ever run in its rewritten form, with `tag` and `plainHessian` in scope. */
function taggedHessian(x: number[], B: number[], area: number, stretch: number, shear: number): number[] {
  return tag.block(plainHessian(x, B, area, stretch, shear));
}

/** Turned about the vertical axis, the more the higher up. */
const twisted = (v: Float64Array): Float64Array => {
  const out = new Float64Array(v.length);
  for (let i = 0; i < v.length; i += 3) {
    const [c, s] = [Math.cos(v[i + 1]), Math.sin(v[i + 1])];
    out.set([c * v[i] + s * v[i + 2], 1.1 * v[i + 1], c * v[i + 2] - s * v[i]], i);
  }
  return out;
};

const count = (n: number): string => n.toLocaleString('en');
