import type { Loc, Module } from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import { constantOf, iterator, type Conjunction } from '../sets/conjunction.js';
import type { Access, AffineProgram, ArrayInfo, Expr, Place, Statement } from './program.js';
import { delinearise, type FlatAccess, type Shape } from './shapes.js';

/** A statement whose arrays have no shapes yet. */
export interface FlatStatement {
  readonly iterators: readonly string[];
  readonly domain: readonly Conjunction[];
  readonly place: Place;
  readonly write: FlatAccess;
  readonly value: Expr;
  readonly loc: Loc | undefined;
}

/** The element of a carried value is that of its outer iterators; only their number is kept until arrays have shapes. */
export const carriedIndex = (dims: number): Affine => constantOf(dims);

/**
 * A program with the shapes of its arrays, and each index as subscripts.
 *
 * @param accesses all accesses to buffers, from which shapes are found
 * @param carried values that loops carry, as arrays
 * @param given shapes of buffers, by name
 */
export const withShapes = (
  { name, buffers: declared }: Module,
  flat: readonly FlatStatement[],
  accesses: readonly FlatAccess[],
  carried: readonly ArrayInfo[],
  given: Readonly<Record<string, readonly number[]>> = {},
): AffineProgram => {
  const buffers = declared.filter((b) => accesses.some((a) => a.array === b.name));
  const shapes = new Map<string, Shape>(
    buffers.map((b) => [
      b.name,
      delinearise(
        b.length,
        accesses.filter((a) => a.array === b.name),
        given[b.name],
      ),
    ]),
  );
  const split = (array: string, index: Affine): Access => {
    const shape = shapes.get(array);
    return { array, subscripts: shape === undefined ? carriedSubscripts(index) : shape.split(index) };
  };
  const splitReads = (e: Expr): Expr => {
    switch (e.kind) {
      case 'read':
        return shapes.has(e.array) ? { ...e, ...split(e.array, e.subscripts[0]) } : e;
      case 'apply':
        return { ...e, args: e.args.map(splitReads) };
      case 'if':
        return { ...e, then: splitReads(e.then), otherwise: splitReads(e.otherwise) };
      default:
        return e;
    }
  };
  return {
    name,
    arrays: [
      ...buffers.map(({ name: array, type, role, data }): ArrayInfo => {
        const { shape } = shapes.get(array)!;
        return {
          name: array,
          type,
          shape,
          lower: shape.map(() => 0),
          role: role === 'scratch' ? 'temp' : role,
          ...(data === undefined ? {} : { data }),
        };
      }),
      ...carried,
    ],
    statements: flat.map((s, k): Statement => ({
      ...s,
      name: flat.length === 1 ? 'S' : `S${k}`,
      write: split(s.write.array, s.write.index),
      value: splitReads(s.value),
    })),
  };
};

const carriedSubscripts = (index: Affine): readonly Affine[] =>
  Array.from({ length: index.constant }, (_, d) => iterator(d));
