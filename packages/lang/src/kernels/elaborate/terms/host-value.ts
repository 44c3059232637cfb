import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { ScalarType } from '@filigree/ir';
import { isField } from '@filigree/sparse/fields';
import { isMat, isVec, shapedOf } from '../../vocabulary/vec.js';
import { holds } from '../../code/kinds.js';
import { literal, typedLiteral, type Literal } from '../../code/scalar.js';
import type { Context } from '../context/context.js';
import { hold } from './holds.js';
import { nothing, type Table, type Term } from '../context/term.js';
import { elementTypes } from './typed-arrays.js';

/** A value of the surroundings as a term. */
export const fromHost = (cx: Context, id: AnyNode, name: string, value: unknown): Term => {
  if (typeof value === 'boolean') return literal(value);
  if (typeof value === 'number' || typeof value === 'bigint') return hostNumber(value);
  if (value === undefined) return nothing;
  if (isVec(value) || isMat(value)) {
    const { shape, elements } = shapedOf(value);
    const term: Term = { is: 'shaped', shape, elements: elements.map(literal) };
    hold(cx, term, -1);
    return term;
  }
  if (isField(value)) return rare().refuseField(cx, id, name);
  return tableOf(name, value) ?? { is: 'host', name, value };
};

/** Nested arrays of numbers, all of one length on each level. */
export const tableOf = (name: string, value: unknown): Table | undefined => {
  const shape: number[] = [];
  for (let at: unknown = value; isArray(at) && at.length > 0; at = at[0]) shape.push(at.length);
  if (shape.length === 0) return undefined;
  const values: (number | bigint)[] = [];
  const elements = new Set<ScalarType | undefined>();
  const collect = (at: unknown, depth: number): boolean => {
    if (depth === shape.length) return isNumber(at) && values.push(at) > 0;
    if (!isArray(at) || at.length !== shape[depth]) return false;
    if (depth === shape.length - 1) elements.add(elementType(at));
    /* A hole is no number, and `every` of the array itself would leave it out. */
    return Array.from(at).every((x) => collect(x, depth + 1));
  };
  if (!collect(value, 0)) return undefined;
  const [element] = elements.size === 1 ? elements : [undefined];
  return { is: 'table', name, shape, values, element, index: [] };
};

const isNumber = (x: unknown): x is number | bigint => typeof x === 'number' || typeof x === 'bigint';

const isArray = (x: unknown): x is ArrayLike<unknown> =>
  Array.isArray(x) || (ArrayBuffer.isView(x) && !(x instanceof DataView));

/** The type that the elements of a typed array have; undefined for any other array. */
const elementType = (x: ArrayLike<unknown>): ScalarType | undefined =>
  elementTypes[(x as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? ''];

/** An element of a table at indices that are known. */
export const elementOf = ({ values, shape, element }: Table, index: readonly Literal[]): Literal => {
  const value = values[index.reduce((at, s, axis) => at * shape[axis] + Number(s.value), 0)];
  return element === 'f32'
    ? { ...literal(value), float: 'written' }
    : element === undefined
      ? hostNumber(value)
      : typedLiteral(value, element);
};

/** A number of the surroundings; a BigInt is an integer of 64 bits. */
export const hostNumber = (value: number | bigint): Literal =>
  typeof value === 'bigint' ? typedLiteral(value, holds('i64', value) ? 'i64' : 'u64') : literal(value);
