import { type Op, type ScalarType, byteSize, fail, isFloat, scalarFromAttr, scalarOf } from '@filigree/ir';
import { spellingOf } from '@filigree/backend';
import type { WasmSite } from '../extension/extension.js';
import type { Context } from './context.js';
import { type Expr, apply, constant, i32 } from './expr.js';
import { extension, isUnsigned, wasmType } from './wasm-type.js';

/** The constant of `arith.constant`, one lane of it. */
export const constantOf = (op: Op): Expr => {
  const of = scalarOf(op.results[0].type);
  const value = scalarFromAttr(op.attrs.value, of);
  const type = wasmType(of);
  if (typeof value === 'boolean') return i32(value ? 1 : 0);
  if (type === 'i64') return constant(type, BigInt.asIntN(64, value as bigint));
  return type === 'i32' ? i32(value as number) : constant(type, value);
};

/** Whether this file writes an op, if anybody does. */
export const isCore = (op: string): boolean => /^(arith|math)\./.test(op);

/** An element-wise op of `arith`, of `math` or of an extension on scalars, or on one lane of its vectors. */
export const scalarOp = (c: Context, op: Op, args: readonly Expr[]): Expr => {
  const spelling = isCore(op.name) ? undefined : spellingOf(c.module.extensions, op.name)?.wasm;
  if (spelling) return spelling(op, args, siteOf(c));
  const of = scalarOf(op.operands[0].type);
  const [dialect, name] = op.name.split('.');
  if (dialect === 'math') return mathOp(c, name, of, args);
  switch (name) {
    case 'cmp':
      return compare(of, String(op.attrs.predicate), args);
    case 'select':
      return apply(args[1].type, 'select', args[1], args[2], args[0]);
    case 'cast':
      return cast(c, of, scalarOf(op.results[0].type), args[0]);
    case 'bitcast':
      return bitcast(of, scalarOf(op.results[0].type), args[0]);
    default:
      return isFloat(of)
        ? floatOp(c, name, of, args)
        : of === 'i1'
          ? truthOp(name, args)
          : integerOp(c, name, of, args);
  }
};

const siteOf = (c: Context): WasmSite => ({
  define: (name, text) => {
    c.module.helpers.set(`$${name}`, text);
    return `$${name}`;
  },
  share: (e, count) => c.b.share(e, count),
});

/** The predicate as WebAssembly spells it for this element: `lt_s`, `lt`, `eq`. */
export const predicate = (of: ScalarType, name: string): string =>
  isFloat(of) || name === 'eq' || name === 'ne' ? name : `${name}${extension(of)}`;

const compare = (of: ScalarType, name: string, args: readonly Expr[]): Expr =>
  apply('i32', `${wasmType(of)}.${predicate(of, name)}`, ...args);

const truthOp = (name: string, args: readonly Expr[]): Expr =>
  name === 'not' ? apply('i32', 'i32.eqz', args[0]) : apply('i32', `i32.${name}`, ...args);

const floatOp = (c: Context, name: string, of: ScalarType, args: readonly Expr[]): Expr =>
  name === 'rem' ? call(c, 'rem', of, args) : apply(wasmType(of), `${of}.${name}`, ...args);

const integerOp = (c: Context, name: string, of: ScalarType, args: readonly Expr[]): Expr => {
  const type = wasmType(of);
  const all = (): Expr => apply(type, `${type}.${name}`, ...args);
  const wrap = (e: Expr): Expr => wrapNarrow(e, of);
  switch (name) {
    case 'add':
    case 'sub':
    case 'mul':
      return wrap(all());
    case 'and':
    case 'or':
    case 'xor':
      return all();
    case 'not':
      return wrap(apply(type, `${type}.xor`, args[0], constant(type, type === 'i64' ? -1n : -1)));
    case 'neg':
      return wrap(apply(type, `${type}.sub`, constant(type, type === 'i64' ? 0n : 0), args[0]));
    case 'rem':
      return remainder(of, args, c);
    case 'div':
      return wrap(divide(c, of, args));
    case 'shl':
      return wrap(apply(type, `${type}.shl`, args[0], amount(of, args[1])));
    case 'shr':
      return apply(type, `${type}.shr${extension(of)}`, args[0], amount(of, args[1]));
    case 'min':
    case 'max': {
      const [a, a2] = c.b.share(args[0], 2);
      const [b, b2] = c.b.share(args[1], 2);
      return apply(
        type,
        'select',
        a,
        b,
        apply('i32', `${type}.${name === 'min' ? 'lt' : 'gt'}${extension(of)}`, a2, b2),
      );
    }
    default:
      return unknown(`arith.${name}`);
  }
};

/** A remainder is often of what lies below the divisor already, as in a ring, `(i + 1) % n`: then nothing is divided, which takes ten times as long. */
const remainder = (of: ScalarType, args: readonly Expr[], c: Context): Expr => {
  const type = wasmType(of);
  const rest = (a: Expr, b: Expr): Expr => apply(type, `${type}.rem${extension(of)}`, a, b);
  if (isUnsigned(of) || args[1]!.constant !== undefined) return rest(args[0]!, args[1]!);
  const [a, a2, a3, a4] = c.b.share(args[0]!, 4);
  const [b, b2] = c.b.share(args[1]!, 2);
  const zero = constant(type, type === 'i64' ? 0n : 0);
  const isBelow = apply(
    'i32',
    'i32.and',
    apply('i32', `${type}.ge_s`, a!, zero),
    apply('i32', `${type}.lt_s`, a2!, b!),
  );
  return apply(type, `if (result ${type})`, isBelow, apply(type, 'then', a3!), apply(type, 'else', rest(a4!, b2!)));
};

/** Division that wraps where WebAssembly's traps: the least integer by -1. */
const divide = (c: Context, of: ScalarType, [a, b]: readonly Expr[]): Expr => {
  const type = wasmType(of);
  const plain = (x: Expr, y: Expr): Expr => apply(type, `${type}.div${extension(of)}`, x, y);
  const minusOne = b.constant !== undefined && BigInt(b.constant) === -1n;
  if (isUnsigned(of) || byteSize(of) < 4 || (b.constant !== undefined && !minusOne)) return plain(a, b);
  const helper = `$div_${of}`;
  if (!c.module.helpers.has(helper)) {
    const zero = constant(type, type === 'i64' ? 0n : 0).text;
    c.module.helpers.set(
      helper,
      [
        `  (func ${helper} (param $a ${type}) (param $b ${type}) (result ${type})`,
        `    (if (result ${type}) (${type}.eq (local.get $b) (${type}.const -1))`,
        `      (then (${type}.sub ${zero} (local.get $a)))`,
        `      (else (${type}.div_s (local.get $a) (local.get $b)))))`,
      ].join('\n'),
    );
  }
  return apply(type, `call ${helper}`, a, b);
};

/** WebAssembly counts shifts modulo 32 or 64; narrower types modulo their own width. */
const amount = (of: ScalarType, e: Expr): Expr =>
  byteSize(of) < 4 ? apply('i32', 'i32.and', e, i32(8 * byteSize(of) - 1)) : e;

/** Brings an `i32` back into the range of a narrow type. */
export const wrapNarrow = (e: Expr, to: ScalarType): Expr => {
  if (to === 'i8') return apply('i32', 'i32.extend8_s', e);
  if (to === 'i16') return apply('i32', 'i32.extend16_s', e);
  return to === 'u8'
    ? apply('i32', 'i32.and', e, i32(0xff))
    : to === 'u16'
      ? apply('i32', 'i32.and', e, i32(0xffff))
      : e;
};

const cast = (c: Context, from: ScalarType, to: ScalarType, e: Expr): Expr => {
  if (from === to) return e;
  const [a, b] = [wasmType(from), wasmType(to)];
  if (to === 'i1') return apply('i32', `${a}.ne`, e, constant(a, a === 'i64' ? 0n : 0));
  if (isFloat(from))
    return isFloat(to) ? apply(b, to === 'f64' ? 'f64.promote_f32' : 'f32.demote_f64', e) : truncate(c, from, to, e);
  const sign = extension(from);
  if (isFloat(to)) return apply(b, `${b}.convert_${a}${sign}`, e);
  if (a === b) return from === 'i1' || fits(from, to) ? e : wrapNarrow(e, to);
  return b === 'i64' ? apply('i64', `i64.extend_i32${sign}`, e) : wrapNarrow(apply('i32', 'i32.wrap_i64', e), to);
};

/** Whether every value of one narrow type is one of the other. */
const fits = (from: ScalarType, to: ScalarType): boolean =>
  byteSize(to) >= 4 ||
  (isUnsigned(from) === isUnsigned(to)
    ? byteSize(from) <= byteSize(to)
    : isUnsigned(from) && byteSize(from) < byteSize(to));

const truncate = (c: Context, from: ScalarType, to: ScalarType, e: Expr): Expr => {
  const type = wasmType(to);
  if (byteSize(to) >= 4) return apply(type, `${type}.trunc_sat_${from}${extension(to)}`, e);
  const bits = 8 * byteSize(to);
  const [low, high] = isUnsigned(to) ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
  const wide = apply('i32', `i32.trunc_sat_${from}_s`, e);
  return integerOp(c, 'min', 'i32', [integerOp(c, 'max', 'i32', [wide, i32(low)]), i32(high)]);
};

const bitcast = (from: ScalarType, to: ScalarType, e: Expr): Expr => {
  const [a, b] = [wasmType(from), wasmType(to)];
  return a === b ? (byteSize(to) < 4 ? wrapNarrow(e, to) : e) : apply(b, `${b}.reinterpret_${a}`, e);
};

const mathOp = (c: Context, name: string, of: ScalarType, args: readonly Expr[]): Expr => {
  const type = wasmType(of);
  const op = (instruction: string, ...xs: readonly Expr[]): Expr => apply(type, `${of}.${instruction}`, ...xs);
  switch (name) {
    case 'sqrt':
    case 'abs':
    case 'floor':
    case 'ceil':
    case 'trunc':
      return op(name, args[0]);
    case 'rsqrt':
      /* In f32 the interpreter rounds once, after division and root in f64. */
      return of === 'f32'
        ? apply(
            'f32',
            'f32.demote_f64',
            apply('f64', 'f64.div', constant('f64', 1), apply('f64', 'f64.sqrt', promote(args[0]))),
          )
        : op('div', constant(type, 1), op('sqrt', args[0]));
    case 'hypot': {
      if (of !== 'f32') return call(c, name, of, args);
      /* No square of an f32 is too large or too small in f64. With an infinity beside it nothing else matters, not even NaN. */
      const squared = (x: Expr): Expr => apply('f64', 'f64.mul', ...c.b.share(x, 2));
      const [[x, p], [y, q]] = args.map((a) => c.b.share(promote(a), 2));
      const length = apply('f64', 'f64.sqrt', apply('f64', 'f64.add', squared(x), squared(y)));
      const isEndless = (z: Expr): Expr =>
        apply('i32', 'f64.eq', apply('f64', 'f64.abs', z), constant('f64', Infinity));
      const endless = apply('i32', 'i32.or', isEndless(p), isEndless(q));
      return apply('f32', 'f32.demote_f64', apply('f64', 'select', constant('f64', Infinity), length, endless));
    }
    case 'fround':
      return of === 'f32' ? args[0] : promote(apply('f32', 'f32.demote_f64', args[0]));
    case 'fma':
      return op('add', op('mul', args[0], args[1]), args[2]);
    case 'round': {
      const [x, y, z] = c.b.share(args[0], 3);
      const [down, below] = c.b.share(op('floor', x), 2);
      const half = apply('i32', `${of}.ge`, op('sub', y, below), constant(type, 0.5));
      return op('copysign', op('add', down, apply(type, `${of}.convert_i32_u`, half)), z);
    }
    case 'sign': {
      const [x, y, z] = c.b.share(args[0], 3);
      const one = op('copysign', constant(type, 1), x);
      /* Zeros and NaN are their own sign. */
      return apply(type, 'select', one, y, apply('i32', `${of}.gt`, op('abs', z), constant(type, 0)));
    }
    default:
      return Object.hasOwn(Math, name) ? call(c, name, of, args) : unknown(`math.${name}`);
  }
};

const promote = (e: Expr): Expr => apply('f64', 'f64.promote_f32', e);

/** A call of an imported function of f64. */
const call = (c: Context, name: string, of: ScalarType, args: readonly Expr[]): Expr => {
  c.module.imports.set(name, args.length);
  if (of === 'f64') return apply('f64', `call $${name}`, ...args);
  return apply('f32', 'f32.demote_f64', apply('f64', `call $${name}`, ...args.map(promote)));
};

/** An op that this backend has no instruction for, and JavaScript no function. */
const unknown = (name: string): never =>
  fail('wasm/op', `op '${name}' has no meaning in WebAssembly`, {
    remedy: 'lower it to ops that have one, or write it in packages/backend-wasm/src/emit/scalar-ops.ts',
  });
