import {
  clothRest,
  gridMesh,
  stvkCloth,
  stvkClothScope,
  symmetricDirichlet,
  symmetricDirichletScope,
  type Problem,
} from '@filigree/e2e';
import type { Num } from '@filigree/ir';
import { symbolic } from '@filigree/lang/numeric';
import type { BaselineInputs } from '../native/baseline.js';

/** What is computed of an energy, in the order in which `native/face_energy.cpp` counts. */
export const WHATS = ['energy', 'gradient', 'Hessian'] as const;

export type What = (typeof WHATS)[number];

/** An energy of the faces of a mesh, at one place. */
export interface FaceEnergy {
  readonly title: string;
  /** Coordinates of a vertex. */
  readonly dimension: 2 | 3;
  /** The plain function at this place. */
  readonly value: () => number;
  /** The program that computes one of these as `out`, from the energy alone. */
  readonly problem: (what: What) => Problem;
  readonly native: BaselineInputs;
  /** The energy and the vertices a side, as `native/face_energy.py` takes them. */
  readonly python: readonly [string, number];
}

/** The symmetric Dirichlet energy of a flat image of a curved grid with so many vertices a side. */
export const dirichletOf = (side: number): FaceEnergy => {
  const { faces, vertices } = gridMesh(side, side, (x, y) => 0.3 * Math.sin(3 * x) * y);
  const { areas, gradients } = clothRest(vertices, faces);
  const uv = vertices.filter((_, k) => k % 3 < 2);
  const traced = symbolic(symmetricDirichlet, { scope: symmetricDirichletScope });
  return {
    title: `symmetric Dirichlet energy, ${count(faces)} faces`,
    dimension: 2,
    value: () => symmetricDirichlet(uv, faces, areas, gradients),
    problem: problemOf(uv, areas, gradients, (x, a, g) => traced(x, faces, a, g)),
    native: { reals: [uv, areas, gradients], integers: [faces] },
    python: ['dirichlet', side],
  };
};

/** The energy of St. Venant and Kirchhoff of a stretched cloth with so many vertices a side. */
export const stvkOf = (side: number): FaceEnergy => {
  const { faces, vertices } = gridMesh(side, side);
  const { areas, gradients } = clothRest(vertices, faces);
  const x = vertices.map((c, k) => (k % 3 === 2 ? c + 0.1 * Math.sin(9 * vertices[k - 2]) : 1.1 * c));
  const [mu, lambda] = [400, 250];
  const traced = symbolic(stvkCloth, { scope: stvkClothScope });
  return {
    title: `cloth after St. Venant and Kirchhoff, ${count(faces)} faces`,
    dimension: 3,
    value: () => stvkCloth(x, faces, areas, gradients, mu, lambda),
    problem: problemOf(x, areas, gradients, (y, a, g) => traced(y, faces, a, g, mu, lambda)),
    native: { reals: [x, areas, gradients, [mu, lambda]], integers: [faces] },
    python: ['stvk', side],
  };
};

const problemOf =
  (
    x: ArrayLike<number>,
    areas: ArrayLike<number>,
    gradients: ArrayLike<number>,
    energy: (x: Num[], areas: Num[], gradients: Num[]) => Num,
  ) =>
  (what: What): Problem => ({
    title: what,
    program: {
      inputs: { x: x.length, areas: areas.length, gradients: gradients.length },
      run: (inputs, { gradient, hessian }) => {
        const at = inputs.x as Num[];
        const out = energy(at, inputs.areas as Num[], inputs.gradients as Num[]);
        return { out: what === 'energy' ? out : what === 'gradient' ? gradient(out, at) : hessian(out, at) };
      },
    },
    values: { x, areas, gradients },
    evaluate: () => ({}),
  });

const count = (faces: ArrayLike<number>): string => (faces.length / 3).toLocaleString('en');
