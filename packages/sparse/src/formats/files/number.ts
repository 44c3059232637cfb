/**
 * Reads one decimal number that begins exactly at `at` and stores it in `out[o]`. Returns the position behind it, or −1
 * where no number stands. The result is the double that `Number` gives for the same text, for any text: 15 digits by
 * one exact operation (Clinger's fast path), up to 19 digits in double-double arithmetic with a proof that no rounding
 * is in doubt, and otherwise by `Number` itself. `D` and `E` both mark an exponent. With `fortran`, a sign right after
 * the mantissa does so too (`1.5-103`).
 */
export const readNumber = (
  bytes: Uint8Array,
  at: number,
  end: number,
  out: Float64Array,
  o: number,
  fortran: boolean,
): number => {
  let p = at;
  let c = p < end ? bytes[p] : 0;
  let negative = false;
  if (c === MINUS || c === PLUS) {
    negative = c === MINUS;
    p++;
  }
  // The value is (head · headScale + tail) · 10^exponent; `head` has 15 significant digits at most, `tail` four more, and
  // what follows is dropped, which loses something unless it is zero.
  const digitsBegin = p;
  let head = 0;
  let tail = 0;
  let headScale = 1;
  let kept = 0;
  let dropped = 0;
  let lost = false;
  let point = -1;
  for (;;) {
    for (; p < end && kept < 15 && isDigit((c = bytes[p])); p++) {
      head = head * 10 + (c - ZERO);
      if (head !== 0) kept++;
    }
    for (; p < end && kept >= 15 && kept < 19 && isDigit((c = bytes[p])); p++) {
      tail = tail * 10 + (c - ZERO);
      headScale *= 10;
      kept++;
    }
    for (; p < end && kept >= 19 && isDigit((c = bytes[p])); p++) {
      dropped++;
      if (c !== ZERO) lost = true;
    }
    if (p === end || bytes[p] !== POINT || point >= 0) break;
    point = p++;
  }
  const digits = p - digitsBegin - (point >= 0 ? 1 : 0);
  let exponent = dropped - (point >= 0 ? p - point - 1 : 0);
  c = p < end ? bytes[p] : 0;
  if (digits === 0) return -1;
  if (isExponentLetter(c) || (fortran && (c === MINUS || c === PLUS))) {
    let q = isExponentLetter(c) ? p + 1 : p;
    let sign = 1;
    if (q < end && (bytes[q] === MINUS || bytes[q] === PLUS)) {
      if (bytes[q] === MINUS) sign = -1;
      q++;
    }
    const begin = q;
    let e = 0;
    for (; q < end && isDigit(bytes[q]); q++) if (e < 100_000) e = e * 10 + (bytes[q] - ZERO);
    if (q === begin) return -1;
    exponent += sign * e;
    p = q;
  }
  let value: number;
  if (head === 0) value = 0;
  else if (!lost && headScale === 1 && exponent >= -22 && exponent <= 22) {
    value = exponent < 0 ? head / POWER_HIGH[-exponent] : head * POWER_HIGH[exponent];
  } else {
    value = !lost && exponent >= -45 && exponent <= 45 ? scaled(head, headScale, tail, exponent) : NaN;
    if (Number.isNaN(value)) value = slowly(bytes, digitsBegin, p);
  }
  out[o] = negative ? -value : value;
  return p;
};

const ZERO = 48;
const MINUS = 45;
const PLUS = 43;
const POINT = 46;

const isDigit = (c: number): boolean => c >= ZERO && c <= ZERO + 9;

const isExponentLetter = (c: number): boolean => c === 101 || c === 69 || c === 100 || c === 68;

/** 10^n for n in 0..45 as the exact sum of two doubles; up to n = 22 the first alone is exact. */
const POWER_HIGH = Float64Array.from({ length: 46 }, (_, n) => Number(10n ** BigInt(n)));
const POWER_LOW = Float64Array.from({ length: 46 }, (_, n) => Number(10n ** BigInt(n) - BigInt(POWER_HIGH[n])));

/**
 * (head · headScale + tail) · 10^exponent rounded once, or NaN where the double-double result lies so near the middle
 * of two doubles that its error (below 2⁻¹⁰⁰, taken as 2⁻⁹⁸) could change the rounding.
 */
const scaled = (head: number, headScale: number, tail: number, exponent: number): number => {
  // The integer mantissa, below 10¹⁹, exactly as wh + wl.
  const product = head * headScale;
  const wh = product + tail;
  const back = wh - product;
  const wl = productError(head, headScale, product) + (product - (wh - back) + (tail - back));
  let high: number;
  let low: number;
  if (exponent < 0) {
    const ph = POWER_HIGH[-exponent];
    high = wh / ph;
    const check = high * ph;
    low = (wh - check - productError(high, ph, check) + wl - high * POWER_LOW[-exponent]) / ph;
  } else {
    const ph = POWER_HIGH[exponent];
    high = wh * ph;
    low = productError(wh, ph, high) + (wl * ph + wh * POWER_LOW[exponent]);
  }
  const doubt = high * 2 ** -98;
  const above = high + (low + doubt);
  return above === high + (low - doubt) ? above : NaN;
};

/** a·b − fl(a·b), exactly (Dekker). */
const productError = (a: number, b: number, product: number): number => {
  const ca = 134217729 * a;
  const ah = ca - (ca - a);
  const al = a - ah;
  const cb = 134217729 * b;
  const bh = cb - (cb - b);
  const bl = b - bh;
  return al * bl - (product - ah * bh - al * bh - ah * bl);
};

/** The unsigned number in `bytes[from .. to)` by way of `Number`, with its exponent spelled as JavaScript wants it. */
const slowly = (bytes: Uint8Array, from: number, to: number): number => {
  let text = '';
  for (let p = from; p < to; p++) {
    const c = bytes[p];
    if (isExponentLetter(c)) text += 'e';
    else if ((c === MINUS || c === PLUS) && !text.endsWith('e')) text += c === MINUS ? 'e-' : 'e+';
    else text += String.fromCharCode(c);
  }
  return Number(text);
};
