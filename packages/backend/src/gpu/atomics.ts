import { type ScalarType, byteSize, isFloat } from '@filigree/ir';
import { type HelperRequest, type HelperRow, type HelperRows, helperText, wordOf } from '../c-family/helpers/helper.js';

/** How a language changes memory that all threads see. */
export interface AtomicWords {
  /** The type of a pointer into that memory. */
  readonly pointer: (stored: string) => string;
  /** Puts a word there if another is there; gives what was. */
  readonly swap: (t: 'u32' | 'u64', at: string, expected: string, desired: string) => string;
  /** What the language does by itself, on `p` and `v`. */
  readonly native: (kind: AtomicKind, r: HelperRequest) => string | undefined;
}

export type AtomicKind = keyof typeof next;

/** What an update puts in the place of `old`, from that and `v`. */
export const next = {
  add: (r: HelperRequest) => (isFloat(r.a) ? 'old + v' : `add_${r.a}(old, v)`),
  min: (r: HelperRequest) => `min_${r.a}(old, v)`,
  max: (r: HelperRequest) => `max_${r.a}(old, v)`,
  and: () => 'old & v',
  or: () => 'old | v',
  xor: () => 'old ^ v',
  exchange: () => 'v',
};

/**
 * Helpers of these words: atomics that the language has, and the rest as loops around its compare-and-swap. Their names begin with `prefix`:
 * there may be others for other memory.
 */
export const gpuAtomics = (words: AtomicWords, prefix = 'atomic'): HelperRows => ({
  ...Object.fromEntries(
    (Object.keys(next) as AtomicKind[]).map((kind) => [
      `${prefix}_${kind}`,
      (r: HelperRequest) => {
        const native = words.native(kind, r);
        return native === undefined ? update(words, kind, r) : helperText([], `${head(words, r)} return ${native}; }`);
      },
    ]),
  ),
  [`${prefix}_cas`]: (r) => compareAndSwap(words, r),
  /* The comparison is of bits, so NaN equals itself and the zeros differ. */
  serial_cas: (r) => {
    const bits = (x: string): string => (isFloat(r.a) ? `bits_${wordOf(r.a)}_${r.a}(${x})` : x);
    return helperText(
      isFloat(r.a) ? [`bits_${wordOf(r.a)}_${r.a}`] : [],
      `${r.anyPointer?.before ?? ''}${r.local} ${r.scalar(r.a)} ${r.name}(${r.anyPointer?.type ?? `${r.stored(r.a)}*`} p, ${r.scalar(r.a)} expected, ${r.scalar(r.a)} desired) {`,
      `  const ${r.scalar(r.a)} old = *p;`,
      `  if (${bits('old')} == ${bits('expected')}) *p = desired;`,
      '  return old;',
      '}',
    );
  },
});

const head = ({ pointer }: AtomicWords, r: HelperRequest): string =>
  `${r.local} ${r.scalar(r.a)} ${r.name}(${pointer(r.stored(r.a))} p, ${r.scalar(r.a)} v) {`;

/** The helpers that `next` calls. */
export const needsOf = (kind: AtomicKind, r: HelperRequest): readonly string[] =>
  kind === 'min' || kind === 'max' || (kind === 'add' && !isFloat(r.a)) ? [`${kind}_${r.a}`] : [];

/** A read-modify-write as a loop: what was seen is tried until nobody was faster. */
const update = (words: AtomicWords, kind: AtomicKind, r: HelperRequest): ReturnType<HelperRow> => {
  const part = element(words, r);
  return helperText(
    [...part.needs, ...needsOf(kind, r)],
    head(words, r),
    ...part.begin,
    '  for (;;) {',
    `    const ${part.type} same = seen;`,
    `    const ${r.scalar(r.a)} old = ${part.from('same')};`,
    `    seen = ${words.swap(part.word, 'at', 'same', part.into('same', next[kind](r)))};`,
    '    if (seen == same) return old;',
    '  }',
    '}',
  );
};

const compareAndSwap = (words: AtomicWords, r: HelperRequest): ReturnType<HelperRow> => {
  const part = element(words, r);
  const t = r.scalar(r.a);
  const head = `${r.local} ${t} ${r.name}(${words.pointer(r.stored(r.a))} p, ${t} expected, ${t} desired) {`;
  if (byteSize(r.a) >= 4) {
    const swapped = words.swap(
      part.word,
      `(${words.pointer(part.type)})p`,
      part.into('', 'expected'),
      part.into('', 'desired'),
    );
    return helperText(
      part.needs,
      head,
      `  const ${part.type} seen = ${swapped};`,
      `  return ${part.from('seen')};`,
      '}',
    );
  }
  return helperText(
    part.needs,
    head,
    ...part.begin,
    '  for (;;) {',
    `    const ${part.type} same = seen;`,
    `    const ${t} old = ${part.from('same')};`,
    '    if (old != expected) return old;',
    `    seen = ${words.swap(part.word, 'at', 'same', part.into('same', 'desired'))};`,
    '    if (seen == same) return old;',
    '  }',
    '}',
  );
};

/** An element as a word, or a part of one. */
interface Element {
  readonly word: 'u32' | 'u64';
  readonly type: string;
  readonly needs: readonly string[];
  /** Declares `at`, where the word is, and `seen`, what is there. */
  readonly begin: readonly string[];
  /** The element in a word, and a word with another element in it. */
  readonly from: (word: string) => string;
  readonly into: (word: string, value: string) => string;
}

const element = ({ pointer }: AtomicWords, r: HelperRequest): Element => {
  const bytes = byteSize(r.a);
  const word = bytes === 8 ? 'u64' : 'u32';
  const type = r.scalar(word);
  const at = (where: string): string => `  ${pointer(type)} at = (${pointer(type)})${where};`;
  const seen = `  ${type} seen = *at;`;
  if (bytes >= 4) {
    const [to, from] = [`bits_${r.a}_${word}`, `bits_${word}_${r.a}`];
    const needs = isFloat(r.a) ? [to, from] : [];
    return {
      ...{ word, type, needs, begin: [at('p'), seen] },
      from: (x) => (isFloat(r.a) ? `${to}(${x})` : `(${r.scalar(r.a)})${x}`),
      into: (_, value) => (isFloat(r.a) ? `${from}(${value})` : `(${type})(${value})`),
    };
  }
  const mask = bytes === 1 ? '0xffu' : '0xffffu';
  const wide = r.scalar('u64' as ScalarType);
  return {
    ...{ word, type, needs: [] },
    begin: [`  const int shift = 8 * (int)((${wide})p & 3);`, at(`((${wide})p & ~(${wide})3)`), seen],
    from: (x) => (r.a === 'i1' ? `((${x} >> shift) & ${mask}) != 0` : `(${r.scalar(r.a)})(${x} >> shift)`),
    into: (x, value) =>
      `(${x} & ~(${mask} << shift)) | ((${type})(${r.stored(bytes === 1 ? 'u8' : 'u16')})(${value}) << shift)`,
  };
};
