import type { Num } from '@filigree/ir';
import { symbolic } from '@filigree/lang/numeric';
import type { ElementsWord } from '@filigree/specialize';
import { vertexCount, type Mesh } from '../meshes/index.js';
import {
  clothEnergyOfElements,
  clothHessianOfElements,
  clothTables,
  cotanAssembly,
  cotanOfElements,
  faceTables,
  nonZeros,
  ofElementsScope,
} from '../programs/index.js';
import { clothHessianProblem, cotanProblem, requireSamePattern, type ClothInput } from './mesh-problems.js';
import type { Problem } from './problem.js';

/** What an inner function of a body is called with, reached from rewritten code as it is. */
const scope = ofElementsScope;

/** `cotanProblem` with the loop over faces as one body, whose cost of compiling does not grow with the faces but by their leaves. */
export const cotanOfElementsProblem = (mesh: Mesh): Problem => {
  const assembly = cotanAssembly(mesh.faces, vertexCount(mesh));
  const plain = cotanProblem(mesh, assembly);
  const tables = faceTables(mesh.faces, 12, (f, k) => assembly.slots[12 * f + k]);
  return {
    ...plain,
    title: `${plain.title}, as elements`,
    program: {
      inputs: { vertices: [vertexCount(mesh), 3] },
      run: (inputs, { elements }) =>
        symbolic(cotanOfElements, { scope })(
          elements as never,
          inputs.vertices as unknown as number[][],
          tables as never,
          nonZeros(assembly.pattern),
        ) as unknown as { L: Num[]; M: Num[] },
    },
  };
};

/** `clothHessianProblem` with the loop over faces as one body. */
export const clothHessianOfElementsProblem = (cloth: ClothInput): Problem => {
  const plain = clothHessianProblem(cloth);
  const { pattern, slots } = cloth.assembly;
  const tables = clothTables(cloth.faces, slots);
  return {
    ...plain,
    title: `${plain.title}, as elements`,
    program: {
      inputs: clothInputs(cloth),
      run: (inputs, { elements }) => ({
        H: symbolic(clothHessianOfElements, { scope })(
          ...clothArguments(elements, inputs),
          tables as never,
          nonZeros(pattern),
        ) as unknown as Num[],
      }),
    },
  };
};

/** The same by differentiating the energy of one face. */
export const clothDerivedOfElementsProblem = (cloth: ClothInput): Problem => {
  const plain = clothHessianProblem(cloth);
  const tables = clothTables(cloth.faces, cloth.assembly.slots);
  return {
    ...plain,
    title: `${plain.title}, by differentiation, as elements`,
    program: {
      inputs: clothInputs(cloth),
      run: (inputs, { elements, hessian }) => {
        const energy = symbolic(clothEnergyOfElements, { scope })(...clothArguments(elements, inputs), tables as never);
        const H = hessian(energy as unknown as Num, inputs.vertices as never, { half: 'lower' });
        requireSamePattern(H.pattern, cloth.assembly.pattern);
        return { H };
      },
    },
  };
};

const clothInputs = ({ vertices, areas }: ClothInput) => ({
  vertices: [vertices.length / 3, 3],
  areas: areas.length,
  gradients: [areas.length, 6],
  stiffness: 2,
});

const clothArguments = (elements: ElementsWord, inputs: Readonly<Record<string, unknown>>) => {
  const [stretch, shear] = inputs.stiffness as number[];
  return [
    elements as never,
    inputs.vertices as number[][],
    inputs.areas as number[],
    inputs.gradients as number[][],
    stretch,
    shear,
  ] as const;
};
