import { plainOps, type NumericOps, type Operand } from '@filigree/lang';

/**
 * A second kind of symbol, as far from the expression graph as can be: operations are recorded on a tape, which can be
 * played with other inputs than those it was traced with, in the same order and without any simplification.
 */
export class TapeSym {
  constructor(
    readonly id: number,
    readonly predicate: boolean,
  ) {}
  valueOf(): number {
    throw new Error('a symbol was used as a number');
  }
}

type Step = { readonly op: keyof NumericOps; readonly operands: readonly Operand<TapeSym>[] };

export class Tape {
  private readonly steps: (Step | undefined)[] = [];

  variable(): TapeSym {
    this.steps.push(undefined);
    return new TapeSym(this.steps.length - 1, false);
  }

  /** Operations that record. `isPredicate` can be left out, as ops of other makers may. */
  ops(withPredicates = true): NumericOps<TapeSym> {
    const record =
      (op: keyof NumericOps) =>
      (...operands: Operand<TapeSym>[]): TapeSym => {
        if (!operands.some((x) => x instanceof TapeSym)) throw new Error(`${op} was called without a symbol`);
        this.steps.push({ op, operands });
        return new TapeSym(this.steps.length - 1, predicates.has(op));
      };
    const names = (Object.keys(plainOps) as (keyof NumericOps)[]).filter((name) => name !== 'isSymbolic');
    return {
      ...Object.fromEntries(names.map((name) => [name, record(name)])),
      isSymbolic: (x: unknown) => x instanceof TapeSym,
      ...(withPredicates ? { isPredicate: (x: TapeSym) => x.predicate } : {}),
    } as NumericOps<TapeSym>;
  }

  get length(): number {
    return this.steps.length;
  }

  /** Values of all steps for these variables, in the order they were made. */
  play(inputs: readonly number[]): (number | boolean)[] {
    const values: (number | boolean)[] = [];
    let next = 0;
    for (const step of this.steps) {
      if (!step) values.push(inputs[next++]);
      else {
        const run = plainOps[step.op] as (...xs: unknown[]) => number | boolean;
        /* Truth values are 0 and 1, as in an expression graph. */
        values.push(run(...step.operands.map((x) => Number(x instanceof TapeSym ? values[x.id] : x))));
      }
    }
    return values;
  }
}

const predicates = new Set<keyof NumericOps>(['lt', 'le', 'gt', 'ge', 'eq', 'ne', 'and', 'or', 'not']);

/** Every number of a nested value replaced, in order. */
export const mapNumbers = (value: unknown, f: (x: number) => unknown): unknown => {
  if (typeof value === 'number') return f(value);
  if (Array.isArray(value)) return value.map((v) => mapNumbers(v, f));
  if (value instanceof Float64Array) return Array.from(value, f);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mapNumbers(v, f)]));
  return value;
};

/** A result with its symbols replaced by their values, and Float64Arrays of either kind by arrays. */
export const resolve = (value: unknown, values: readonly unknown[]): unknown => {
  if (value instanceof TapeSym) return values[value.id];
  if (Array.isArray(value) || Object.prototype.toString.call(value) === '[object Float64Array]') {
    return Array.from(value as ArrayLike<unknown>, (v) => resolve(v, values));
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolve(v, values)]));
  return value;
};

/** A function from its source text, so that its text and lines are known exactly. */
export const fromText = (text: string): ((...args: never[]) => unknown) =>
  new Function(`'use strict'; return (${text}\n)`)() as (...args: never[]) => unknown;
