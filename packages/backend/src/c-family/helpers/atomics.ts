import { isFloat } from '@filigree/ir';
import { type HelperRequest, type HelperRow, type HelperRows, helperText } from './helper.js';

/** One read-modify-write: `next` is the new value from `old` and `v`. */
const retry =
  (next: (r: HelperRequest) => string, needs: (r: HelperRequest) => readonly string[]): HelperRow =>
  (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    const same = `__atomic_compare_exchange(p, &old, &neu, ${r.tokens.true}, __ATOMIC_RELAXED, __ATOMIC_RELAXED)`;
    return helperText(
      needs(r),
      `${r.local} ${t} ${r.name}(${s}* p, ${t} v) {`,
      `  ${s} old, neu;`,
      '  __atomic_load(p, &old, __ATOMIC_RELAXED);',
      `  do neu = ${next(r)};`,
      `  while (!${same});`,
      '  return old;',
      '}',
    );
  };

const native =
  (builtin: string): HelperRow =>
  (r) =>
    helperText(
      [],
      `${r.local} ${r.scalar(r.a)} ${r.name}(${r.stored(r.a)}* p, ${r.scalar(r.a)} v) { return ${builtin}(p, v, __ATOMIC_RELAXED); }`,
    );

const plain =
  (next: (r: HelperRequest) => string, needs: (r: HelperRequest) => readonly string[] = () => []): HelperRow =>
  (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    return helperText(
      needs(r),
      `${r.anyPointer?.before ?? ''}${r.local} ${t} ${r.name}(${r.anyPointer?.type ?? `${s}*`} p, ${t} v) {`,
      `  const ${t} old = *p;`,
      `  *p = (${s})(${next(r)});`,
      '  return old;',
      '}',
    );
  };

const either =
  (ifFloat: HelperRow, otherwise: HelperRow): HelperRow =>
  (r) =>
    isFloat(r.a) ? ifFloat(r) : otherwise(r);

const minimum = (r: HelperRequest): string => `min_${r.a}(old, v)`;
const maximum = (r: HelperRequest): string => `max_${r.a}(old, v)`;

/** Read-modify-writes of an element, as other threads see them and as one alone does them; each returns what was there. */
export const atomicHelpers: HelperRows = {
  atomic_add: either(
    retry(
      () => 'old + v',
      () => [],
    ),
    native('__atomic_fetch_add'),
  ),
  atomic_min: retry(minimum, (r) => [`min_${r.a}`]),
  atomic_max: retry(maximum, (r) => [`max_${r.a}`]),
  atomic_and: native('__atomic_fetch_and'),
  atomic_or: native('__atomic_fetch_or'),
  atomic_xor: native('__atomic_fetch_xor'),
  atomic_exchange: retry(
    () => 'v',
    () => [],
  ),
  serial_add: plain(
    (r) => (isFloat(r.a) ? 'old + v' : `add_${r.a}(old, v)`),
    (r) => (isFloat(r.a) ? [] : [`add_${r.a}`]),
  ),
  serial_min: plain(minimum, (r) => [`min_${r.a}`]),
  serial_max: plain(maximum, (r) => [`max_${r.a}`]),
  serial_and: plain(() => 'old & v'),
  serial_or: plain(() => 'old | v'),
  serial_xor: plain(() => 'old ^ v'),
  serial_exchange: plain(() => 'v'),
  /* The comparison is of bits, so NaN equals itself and the zeros differ. */
  atomic_cas: (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    return helperText(
      [],
      `${r.local} ${t} ${r.name}(${s}* p, ${t} expected, ${t} desired) {`,
      `  ${s} old = expected, neu = desired;`,
      `  __atomic_compare_exchange(p, &old, &neu, ${r.tokens.false}, __ATOMIC_RELAXED, __ATOMIC_RELAXED);`,
      '  return old;  // what was there, whether it was as expected or not',
      '}',
    );
  },
  serial_cas: (r) => {
    const [t, s] = [r.scalar(r.a), r.stored(r.a)];
    return helperText(
      [],
      `${r.local} ${t} ${r.name}(${s}* p, ${t} expected, ${t} desired) {`,
      `  const ${s} old = *p, same = expected;`,
      `  if (__builtin_memcmp(&old, &same, sizeof old) == 0) *p = desired;`,
      '  return old;',
      '}',
    );
  },
};
