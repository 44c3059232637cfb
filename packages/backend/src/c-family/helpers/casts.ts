import { suffix } from '../tokens.js';
import { type HelperRow, type HelperRows, helperText, widthOf } from './helper.js';

/** Float to integer, from type b to type a: truncates, saturates, NaN gives 0. One comparison tells the numbers that fit. */
const saturate: HelperRow = (r) => {
  const t = r.scalar(r.a);
  const n = widthOf(r.a);
  const [signed, f, { long, library }] = [r.a.startsWith('i'), suffix(r.b), r.tokens];
  const above = `${(signed ? 2n ** BigInt(n - 1) : 2n ** BigInt(n)).toString()}.0${f}`;
  const max =
    n === 64
      ? signed
        ? `9223372036854775807${long}`
        : `18446744073709551615U${long}`
      : `${(signed ? 2 ** (n - 1) : 2 ** n) - 1}${signed ? '' : 'u'}`;
  const min = n === 64 ? `-9223372036854775807${long} - 1` : n === 32 ? '-2147483647 - 1' : `-${2 ** (n - 1)}`;
  const body = signed
    ? `${library('fabs', r.b)}(x) < ${above} ? (${t})x : x >= ${above} ? (${t})${max} : x == x ? (${t})(${min}) : (${t})0`
    : `x > 0.0${f} ? (x >= ${above} ? (${t})${max} : (${t})x) : (${t})0`;
  return helperText([], `${r.local} ${t} ${r.name}(${r.scalar(r.b)} x) { return ${body}; }`);
};

/** Float to integer between two bounds that it can be, from type b to type a; NaN gives the lower one. */
const clamped: HelperRow = (r) => {
  const [t, f] = [r.scalar(r.a), r.scalar(r.b)];
  return helperText(
    [],
    `${r.local} ${t} ${r.name}(${f} x, ${f} lo, ${f} hi) {`,
    `  const ${f} y = x > lo ? x : lo;`,
    `  return (${t})(y < hi ? y : hi);`,
    '}',
  );
};

/** The same, where 0 lies between the bounds; NaN gives 0. */
const bounded: HelperRow = (r) => {
  const [t, f] = [r.scalar(r.a), r.scalar(r.b)];
  return helperText(
    [],
    `${r.local} ${t} ${r.name}(${f} x, ${f} lo, ${f} hi) {`,
    `  const ${f} y = x == x ? x : 0.0${suffix(r.b)};`,
    `  const ${f} z = y > lo ? y : lo;`,
    `  return (${t})(z < hi ? z : hi);`,
    '}',
  );
};

/** From one type to another. */
export const castHelpers: HelperRows = {
  /* bits_to_from */
  bits: (r) => {
    const [to, from] = [r.scalar(r.a), r.scalar(r.b)];
    return helperText(
      [],
      `${r.local} ${to} ${r.name}(${from} x) {`,
      `  ${to} y;`,
      '  __builtin_memcpy(&y, &x, sizeof y);',
      '  return y;',
      '}',
    );
  },
  to: saturate,
  clamp: clamped,
  bound: bounded,
};
