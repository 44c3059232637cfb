import { vectorField } from '@filigree/sparse/fields';
import { atMost, type Finding } from '../finding.js';
import { divergence } from './reference.js';
import type { SmokeScheme } from './schemes.js';
import type { Smoke, SmokeSetup } from './setup.js';

export interface SmokeCheckOptions {
  readonly setup: SmokeSetup;
  readonly scheme: SmokeScheme;
  readonly steps: number;
  /** The same simulation in full precision by kernels, and by plain arrays. */
  readonly full: Smoke;
  readonly plain: Smoke;
  /** How far full precision may be from the plain program, and the quantised one from it: root mean squares, relative. */
  readonly rounding: number;
  readonly loss: number;
}

/** What must hold of a small simulation whose fields are stored by some scheme. */
export const checkSmoke = (smoke: Smoke, options: SmokeCheckOptions): readonly Finding[] => {
  const { setup, scheme, steps, full, plain, rounding, loss } = options;
  for (const one of [smoke, full, plain]) one.step(steps);
  const [made, exact, truth] = [smoke, full, plain].map((s) => s.state());
  const fastest = greatest(made.velocity);
  return [
    atMost('dye in full precision, from the plain program', distance(exact.dye, truth.dye), rounding),
    atMost('velocity in full precision, from the plain program', distance(exact.velocity, truth.velocity), rounding),
    atMost('dye, from full precision', distance(made.dye, exact.dye), loss),
    atMost('velocity, from full precision', distance(made.velocity, exact.velocity), loss),
    /* Each face of a cell is rounded by at most half a step. */
    atMost(
      'divergence',
      greatest(divergence(setup, made.velocity)),
      setup.dim * stepOf(scheme, setup.dim, fastest) + 1e-4 * fastest,
    ),
    atMost('all dye together, from full precision', Math.abs(total(made.dye) / total(exact.dye) - 1), loss),
  ];
};

/** Root mean square of what two have not in common, relative to that of the second. */
export const distance = (a: Float64Array, b: Float64Array): number => {
  let [apart, all] = [0, 0];
  for (let k = 0; k < b.length; k++) {
    apart += (a[k] - b[k]) ** 2;
    all += b[k] ** 2;
  }
  return Math.sqrt(apart / all);
};

export const total = (values: Float64Array): number => values.reduce((sum, v) => sum + v, 0);

const greatest = (values: Float64Array): number => values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);

/** The distance of two velocities that are stored, near another. */
const stepOf = ({ velocity }: SmokeScheme, dim: number, speed: number): number => {
  const placed = velocity(vectorField('v', 'f32', dim));
  if (placed.is !== 'bit-struct') return 0;
  const [{ format }] = placed.fields;
  if (!format.joint) return Number(format.decode(1, 'f32'));
  const { shared } = format.joint.encode(Array<number>(dim).fill(speed), 'f32');
  return format.joint.decode(1, shared, 'f32');
};
