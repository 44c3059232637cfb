import {
  deducePattern,
  kernel,
  scalar,
  sum,
  type KernelDecl,
  type LayoutKind,
  type Tensor,
  type Term,
} from '@filigree/tensor/einsum';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import { shaped, together, type ElementLayouts } from '../element-kernels.js';
import type { Matrices } from './read-matrices.js';

export interface SeissolOptions {
  /** Order of convergence; the matrices are those of its basis. */
  readonly order: number;
  readonly matrices: Matrices;
  /** Which entries of the transposed Jacobians may be non-zero. */
  readonly star: BooleanTensor;
  /** Simulations that are fused; 1: the tensors have no index for them. Default 1. */
  readonly simulations?: number;
  /** How tensors lie, where the planner shall not choose. */
  readonly layouts?: ElementLayouts;
}

/** The kernels of equations 13 to 16 for one element. */
export interface SeissolKernels {
  /** `derivative(d)` for d from 1: the Cauchy-Kovalewski procedure, with the patterns that follow (Fig. 6). */
  readonly derivatives: readonly KernelDecl[];
  /** I = Σ power_d·dQ(d), with scalars `power0`, `power1`, … */
  readonly taylor: KernelDecl;
  readonly volume: KernelDecl;
  /** By side of the element. */
  readonly localFlux: readonly KernelDecl[];
  /** By h + 3·(j + 4·i): side i of the element meets side j of the neighbour, turned by h. They read `INeighbour(i)`. */
  readonly neighbourFlux: readonly KernelDecl[];
  /**
   * The fluxes of all four sides in one kernel, for any j and h: it reads `rTAt(i)` and `fPAt(i)`, whose values are those of `rT(j)` and `fP(h)`
   * for side i of the element at hand, and which have what any of these has.
   */
  readonly neighbour: KernelDecl;
  /**
   * All derivatives and the sum in one kernel, and volume and local fluxes in one. These and `neighbour` prefetch the next element's
   * degrees of freedom: fused ones have no place in a second-level cache, and those of neighbours lie anywhere.
   */
  readonly predictor: KernelDecl;
  readonly local: KernelDecl;
}

/**
 * The ADER-DG kernels of SeisSol (§5.1) in its names: Q the degrees of freedom, I their time integral, `star` the transposed Jacobians,
 * `AplusT` and `AminusT` the transposed flux solvers. Matrices that multiply from the left where there is one simulation, Q[kp], multiply
 * from the right where several are fused, Q[skp], and are transposed then, so that no product transposes (§5.1.4).
 */
export const seissolKernels = ({
  order,
  matrices,
  star: starPattern,
  simulations = 1,
  layouts = {},
}: SeissolOptions): SeissolKernels => {
  const fused = simulations > 1;
  const basis = matrices['kDivM(0)'].shape[0];
  const quantities = starPattern.shape[0];
  const shape = [...(fused ? [simulations] : []), basis, quantities];
  const state = (name: string, pattern?: BooleanTensor): Tensor => shaped(name, shape, pattern, layouts.state);
  /** A tensor of degrees of freedom with its indices. */
  const q = (t: Tensor, indices: string): ReturnType<Tensor> => t(fused ? `s${indices}` : indices);
  /** A matrix with its indices, transposed where it multiplies from the right. */
  const reference = (name: string, factor = 1): ((indices: string) => Term) => {
    const matrix = transposedIf(fused, matrices[name], factor);
    const made = shaped(matrix.name, matrix.shape, matrix.pattern, layouts.reference, matrix.values);
    return (indices) => made(fused ? reversed(indices) : indices);
  };
  const small = (name: string, pattern: BooleanTensor | undefined, layout: LayoutKind | undefined): Tensor =>
    shaped(name, [quantities, quantities], pattern, layout);

  const [Q, I] = [state('Q'), state('I')];
  const INeighbour = [0, 1, 2, 3].map((side) => state(`INeighbour(${side})`));
  const star = [0, 1, 2].map((c) => small(`star(${c})`, starPattern, layouts.star));
  const [AplusT, AminusT] = ['AplusT', 'AminusT'].map((name) =>
    [0, 1, 2, 3].map((side) => small(`${name}(${side})`, undefined, layouts.flux)),
  );
  // K̃ of equation 13 is −M⁻¹Kᵀ, as q_t = −A q_x − …; the file has it without the sign.
  const [kDivMT, kDivM] = [
    [0, 1, 2].map((c) => reference(`kDivMT(${c})`, -1)),
    [0, 1, 2].map((c) => reference(`kDivM(${c})`)),
  ];
  const [rDivM, fMrT, rT] = ['rDivM', 'fMrT', 'rT'].map((name) =>
    [0, 1, 2, 3].map((side) => reference(`${name}(${side})`)),
  );
  const fP = [0, 1, 2].map((turn) => reference(`fP(${turn})`));

  const D = [Q];
  const derivatives: KernelDecl[] = [];
  for (let d = 1; d < order; d++) {
    const value = sum(
      [0, 1, 2].map((c) =>
        kDivMT[c]('kl')
          .mul(q(D[d - 1], 'lq'))
          .mul(star[c]('qp')),
      ),
    );
    D.push(state(`dQ(${d})`, deducePattern(value, fused ? 'skp' : 'kp')));
    derivatives.push(kernel(`derivative(${d})`, q(D[d], 'kp').assign(value)));
  }
  const taylor = kernel('taylor', q(I, 'kp').assign(sum(D.map((dQ, d) => q(dQ, 'kp').scale(scalar(`power${d}`))))));
  const volume = kernel(
    'volume',
    q(Q, 'kp').accumulate(sum([0, 1, 2].map((c) => kDivM[c]('kl').mul(q(I, 'lq')).mul(star[c]('qp'))))),
  );
  const sides = [0, 1, 2, 3];
  const localFlux = sides.map((i) =>
    kernel(
      `localFlux(${i})`,
      q(Q, 'kp').accumulate(rDivM[i]('km').mul(fMrT[i]('ml')).mul(q(I, 'lq')).mul(AplusT[i]('qp'))),
    ),
  );
  const neighbourFlux = sides.flatMap((i) =>
    sides.flatMap((j) =>
      fP.map((f, h) =>
        kernel(
          `neighbourFlux(${h},${j},${i})`,
          q(Q, 'kp').accumulate(
            rDivM[i]('km').mul(f('mn')).mul(rT[j]('nl')).mul(q(INeighbour[i], 'lq')).mul(AminusT[i]('qp')),
          ),
        ),
      ),
    ),
  );
  const anyOf = (name: string, count: number): ((side: number) => (indices: string) => Term) => {
    const members = Array.from({ length: count }, (_, k) => transposedIf(fused, matrices[`${name}(${k})`], 1));
    const { shape: extents } = members[0];
    const bits = members[0].pattern.bits.map((_, at) => Math.max(...members.map((m) => m.pattern.bits[at])));
    return (side) => {
      const made = shaped(`${name}At(${side})`, extents, { shape: extents, bits }, layouts.reference);
      return (indices) => made(fused ? reversed(indices) : indices);
    };
  };
  const [rTAt, fPAt] = [anyOf('rT', 4), anyOf('fP', 3)];
  const neighbour = kernel(
    'neighbour',
    sides.map((i) =>
      q(Q, 'kp').accumulate(
        rDivM[i]('km').mul(fPAt(i)('mn')).mul(rTAt(i)('nl')).mul(q(INeighbour[i], 'lq')).mul(AminusT[i]('qp')),
      ),
    ),
    { prefetch: [Q, ...INeighbour] },
  );
  return {
    derivatives,
    taylor,
    volume,
    localFlux,
    neighbourFlux,
    neighbour,
    predictor: together('predictor', [...derivatives, taylor], [Q, I]),
    local: together('local', [volume, ...localFlux], [Q, I]),
  };
};

/** A matrix or its transpose, times a factor. */
export const transposedIf = (
  transposed: boolean,
  { name, shape: [rows, columns], pattern, values }: Matrices[string],
  factor: number,
): { name: string; shape: readonly number[]; pattern: BooleanTensor; values: Float64Array } => {
  const shape = transposed ? [columns, rows] : [rows, columns];
  const [bits, entries] = [new Uint8Array(rows * columns), new Float64Array(rows * columns)];
  for (let j = 0; j < columns; j++)
    for (let i = 0; i < rows; i++) {
      const at = transposed ? j + columns * i : i + rows * j;
      bits[at] = pattern?.bits[i + rows * j] ?? 1;
      entries[at] = bits[at] === 0 ? 0 : factor * (values?.[i + rows * j] ?? 0);
    }
  return { name, shape, pattern: { shape, bits }, values: entries };
};

const reversed = (indices: string): string => [...indices].reverse().join('');
