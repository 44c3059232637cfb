import { byteSize, isFloat, isInteger, isSigned, isWide, scalarOf } from '@filigree/ir';
import { arrayOf, brought, cast, literal } from './types.mjs';

/** The expression of an op of `arith` or `math`, of operands that have names. */
export const expression = (op, name) => {
  const type = scalarOf((op.operands[0] ?? op.results[0]).type);
  const to = scalarOf(op.results[0].type);
  const write = ops[op.name] ?? functions;
  return write({ op, type, to }, ...op.operands.map(name));
};

/** What an update of memory by `kind` makes of the old value. */
export const combined = (kind, type, old, by) => (kind === 'exchange' ? by : ops[`arith.${kind}`]({ type }, old, by));

const infix =
  (sign) =>
  ({ type }, a, b) =>
    brought(type, `${a} ${sign} ${b}`);

const shift = (sign, type, a, by) => {
  const mask = literal(type, 8 * byteSize(type) - 1);
  return brought(type, `${a} ${sign} (${by} & ${mask})`);
};

/* JavaScript's, too, give NaN where either is NaN, and order zeros. */
const extreme =
  (name, sign) =>
  ({ type }, a, b) =>
    isFloat(type) ? `Math.${name}(${a}, ${b})` : `(${a} ${sign} ${b} ? ${a} : ${b})`;

const quotient =
  (sign, whole) =>
  ({ type }, a, b) =>
    isFloat(type) ? brought(type, `${a} ${sign} ${b}`) : brought(type, whole(type, `${a} ${sign} divisor(${b})`));

const comparisons = { eq: '===', ne: '!==', lt: '<', le: '<=', gt: '>', ge: '>=' };

const ops = {
  'arith.constant': ({ op, to }) => literal(to, op.attrs.value),
  'arith.add': infix('+'),
  'arith.sub': infix('-'),
  'arith.mul': ({ type }, a, b) =>
    brought(type, isInteger(type) && !isWide(type) ? `Math.imul(${a}, ${b})` : `${a} * ${b}`),
  'arith.div': quotient('/', (type, q) => (isWide(type) ? q : `Math.trunc(${q})`)),
  'arith.rem': quotient('%', (_, r) => r),
  'arith.neg': ({ type }, a) => brought(type, `-${a}`),
  'arith.and': ({ type }, a, b) => (type === 'i1' ? `(${a} && ${b})` : brought(type, `${a} & ${b}`)),
  'arith.or': ({ type }, a, b) => (type === 'i1' ? `(${a} || ${b})` : brought(type, `${a} | ${b}`)),
  'arith.xor': ({ type }, a, b) => (type === 'i1' ? `(${a} !== ${b})` : brought(type, `${a} ^ ${b}`)),
  'arith.not': ({ type }, a) => (type === 'i1' ? `!${a}` : brought(type, `~${a}`)),
  'arith.shl': ({ type }, a, by) => shift('<<', type, a, by),
  'arith.shr': ({ type }, a, by) => shift(isSigned(type) || isWide(type) ? '>>' : '>>>', type, a, by),
  'arith.min': extreme('min', '<'),
  'arith.max': extreme('max', '>'),
  'arith.cmp': ({ op }, a, b) => `(${a} ${comparisons[op.attrs.predicate]} ${b})`,
  'arith.select': (_, condition, a, b) => `(${condition} ? ${a} : ${b})`,
  'arith.cast': ({ type, to }, a) => cast(type, to, a),
  'arith.bitcast': ({ type, to }, a) => `new ${arrayOf(to)}(${arrayOf(type)}.of(${a}).buffer)[0]`,
  'math.abs': ({ type }, a) => brought(type, isFloat(type) ? `Math.abs(${a})` : `(${a} < 0 ? -${a} : ${a})`),
  'math.sign': ({ type }, a) =>
    isWide(type) ? `BigInt(${a} > 0n) - BigInt(${a} < 0n)` : brought(type, `Math.sign(${a})`),
  'math.fma': ({ type }, a, b, c) => brought(type, `${a} * ${b} + ${c}`),
  'math.rsqrt': ({ type }, a) => brought(type, `1 / ${brought(type, `Math.sqrt(${a})`)}`),
};

const functions = ({ op, type }, ...args) => brought(type, `${op.name.replace('math.', 'Math.')}(${args.join(', ')})`);
