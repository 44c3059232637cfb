import type { AnyNode, Identifier } from 'acorn';
import type { ScalarType } from '@filigree/ir';
import { isField } from '@filigree/sparse/fields';
import * as vocabulary from '../../vocabulary/index.js';
import { standardGlobals } from '../../rewrite/standard-globals.js';
import { refuse, type Context } from './context.js';
import { hostNumber } from './items.js';
import { isMat, isVec, shapedOf } from '../../vocabulary/vec.js';
import { literal } from '../code/code.js';
import { Refused } from './session.js';
import { nothing, type Constant, type Slot, type Table, type Term } from './term.js';

/** What a name means: something the function declares, something of its scope, or a word of the language. */
export const resolve = (cx: Context, id: Identifier): Slot => {
  const binding = cx.unit.text.parsed.scopes.bindingOf(id);
  if (!binding) return constant(resolveFree(cx, id, id.name));
  const slot = cx.env.lookup(binding);
  if (slot) return slot;
  if (binding.name === 'arguments') return noArguments(cx, id);
  if (binding.kind === 'function') return callsItself(cx, id, id.name);
  /* Its declaration was refused, and that has been reported. */
  if (cx.session.diagnostics.length > 0) throw new Refused();
  return refuse(cx, id, 'lang/unassigned', `\`${id.name}\` is used before it is declared`, 'declare it before');
};

/** The value of a name that the function does not declare. */
export const resolveFree = (cx: Context, id: Identifier, name: string): Term => {
  const { unit } = cx;
  if (Object.hasOwn(unit.scope, name)) return fromHost(cx, id, name, unit.scope[name]);
  if (Object.hasOwn(words, name)) return fromHost(cx, id, name, words[name]);
  if (standardGlobals.has(name)) return fromHost(cx, id, name, (globalThis as Record<string, unknown>)[name]);
  if (name === 'arguments') return noArguments(cx, id);
  if (name === '__name') return { is: 'host', name, value: keepName };
  if (name === unit.name && unit.text.nameless) return callsItself(cx, id, name);
  return refuse(
    cx,
    id,
    'lang/unbound',
    `\`${name}\` is neither declared in the function nor in its scope`,
    `pass it: kernel([…], { scope: { ${name} } }, fn), or use the build plugin, which finds it by itself`,
  );
};

const callsItself = (cx: Context, id: Identifier, name: string): never =>
  refuse(cx, id, 'lang/recursion', `\`${name}\` calls itself`, 'write a loop');

const noArguments = (cx: Context, id: Identifier): never =>
  refuse(cx, id, 'lang/unsupported-syntax', '`arguments` cannot be part of a kernel', 'name the parameters');

/** Whether a free name is what a module loader makes of an import: `__vi_import_0__.range`, `import_lang.range`, `lang_1.range`. */
export const isModuleName = (cx: Context, id: Identifier): boolean =>
  cx.unit.text.parsed.scopes.bindingOf(id) === undefined &&
  !Object.hasOwn(cx.unit.scope, id.name) &&
  /^(__\w+_import_\d+__|import_\w+|_\w+|\w+_\d+)$/.test(id.name);

/** Bundlers keep the names of nested functions by a call of this name. */
export const keepName = <T>(f: T): T => f;

/** A value of the surroundings as a term. */
export const fromHost = (cx: Context, id: AnyNode, name: string, value: unknown): Term => {
  if (typeof value === 'boolean') return literal(value);
  if (typeof value === 'number' || typeof value === 'bigint') return hostNumber(value);
  if (value === undefined) return nothing;
  if (isVec(value) || isMat(value)) {
    const { shape, elements } = shapedOf(value);
    return { is: 'shaped', shape, elements: elements.map(literal) };
  }
  if (isField(value))
    return refuse(
      cx,
      id,
      'lang/field-in-scope',
      `field \`${name}\` is no parameter of the function`,
      'bind it: kernel([u, …], (u, …) => …)',
    );
  return tableOf(name, value) ?? { is: 'host', name, value };
};

const constant = (term: Term): Constant => ({ is: 'constant', term, what: 'constant' });

const words = vocabulary as unknown as Readonly<Record<string, unknown>>;

/** Whether a value is what a word of the language stands for. */
export const isWord = (value: unknown): boolean => Object.values(words).includes(value);

/** Nested arrays of numbers, all of one length on each level. */
const tableOf = (name: string, value: unknown): Table | undefined => {
  const shape: number[] = [];
  for (let at: unknown = value; isArray(at) && at.length > 0; at = at[0]) shape.push(at.length);
  if (shape.length === 0) return undefined;
  const values: (number | bigint)[] = [];
  const elements = new Set<ScalarType | undefined>();
  const collect = (at: unknown, depth: number): boolean => {
    if (depth === shape.length) return isNumber(at) && values.push(at) > 0;
    if (!isArray(at) || at.length !== shape[depth]) return false;
    if (depth === shape.length - 1) elements.add(elementType(at));
    return Array.prototype.every.call(at, (x) => collect(x, depth + 1));
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

const elementTypes: Readonly<Partial<Record<string, ScalarType>>> = {
  Int8Array: 'i8',
  Int16Array: 'i16',
  Int32Array: 'i32',
  BigInt64Array: 'i64',
  Uint8Array: 'u8',
  Uint8ClampedArray: 'u8',
  Uint16Array: 'u16',
  Uint32Array: 'u32',
  BigUint64Array: 'u64',
  Float32Array: 'f32',
  Float64Array: 'f64',
};
