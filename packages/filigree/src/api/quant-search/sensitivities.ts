import { DiagnosticError, type Diagnostic } from '@filigree/ir';
import { active, at, kernel, put, random, type KernelDef } from '@filigree/lang/kernels';
import { componentsOf, type AnyField, type FieldDecl } from '@filigree/sparse/fields';
import { valueAndTangent } from '@filigree/runtime';
import type { FieldProgram } from '../program.js';
import type { Sensitivity, Surveyed } from './formats-for.js';
import { apart, size } from './outputs.js';

/** Kernels that move each number of a field at random, by at most half of what their arguments say. */
export const noiseKernels = (fields: readonly AnyField[]): Readonly<Record<string, KernelDef>> =>
  Object.fromEntries(fields.flatMap((f) => componentsOf(f).map((c) => [noiseOn(c), noise(f, c)])));

/** How outputs are read: all numbers of each, one after the other. */
export type ReadOutputs = (of: (field: AnyField) => unknown) => readonly Float64Array[];

/** A program with noise. */
export interface Noisy {
  readonly sim: FieldProgram;
  /** Puts fields to what they are at first. */
  readonly begin: () => void;
  /** Launches all, and after each launch calls a function with the names of the fields that it wrote. */
  readonly launch: (after: (written: ReadonlySet<string>) => void) => void;
  readonly outputs: readonly AnyField[];
  readonly read: ReadOutputs;
  /** The outputs without noise. */
  readonly exact: readonly Float64Array[];
}

/**
 * What rounding a field each time that it is written does to the outputs, to first order: all launches run with tangents (forward mode), and each field gets random
 * changes whenever it is written. By differences where launches have no tangents.
 */
export const sensitivityOf = (
  noisy: Noisy,
  { field, least, greatest }: Surveyed,
): { readonly sensitivity: Sensitivity; readonly refused: Diagnostic | undefined } => {
  const ways = { absolute: [1, 0, 0], relative: [0, 1, 0], joint: [0, 0, 1] } as const;
  const most = Math.max(greatest, -least);
  let refused: Diagnostic | undefined;
  const found = Object.entries(ways).map(([name, way]) => {
    if (name === 'joint' && field.is === 'scalar') return [name, noisy.outputs.map(() => 0)] as const;
    try {
      if (refused === undefined && noisy.sim.tangents) return [name, byTangents(noisy, field, way)] as const;
    } catch (e) {
      if (!(e instanceof DiagnosticError)) throw e;
      [refused] = e.diagnostics;
    }
    return [name, byDifferences(noisy, field, way, name === 'absolute' ? STEP * most : STEP)] as const;
  });
  return { sensitivity: Object.fromEntries(found) as unknown as Sensitivity, refused };
};

type Way = readonly [absolute: number, relative: number, joint: number];

const byTangents = (noisy: Noisy, field: AnyField, way: Way): readonly number[] => {
  const { sim, begin, launch, outputs, read, exact } = noisy;
  begin();
  const along = Object.fromEntries(componentsOf(field).map((c) => [noiseOn(c), { by: 1 }]));
  const of = Object.fromEntries(outputs.map((f) => [f.name, f]));
  const { tangent } = valueAndTangent(sim, () => launch(noisier(sim, field, way, 0)), { of, arguments: along });
  return read((f) => tangent[f.name]).map((values, n) => size(values) / size(exact[n]));
};

const byDifferences = (noisy: Noisy, field: AnyField, way: Way, step: number): readonly number[] => {
  const { sim, begin, launch, read, exact } = noisy;
  begin();
  launch(noisier(sim, field, way, step));
  return read(sim.field).map((values, n) => apart(values, exact[n]) / step);
};

const noisier =
  ({ run }: FieldProgram, field: AnyField, way: Way, by: number) =>
  (written: ReadonlySet<string>): void => {
    if (written.has(field.name)) for (const c of componentsOf(field)) run[noiseOn(c)](by, ...way);
  };

const noiseOn = ({ name }: FieldDecl): string => `search_noise_${name}`;

/* How large the largest of a vector is tells how much a shared exponent rounds the others. */
const noise = (f: AnyField, c: FieldDecl): KernelDef => {
  const float = f.type === 'f64' ? 'f64' : 'f32';
  const scope = { active, at, put, random };
  const options = { float, scope, name: 'noise' } as const;
  const args = [float, float, float, float];
  if (f.is === 'scalar')
    return kernel([c, ...args] as never, options, ((
      c: never,
      by: number,
      absolute: number,
      relative: number,
      joint: number,
    ) => {
      for (const I of active(c)) {
        const value = at(c, I) as number;
        put(c, I, (value + by * (random() - 0.5) * (absolute + (relative + joint) * Math.abs(value))) as never);
      }
    }) as never) as KernelDef;
  return kernel([f, c, ...args] as never, options, ((
    f: never,
    c: never,
    by: number,
    absolute: number,
    relative: number,
    joint: number,
  ) => {
    for (const I of active(c)) {
      const value = at(c, I) as number;
      const most = (at(f, I) as { abs(): { greatest(): number } }).abs().greatest();
      put(c, I, (value + by * (random() - 0.5) * (absolute + relative * Math.abs(value) + joint * most)) as never);
    }
  }) as never) as KernelDef;
};

/** What differences are taken with, relative to numbers. */
const STEP = 2 ** -12;
