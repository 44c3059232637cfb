import { fail } from '@filigree/ir';
import { gridMesh, tetBox, type Mesh } from '../meshes/index.js';
import { MATRIX_EXPRESSIONS } from '../programs/index.js';
import { spotOfSize } from '../spot.js';
import { argumentsOf, type Arguments } from './arguments.js';
import { described } from './described.js';
import {
  clothDerivedOfElementsProblem,
  clothHessianOfElementsProblem,
  cotanOfElementsProblem,
} from './element-problems.js';
import type { Example } from 'filigree';
import { laplacianOfMesh, laplacianOfSize, lmltMatrices, randomMatrices } from './experiment-matrices.js';
import { matrixProblem } from './matrix-problem.js';
import {
  arapInput,
  arapProblem,
  clothDerivedHessianProblem,
  clothHessianProblem,
  clothInput,
  cotanProblem,
  dualLaplacianProblem,
} from './mesh-problems.js';
import type { Problem } from './problem.js';
import { runProblem } from './run-program.js';

const experiment = (
  name: string,
  [group, shows, takes]: Parameters<typeof described>,
  known: readonly string[],
  problem: (args: Arguments, seed: number) => Problem,
): Example => ({
  name,
  rows: ['EX11'],
  ...described(group, shows, takes),
  traced: true,
  run: async (options) => {
    options.progress(0, 'make the input');
    return runProblem(problem(argumentsOf(options.args, known), options.seed), options);
  },
});

const random = (name: 'numeric-0' | 'numeric-1' | 'numeric-2', shows: string): Example => {
  const expression = MATRIX_EXPRESSIONS[name];
  return experiment(name, ['matrices', `${expression}: ${shows}, six entries a row`, 'n=ROWS'], ['n'], (args, seed) =>
    matrixProblem(expression, expression, randomMatrices('ABC', args.integer('n', 10_000, 6, MOST), seed)),
  );
};

/** Programs on matrices and meshes (the experiments of the expression-tree paper, §5, that need no derivatives). */
export const EXPERIMENTS: readonly Example[] = [
  random('numeric-0', 'sums, transposes and a product of random matrices'),
  random('numeric-1', 'a product of three random matrices'),
  random('numeric-2', 'a product of sums of random matrices'),
  experiment(
    'power',
    ['matrices', 'L^k: powers of a mesh Laplacian, whose rows fill up as k grows', 'k=2..4, mesh=FILE or n=ROWS'],
    ['k', 'mesh', 'n'],
    (args, seed) => {
      const k = args.integer('k', 3, 2, 4);
      const mesh = args.mesh();
      const L = mesh ? laplacianOfMesh(surface(mesh)) : laplacianOfSize(args.integer('n', 20_000, 4, MOST), seed);
      return matrixProblem(`L^${k}, ${L.pattern.rows.toLocaleString('en')} rows`, `L^${k}`, { L });
    },
  ),
  experiment(
    'lmlt-plus-k',
    ['matrices', "L*M*L'+K: a mesh Laplacian L, a diagonal mass M, a random matrix K", 'mesh=FILE or n=ROWS'],
    ['mesh', 'n'],
    (args, seed) => {
      const mesh = args.mesh();
      const matrices = lmltMatrices(mesh ? surface(mesh) : args.integer('n', 20_000, 36, MOST), seed);
      return matrixProblem(
        `L*M*L'+K, ${matrices.L.pattern.rows.toLocaleString('en')} rows`,
        MATRIX_EXPRESSIONS['lmlt-plus-k'],
        matrices,
      );
    },
  ),
  experiment(
    'cotan',
    [
      'meshes',
      'cotan Laplacian and mass of a triangle mesh, from the positions of its vertices',
      'faces=loop|elements, mesh=FILE or n=VERTICES',
    ],
    ['faces', 'mesh', 'n'],
    (args) => {
      const mesh = surface(args.mesh() ?? meshOfSize(args.integer('n', 46_850, 9, MOST)));
      return asElements(args) ? cotanOfElementsProblem(mesh) : cotanProblem(mesh);
    },
  ),
  experiment(
    'dual-laplacian',
    ['meshes', 'Laplacian and mass of a tetrahedral mesh, from the cells of its dual', 'mesh=FILE or n=VERTICES'],
    ['mesh', 'n'],
    (args) => {
      const mesh = args.mesh();
      if (mesh && mesh.tets.length === 0)
        fail('example/mesh', 'the mesh has no tetrahedra', {
          remedy: 'give a Medit .mesh or tetsphere file of a volume',
        });
      const cells = Math.max(1, Math.round(Math.cbrt(args.integer('n', 2_744, 8, MOST))) - 1);
      return dualLaplacianProblem(mesh ?? tetBox(cells, cells, cells, 0.2));
    },
  ),
  experiment(
    'arap',
    ['meshes', 'a surface bent as rigidly as possible: the best rotation at every vertex', 'mesh=FILE or n=VERTICES'],
    ['mesh', 'n'],
    (args) => arapProblem(arapInput(surface(args.mesh() ?? meshOfSize(args.integer('n', 2_930, 9, MOST))))),
  ),
  experiment(
    'cloth-hessian',
    [
      'meshes',
      "second derivatives (Hessian) of a cloth's energy, derived by hand or by the compiler, as a sparse matrix",
      'mode=hand|ad, faces=loop|elements, blocks=auto|tagged, values=yes (of each face, not added up)|no, mesh=FILE or n=VERTICES',
    ],
    ['mode', 'faces', 'blocks', 'values', 'mesh', 'n'],
    (args, seed) => {
      const side = Math.round(Math.sqrt(args.integer('n', 20_736, 4, MOST)));
      const mesh = surface(args.mesh() ?? gridMesh(side, side));
      const tagged = args.word('blocks', 'auto', ['auto', 'tagged']) === 'tagged';
      const byHand = args.word('mode', 'hand', ['hand', 'ad']) === 'hand';
      const elements = asElements(args);
      if (tagged && (elements || !byHand))
        fail('example/argument', `with '${elements ? 'faces=elements' : 'mode=ad'}' no blocks are tagged`, {
          remedy: 'leave out blocks, or give mode=hand and faces=loop',
        });
      const valuesAlone = args.word('values', 'no', ['yes', 'no']) === 'yes';
      const cloth = clothInput(valuesAlone ? facesApart(mesh) : mesh, seed);
      if (elements) return byHand ? clothHessianOfElementsProblem(cloth) : clothDerivedOfElementsProblem(cloth);
      return byHand ? clothHessianProblem(cloth, tagged) : clothDerivedHessianProblem(cloth);
    },
  ),
];

/** Whether the loop over faces is one body for all, which is traced once. */
const asElements = (args: Arguments): boolean => args.word('faces', 'loop', ['loop', 'elements']) === 'elements';

/** The same faces, each with vertices of its own. */
const facesApart = ({ faces, vertices, ...rest }: Mesh): Mesh => ({
  ...rest,
  faces: Int32Array.from(faces, (_, k) => k),
  vertices: Float64Array.from({ length: 3 * faces.length }, (_, k) => vertices[3 * faces[Math.floor(k / 3)] + (k % 3)]),
});

/** The largest size an example accepts. */
const MOST = 10_000_000;

/** A closed surface of about n vertices, or a curved grid where n is below what the repository's mesh has. */
const meshOfSize = (n: number): Mesh => {
  const side = Math.round(Math.sqrt(n));
  return n < 2_930 ? gridMesh(side, side, (x, y) => 0.3 * Math.sin(3 * x) * y) : spotOfSize(n);
};

const surface = (mesh: Mesh): Mesh =>
  mesh.faces.length > 0
    ? mesh
    : fail('example/mesh', 'the mesh has no triangles', { remedy: 'give the mesh of a surface: .off, .obj or .ply' });
