import type { Backend, Sources } from '@filigree/backend';
import { runPass, type Module, orThrow } from '@filigree/ir';
import { type CsrPattern } from '@filigree/sparse/formats';
import {
  groupByShape,
  spmvFromPieces,
  spmvKernel,
  type PatternReconstruction,
  type SparseKernel,
} from '@filigree/sparse/trace';

/** y = A·x in two forms: as the cost model chooses, and from the pieces alone (§4), or why that is not made. */
export interface SpmvKernels {
  readonly chosen: SparseKernel;
  readonly affine: Module | string;
}

/**
 * Both kernels of a pattern and its pieces. The affine one is left out where pieces do not cover the pattern, and where
 * a compiler would take minutes over it: the paper lost a quarter of its matrices there (§5.1).
 */
export const spmvKernels = (pattern: CsrPattern, found: PatternReconstruction, dtype: 'f32' | 'f64'): SpmvKernels => ({
  chosen: spmvKernel(pattern, { dtype }),
  affine: affineFault(found) ?? spmvFromPieces(found.pieces, pattern.rows, pattern.cols, { dtype }),
});

/** Faces of all shapes of pieces at most; so many are about 200 kB of C++. */
const MAX_FACES = 2000;

const affineFault = ({ complete, pieces }: PatternReconstruction): string | undefined => {
  if (!complete) return 'the pieces do not cover the matrix';
  const shapes = groupByShape(pieces);
  const faces = shapes.reduce(
    (n, { shape }) => n + shape.levels.reduce((m, l) => m + l.lower.length + l.upper.length, 0),
    0,
  );
  return faces <= MAX_FACES
    ? undefined
    : `${shapes.length} shapes of pieces with ${faces} faces would take a compiler minutes`;
};

/** What a kernel is made of: affine functions alone, some index tables, or as many indices as compressed rows have. */
export const kindOf = ({ indexBytes }: SparseKernel, { rows, colIdx }: CsrPattern): 'affine' | 'mixed' | 'csr' =>
  indexBytes === 0 ? 'affine' : indexBytes < 4 * (rows + 1 + colIdx.length) ? 'mixed' : 'csr';

/** The sources of a module, without compiling it. */
export const sourcesOf = (module: Module, backend: Backend): Sources => {
  const legal = orThrow(runPass(backend.legalize, module, backend.watch));
  return orThrow(runPass(backend.emit, legal, backend.watch));
};
