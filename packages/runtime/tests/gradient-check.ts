import type { Backend } from '@filigree/backend';
import type { KernelDef } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { DiagnosticError } from '@filigree/ir';
import type { AnyField, FieldDecl, Layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { expect } from 'vitest';

/** A program whose one kernel, called `f`, adds to the first element of `loss`. */
export interface Checked {
  readonly layout: Layout;
  readonly f: KernelDef;
  readonly reset: KernelDef;
  readonly loss: FieldDecl;
  /** Fields of scalars with the elements that are given values, and by which gradients are checked. */
  readonly values: readonly (readonly [field: FieldDecl, at: readonly number[], value: number])[];
  readonly args?: readonly unknown[];
  readonly backend: Backend;
  readonly fastMath?: boolean;
  readonly threads?: number;
}

export const made = async <A>(task: () => Promise<E.Either<unknown, A>>): Promise<A> => {
  const result = await task();
  if (E.isLeft(result)) throw new DiagnosticError(result.left as never);
  return result.right;
};

/** Compares gradients with central differences (five points), and gives what was found beside. */
export const checkGradient = async (c: Checked): Promise<ReturnType<typeof valueAndGradient>> => {
  const { layout, f, reset, loss, values, args = [], ...how } = c;
  const sim = await made(program({ layout, kernels: { f, reset }, ...how, differentiate: true }));
  const run = sim.run as unknown as Readonly<Record<string, (...a: readonly unknown[]) => number>>;
  const forward = (): void => {
    run.reset();
    run.f(...args);
  };
  for (const [field, at, value] of values) sim.field(field).set(at, value);
  const wrt: Record<string, AnyField> = {};
  for (const [field] of values) wrt[field.name] = field;
  const found = valueAndGradient(sim, forward, { loss, wrt });
  const grads = values.map(([field, at]) =>
    (found.gradient[field.name] as { get: (at: readonly number[]) => number }).get(at),
  );
  values.forEach(([field, at, value], n) => {
    const h = 1e-3;
    const along = (t: number): number => {
      sim.field(field).set(at, value + t);
      forward();
      sim.field(field).set(at, value);
      return sim.field(loss).get(0);
    };
    const expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
    const off = Math.abs(grads[n] - expected);
    expect(off, `${field.name}[${at.join()}]: ${grads[n]}, by differences ${expected}`).toBeLessThan(
      1e-6 * Math.max(1, Math.abs(expected)),
    );
  });
  sim.dispose();
  return { ...found, gradient: grads as never };
};
