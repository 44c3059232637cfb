import type { Attr, ScalarType } from '@filigree/ir';
import { type Expr, binds, expr } from './expr.js';
import { cppTokens, suffix, type Tokens } from './tokens.js';

/** A constant of type `t` in C: the shortest decimal that reads back as the same value. */
export const literal = (value: Attr, t: ScalarType, tokens: Tokens = cppTokens): Expr => {
  if (t === 'i1') return expr(value === true || value === 1 ? tokens.true : tokens.false);
  if (t === 'f64' || t === 'f32') return float(Number(value), t, tokens);
  const v = BigInt(value as string | number | boolean);
  if (t === 'i64') return v === minI64 ? expr(`(-9223372036854775807${tokens.long} - 1)`) : integer(v, tokens.long);
  if (t === 'u64') return integer(v, `U${tokens.long}`);
  if (t === 'u32') return integer(v, 'u');
  return v === -2147483648n ? expr('(-2147483647 - 1)') : integer(v, '');
};

const minI64 = -(1n << 63n);

const signed = (text: string): Expr => expr(text, text.startsWith('-') ? binds.unary : binds.primary);

const integer = (v: bigint, suffix: string): Expr => signed(`${v}${suffix}`);

const float = (value: number, t: 'f32' | 'f64', tokens: Tokens): Expr => {
  const v = t === 'f32' ? Math.fround(value) : value;
  if (Number.isNaN(v)) return expr(tokens.nan(t));
  if (!Number.isFinite(v)) return signed(`${v < 0 ? '-' : ''}${tokens.infinity(t)}`);
  if (Object.is(v, -0)) return signed(`-0.0${suffix(t)}`);
  const digits = t === 'f32' ? shortestSingle(v) : String(v);
  return signed((/[.e]/.test(digits) ? digits : `${digits}.0`) + suffix(t));
};

/* Off by one step of a double either way: C rounds the decimal to a single at once, not through a double. */
const above = 1 + Number.EPSILON;
const below = 1 - Number.EPSILON;

/* Nine significant digits always identify a single; most need fewer. */
const shortestSingle = (v: number): string => {
  for (let n = 1; n < 9; n++) {
    const x = Number(v.toPrecision(n));
    if (Math.fround(x) === v && Math.fround(x * above) === v && Math.fround(x * below) === v) return String(x);
  }
  return String(Number(v.toPrecision(9)));
};
