/**
 * A moving-least-squares material point simulation (Hu et al. 2018; thesis §2.6.1): what all implementations start from.
 * The domain is the unit square or cube with `n` grid nodes a side. One step, in this order:
 *
 * - base node b = ⌊x n − ½⌋, quadratic B-spline weights w of the 3ᵈ nodes from b on;
 * - F ← (I + dt C) F; Kirchhoff stress τ = 2μ (F − R) Fᵀ + λ (J − 1) J I, R the rotation of F's polar decomposition;
 * - momentum m v + (m C − 4 n² dt volume τ) (x_node − x) and mass m, weighted, to the nodes;
 * - node velocity is momentum ÷ mass, less dt gravity along axis 1; nodes closer than `wall` to a side do not move
 *   further towards it;
 * - v = Σ w v_node, C = 4 n² Σ w v_node (x_node − x)ᵀ, x ← x + dt v.
 */
export interface MpmSetup {
  readonly dim: 2 | 3;
  /** Grid nodes along each axis. */
  readonly n: number;
  readonly dt: number;
  /** Of one particle. */
  readonly mass: number;
  readonly volume: number;
  /** Lamé's parameters. */
  readonly mu: number;
  readonly lambda: number;
  readonly gravity: number;
  /** Nodes of wall on every side. */
  readonly wall: number;
  /** Particles at the start; deformation gradients are identities. */
  readonly start: MpmState;
  /** A number a particle, for pictures: the body it belongs to. */
  readonly body: Uint8Array;
}

/** Particle after particle: `dim` numbers of `x` and `v`, `dim`² of `C` and `F` row by row. */
export interface MpmState {
  readonly x: Float64Array;
  readonly v: Float64Array;
  /** Affine velocity: the gradient of velocity at the particle. */
  readonly C: Float64Array;
  /** Deformation gradient. */
  readonly F: Float64Array;
}

/** A simulation under way. */
export interface Mpm {
  step(count: number): void | Promise<void>;
  state(): MpmState | Promise<MpmState>;
}

/** Makes a simulation that stands at its setup's start. */
export type MakeMpm = (setup: MpmSetup) => Mpm | Promise<Mpm>;

/** Lamé's parameters μ and λ of Young's modulus and Poisson's ratio. */
export const lame = (young: number, poisson: number): { readonly mu: number; readonly lambda: number } => ({
  mu: young / (2 * (1 + poisson)),
  lambda: (young * poisson) / ((1 + poisson) * (1 - 2 * poisson)),
});

/** The state of undeformed particles. */
export const atRest = (dim: number, x: Float64Array, v: Float64Array = new Float64Array(x.length)): MpmState => ({
  x,
  v,
  C: new Float64Array(dim * x.length),
  F: Float64Array.from({ length: dim * x.length }, (_, k) => ((k % (dim * dim)) % (dim + 1) === 0 ? 1 : 0)),
});
