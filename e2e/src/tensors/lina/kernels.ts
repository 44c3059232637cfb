import { kernel, scalar, sum, type KernelDecl, type LayoutKind, type Tensor, type Term } from '@filigree/tensor/einsum';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import { shaped, together, type ElementLayouts } from '../element-kernels.js';
import type { NodalBasis } from './nodal-matrices.js';

export interface LinaOptions {
  readonly basis: NodalBasis;
  readonly dimensions: 2 | 3;
  /** Which entries of the transposed Jacobian in each direction may be non-zero. */
  readonly star: readonly BooleanTensor[];
  /** And of the flux solvers. */
  readonly flux: readonly BooleanTensor[];
  readonly layouts?: ElementLayouts;
}

/** The kernels of equations 17 to 21 for one element. */
export interface LinaKernels {
  /** `derivative(d)` for d from 1. */
  readonly derivatives: readonly KernelDecl[];
  readonly taylor: KernelDecl;
  readonly volume: KernelDecl;
  /** Q's time integral on side σ of direction d, at 2d + σ: `X(σ)` from I (eq. 20). */
  readonly sides: readonly KernelDecl[];
  /** In the same order: the numerical flux of a side, from what it has on this side and on the other. */
  readonly flux: readonly KernelDecl[];
  /** What an element does by itself, in one kernel: derivatives, sum, sides, volume. Then all fluxes in one. */
  readonly local: KernelDecl;
  readonly meet: KernelDecl;
}

/**
 * The kernels of LinA, a spectral element method on squares or cubes with the ADER scheme of SeisSol: Q[xyp] or Q[xyzp]. A matrix that
 * multiplies along x does so from the left, along y and z it is a transposed copy from the right, so that no product transposes (§5.2.2).
 */
export const linaKernels = ({
  basis,
  dimensions,
  star: starPatterns,
  flux,
  layouts = {},
}: LinaOptions): LinaKernels => {
  const nodes = basis.points.length;
  const space = 'xyz'.slice(0, dimensions);
  const quantities = dimensions + 1;
  const state = (name: string, count: number): Tensor =>
    shaped(name, [...Array.from({ length: count }, () => nodes), quantities], undefined, layouts.state);
  const reference = (name: string, factor = 1): Tensor => {
    const { shape, pattern, values } = basis.matrices[name];
    const scaled = values?.map((x) => factor * x);
    return shaped(name.replace("'", 'Transposed'), shape, pattern, layouts.reference, scaled);
  };
  const small = (name: string, pattern: BooleanTensor, layout: LayoutKind | undefined): Tensor =>
    shaped(name, [quantities, quantities], pattern, layout);

  const directions = [...space].map((_, d) => d);
  const star = directions.map((d) => small(`star(${d})`, starPatterns[d], layouts.star));
  const [Q, I] = [state('Q', dimensions), state('I', dimensions)];
  /** K along direction d of a tensor times a matrix of quantities. */
  const along = (d: number, left: Tensor, right: Tensor, t: Tensor, a: Tensor): Term => {
    const source = t(`${space.replace(space[d], 'l')}q`);
    const matrix = d === 0 ? left(`${space[d]}l`) : right(`l${space[d]}`);
    return matrix.mul(source).mul(a('qp'));
  };

  // K̃ of equation 17 is −M⁻¹Kᵀ.
  const [strong, strongT] = [reference('kDivMT', -1), reference("kDivMT'", -1)];
  const [weak, weakT] = [reference('kDivM'), reference("kDivM'")];
  const D = [Q];
  const derivatives = Array.from({ length: nodes - 1 }, (_, k) => {
    const next = state(`dQ(${k + 1})`, dimensions);
    const value = sum(directions.map((d) => along(d, strong, strongT, D[k], star[d])));
    D.push(next);
    return kernel(`derivative(${k + 1})`, next(`${space}p`).assign(value));
  });
  const taylor = kernel(
    'taylor',
    I(`${space}p`).assign(sum(D.map((dQ, d) => dQ(`${space}p`).scale(scalar(`power${d}`))))),
  );
  const volume = kernel(
    'volume',
    Q(`${space}p`).accumulate(sum(directions.map((d) => along(d, weak, weakT, I, star[d])))),
  );
  const [F, FDivM] = ['F', 'FDivM'].map((name) => [0, 1].map((end) => reference(`${name}(${end})`)));
  const across = directions.flatMap((d) => [0, 1].map((end) => ({ d, end, rest: space.replace(space[d], '') })));
  const own = across.map(({ d, end }) => state(`${space[d].toUpperCase()}(${end})`, dimensions - 1));
  const theirs = across.map(({ d, end }) => state(`${space[d].toUpperCase()}Neighbour(${end})`, dimensions - 1));
  const sides = across.map(({ d, end, rest }, side) =>
    kernel(`side(${side})`, own[side](`${rest}p`).assign(F[end]('l').mul(I(`${space.replace(space[d], 'l')}p`)))),
  );
  const fluxes = across.map(({ d, end, rest }, side) => {
    const [plus, minus] = ['Aplus', 'Aminus'].map((name) => small(`${name}(${side})`, flux[side], layouts.flux));
    const meeting = own[side](`${rest}q`)
      .mul(plus('qp'))
      .add(theirs[side](`${rest}q`).mul(minus('qp')));
    return kernel(`flux(${side})`, Q(`${space}p`).accumulate(FDivM[end](space[d]).mul(meeting)));
  });
  return {
    derivatives,
    taylor,
    volume,
    sides,
    flux: fluxes,
    local: together('local', [...derivatives, taylor, ...sides, volume]),
    meet: together('meet', fluxes),
  };
};
