import type { Expr, TreeCode, Truth, Vector } from './code.js';
import {
  bitsOf,
  isFloat,
  isNarrow,
  isSigned,
  type Binary,
  type Comparison,
  type ScalarType,
  type Unary,
} from './scalars.js';
import type { Scope } from './scope.js';
import { windowOf } from './state.js';
import { drawFloat, drawValue } from './values.js';

/** A random expression of exactly this type. */
export const expression = (s: Scope, type: ScalarType, depth: number): Expr => {
  const { d } = s;
  if (depth <= 0 || d.chance(0.15)) return leaf(s, type);
  if (isNarrow(type)) return d.chance(0.3) ? leaf(s, type) : { is: 'cast', type, a: any(s, depth - 1) };
  const roll = d.int(21);
  if (roll === 20)
    return {
      is: 'logic',
      type,
      op: d.of(['&&', '||'] as const),
      a: expression(s, type, depth - 1),
      b: expression(s, type, depth - 1),
    };
  if (roll < 11) return combined(s, type, depth);
  if (roll < 13) return single(s, type, depth);
  if (roll < 15)
    return {
      is: 'select',
      type,
      c: truth(s, depth - 1),
      a: expression(s, type, depth - 1),
      b: expression(s, type, depth - 1),
    };
  if (roll < 18) return { is: 'cast', type, a: any(s, depth - 1) };
  if (roll < 19) return { is: 'truth', type, by: d.of(['cast', 'Number', '+'] as const), a: truth(s, depth - 1) };
  const v = s.vectors.filter((x) => x.type === type);
  if (v.length === 0) return combined(s, type, depth);
  return d.chance(0.5)
    ? { is: 'component', type, of: vector(s, type, depth - 1), at: d.int(2) }
    : { is: 'dot', type, a: vector(s, type, depth - 2), b: vector(s, type, depth - 2) };
};

const any = (s: Scope, depth: number): Expr => expression(s, s.d.of(s.wide), depth);

/** Something that is there already, or a number. */
const leaf = (s: Scope, type: ScalarType): Expr => {
  const { d } = s;
  const found: (() => Expr)[] = [
    ...s.locals.filter((l) => l.type === type).map((l) => () => ({ is: 'local', type, name: l.name }) as const),
    ...s.parts.tables
      .filter((t) => t.type === type && !t.plain)
      .map((t) => () => ({ is: 'table', type, table: t.name, at: masked(s) }) as const),
    ...s.lists
      .filter((l) => l.type === type)
      .map((l) => () => ({ is: 'item', type, list: l.name, at: masked(s) }) as const),
    ...s.access
      .filter((a) => a.field.type === type && a.role !== 'atomic')
      .map(({ field, tree, role }) => () => {
        const at = role === 'own' ? s.own : places(s, tree);
        return { is: 'read', type, field: field.name, at } as const;
      }),
  ];
  return found.length > 0 && d.chance(0.8) ? d.of(found)() : literal(s, type, false);
};

const literal = (s: Scope, type: ScalarType, bare: boolean): Expr => {
  const { d } = s;
  if (!isFloat(type)) {
    const value = drawValue(d, type) as bigint;
    return {
      is: 'literal',
      type,
      value: bitsOf(type) === 64 ? BigInt.asIntN(53, value) * (isSigned(type) || value < 2n ** 52n ? 1n : 0n) : value,
      bare,
    };
  }
  const value = s.parts.choice.floats === 'any' && d.chance(0.5) ? drawFloat(d, type) : (drawValue(d, type) as number);
  /* A literal in a cast has the type of the kernel's floats, f32; one beside an f64 is one itself. */
  const exact = bare ? value : Math.fround(value);
  return { is: 'literal', type, value: Number.isFinite(exact) ? exact : 2.5, bare };
};

/** The second operand: also a plain literal, or of a type that widens to this one. */
const operand = (s: Scope, type: ScalarType, depth: number): Expr => {
  const { d } = s;
  if (d.chance(0.25)) return literal(s, type, true);
  const narrower = s.parts.types.filter((t) => widens(t, type));
  return narrower.length > 0 && d.chance(0.2) ? expression(s, d.of(narrower), depth) : expression(s, type, depth);
};

const widens = (from: ScalarType, to: ScalarType): boolean => {
  if (from === to) return false;
  if (isFloat(to)) return isFloat(from) ? from === 'f32' : true;
  if (isFloat(from) || bitsOf(from) >= bitsOf(to)) return false;
  return isSigned(to) || !isSigned(from);
};

const combined = (s: Scope, type: ScalarType, depth: number): Expr => {
  const { d } = s;
  const a = expression(s, type, depth - 1);
  if (isFloat(type)) {
    const ops: readonly Binary[] =
      s.parts.choice.floats === 'exact' ? ['+', '-', '*', 'min', 'max'] : ['+', '-', '*', '*', '/', '%', 'min', 'max'];
    return { is: 'binary', type, op: d.of(ops), a, b: operand(s, type, depth - 1) };
  }
  const op = d.of<Binary>([
    '+',
    '-',
    '*',
    '+',
    '-',
    '*',
    '&',
    '|',
    '^',
    '<<',
    '>>',
    '>>>',
    'min',
    'max',
    '%',
    'idiv',
    'imul',
  ]);
  switch (op) {
    case '%':
    case 'idiv':
      return { is: 'binary', type, op, a, b: divisor(s, type, depth - 1) };
    case '<<':
    case '>>':
      return ofBits(type, (type) => ({ is: 'binary', type, op, a, b: amount(s, type, depth - 1) }));
    case '&':
    case '|':
    case '^': {
      const b = operand(s, type, depth - 1);
      return ofBits(type, (type) => ({ is: 'binary', type, op, a, b }));
    }
    case '>>>': {
      const to = bitsOf(type) === 64 ? 'u64' : 'u32';
      const shifted: Expr = { is: 'binary', type: to, op, a, b: amount(s, type, depth - 1) };
      return type === to ? shifted : { is: 'cast', type, a: shifted };
    }
    case 'imul':
      return type === 'i32'
        ? { is: 'binary', type, op, a, b: operand(s, type, depth - 1) }
        : { is: 'binary', type, op: '*', a, b: operand(s, type, depth - 1) };
    default:
      return { is: 'binary', type, op, a, b: operand(s, type, depth - 1) };
  }
};

/** Bits of a u32 are signed, and by a cast a u32 again. */
const ofBits = (type: ScalarType, of: (type: ScalarType) => Expr): Expr =>
  type === 'u32' ? { is: 'cast', type, a: of('i32') } : of(type);

const divisor = (s: Scope, type: ScalarType, depth: number): Expr => {
  const { d } = s;
  if (d.chance(0.5)) {
    const value = BigInt(1 + d.int(9));
    return { is: 'literal', type, value: isSigned(type) && d.chance(0.3) ? -value : value, bare: true };
  }
  const a = expression(s, type, depth);
  return ofBits(type, (type) => ({
    is: 'binary',
    type,
    op: '|',
    a,
    b: { is: 'literal', type, value: 1n, bare: true },
  }));
};

const amount = (s: Scope, type: ScalarType, depth: number): Expr => {
  const of: ScalarType = type === 'u64' ? 'u32' : 'i32';
  return s.d.chance(0.6)
    ? { is: 'literal', type: of, value: BigInt(s.d.int(bitsOf(type))), bare: true }
    : expression(s, of, depth);
};

const single = (s: Scope, type: ScalarType, depth: number): Expr => {
  const exact: readonly Unary[] = ['-', 'abs', 'floor', 'ceil', 'trunc', 'round', 'sign'];
  const ops: readonly Unary[] = isFloat(type)
    ? s.parts.choice.floats === 'exact'
      ? exact
      : [...exact, 'sqrt']
    : ['-', '~', 'abs', 'sign', ...(type === 'i32' ? (['clz32'] as const) : [])];
  const [op, a] = [s.d.of(ops), expression(s, type, depth - 1)];
  return op === '~' ? ofBits(type, (type) => ({ is: 'unary', type, op, a })) : { is: 'unary', type, op, a };
};

/** A random condition. */
export const truth = (s: Scope, depth: number): Truth => {
  const { d } = s;
  if (depth > 0 && d.chance(0.25)) {
    const [a, b] = [truth(s, depth - 1), truth(s, depth - 1)];
    return d.of<Truth>([
      { is: 'both', a, b },
      { is: 'either', a, b },
      { is: 'not', a },
    ]);
  }
  const still = s.access.filter((a) => s.isStill(a.tree));
  if (still.length > 0 && d.chance(0.1)) {
    const { field, tree } = d.of(still);
    return { is: 'active', field: field.name, at: within(s, tree) };
  }
  if (s.truths.length > 0 && d.chance(0.2)) return { is: 'known', name: d.of(s.truths) };
  const on = d.of(s.wide);
  if (d.chance(0.1)) return { is: 'number', a: expression(s, on, depth) };
  const op = d.of<Comparison>(['<', '<=', '>', '>=', '===', '!==']);
  return { is: 'compare', on, op, a: expression(s, on, depth), b: operand(s, on, depth) };
};

/** A random vector of two numbers. */
export const vector = (s: Scope, type: ScalarType, depth: number): Vector => {
  const { d } = s;
  const known = s.vectors.filter((v) => v.type === type);
  if (depth <= 0 || d.chance(0.3))
    return known.length > 0 && d.chance(0.7)
      ? { is: 'local', name: d.of(known).name }
      : { is: 'vec', items: [leaf(s, type), leaf(s, type)] };
  if (d.chance(0.3)) return { is: 'scaled', a: vector(s, type, depth - 1), by: expression(s, type, depth - 1) };
  return { is: d.of(['add', 'sub'] as const), a: vector(s, type, depth - 1), b: vector(s, type, depth - 1) };
};

const i32 = (value: number): Expr => ({ is: 'literal', type: 'i32', value: BigInt(value), bare: true });

/** An index from 0 to 3. */
export const masked = (s: Scope): Expr => ({
  is: 'binary',
  type: 'i32',
  op: '&',
  a: expression(s, 'i32', 1),
  b: i32(3),
});

/** Indices of a layout, or where that is wanted beside and far from it. */
export const places = (s: Scope, tree: TreeCode): readonly Expr[] => {
  const { d } = s;
  if (!s.parts.choice.outside || d.chance(0.4)) return within(s, tree);
  return windowOf(tree).map((_, a): Expr => {
    const own = s.own[a % s.own.length];
    if (d.chance(0.7)) return { is: 'binary', type: 'i32', op: d.of(['+', '-'] as const), a: own, b: i32(d.int(4)) };
    return tree.levels[0].kind === 'hash' ? within(s, tree)[a] : expression(s, 'i32', 2);
  });
};

/** Indices within a layout. */
export const within = (s: Scope, tree: TreeCode): readonly Expr[] =>
  windowOf(tree).map(([from, to], a) => {
    const { d } = s;
    const near: Expr = {
      is: 'binary',
      type: 'i32',
      op: d.of(['+', '-'] as const),
      a: s.own[a % s.own.length],
      b: i32(d.int(3)),
    };
    const x = d.chance(0.7) ? near : expression(s, 'i32', 2);
    const above: Expr = { is: 'binary', type: 'i32', op: 'max', a: x, b: i32(from) };
    return { is: 'binary', type: 'i32', op: 'min', a: above, b: i32(to - 1) };
  });

/** A number of the type of a field, as it can be stored there. */
export const stored = (s: Scope, type: ScalarType, depth: number): Expr =>
  s.d.chance(0.1) && !isNarrow(type) ? { ...literal(s, type, false), type } : expression(s, type, depth);
