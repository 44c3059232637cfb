import fc from 'fast-check';
import {
  boundingBox,
  contractionOrder,
  contractPatterns,
  countNonzeros,
  equivalentPatterns,
  fullPattern,
  patternOf,
  type BooleanTensor,
  type ContractionTree,
  type IndexedPattern,
} from '@filigree/sparse/eqspp';
import { expect, test } from 'vitest';

/** The product of tensors with the given entries (5), by all values of all indices; extents by letter. */
const product = (
  factors: readonly { readonly indices: string; readonly values: ArrayLike<number> }[],
  target: string,
  extents: Readonly<Record<string, number>>,
  visit?: (term: number, entries: readonly number[]) => void,
): number[] => {
  const letters = [...new Set(factors.map((f) => f.indices).join('') + target)];
  const size = (of: string): number => [...of].reduce((v, i) => v * extents[i], 1);
  const out = new Array<number>(size(target)).fill(0);
  for (let e = 0; e < size(letters.join('')); e++) {
    const at: Record<string, number> = {};
    let rest = e;
    for (const i of letters) {
      at[i] = rest % extents[i];
      rest = Math.floor(rest / extents[i]);
    }
    const place = (of: string): number => [...of].reduceRight((p, i) => p * extents[i] + at[i], 0);
    const entries = factors.map((f) => place(f.indices));
    const term = factors.reduce((v, f, n) => v * f.values[entries[n]], 1);
    visit?.(term, entries);
    out[place(target)] += term;
  }
  return out;
};

/** Two or three factors whose entries are few enough for all their subsets. */
const small = fc
  .record({
    extents: fc.record({
      a: fc.integer({ min: 1, max: 2 }),
      b: fc.integer({ min: 1, max: 3 }),
      c: fc.integer({ min: 1, max: 2 }),
    }),
    indices: fc.array(fc.constantFrom('a', 'b', 'c', 'ab', 'ba', 'bc', 'ca'), { minLength: 1, maxLength: 3 }),
    bits: fc.array(fc.boolean(), { minLength: 18, maxLength: 18 }),
    kept: fc.subarray(['a', 'b', 'c']),
  })
  .map(({ extents, indices, bits, kept }) => {
    let at = 0;
    const factors = indices.map((letters): IndexedPattern => {
      const shape = [...letters].map((i) => extents[i as 'a']);
      const size = shape.reduce((v, n) => v * n, 1);
      return {
        indices: letters,
        pattern: { shape, bits: Uint8Array.from({ length: size }, () => (bits[at++ % 18] ? 1 : 0)) },
      };
    });
    return { extents, factors, target: kept.filter((i) => indices.join('').includes(i)).join('') };
  });

test('equivalent patterns are the smallest that leave the product unchanged (Def. 4.1, by all subsets)', () => {
  fc.assert(
    fc.property(small, ({ extents, factors, target }) => {
      const entries = factors.flatMap((f, n) => [...f.pattern.bits].flatMap((b, e) => (b === 1 ? [{ n, e }] : [])));
      fc.pre(entries.length <= 11);
      const values = factors.map((f, n) => Float64Array.from(f.pattern.bits, (b, e) => b * (1 + 7 * n + e)));
      const evaluate = (subset: number): number[] =>
        product(
          factors.map((f, n) => ({
            indices: f.indices,
            values: values[n].map((v, e) => {
              const at = entries.findIndex((x) => x.n === n && x.e === e);
              return at >= 0 && (subset >>> at) & 1 ? v : 0;
            }),
          })),
          target,
          extents,
        );
      const all = 2 ** entries.length - 1;
      const wanted = evaluate(all);
      let best = all;
      const ones = (x: number): number => x.toString(2).replaceAll('0', '').length;
      for (let s = 0; s <= all; s++) if (ones(s) < ones(best) && evaluate(s).every((v, e) => v === wanted[e])) best = s;
      const found = equivalentPatterns(factors, { indices: target });
      entries.forEach(({ n, e }, at) => expect(found.factors[n].bits[e]).toBe((best >>> at) & 1));
      expect(found.factors.reduce((n, f) => n + countNonzeros(f), 0)).toBe(ones(best));
      expect([...found.result.bits]).toEqual(wanted.map((v) => (v > 0 ? 1 : 0)));
    }),
    { numRuns: 60 },
  );
});

test('with a wanted pattern, what only leads elsewhere is not needed', () => {
  fc.assert(
    fc.property(small, fc.infiniteStream(fc.boolean()), ({ extents, factors, target }, coin) => {
      const shape = [...target].map((i) => extents[i as 'a']);
      const wanted = { shape, bits: fullPattern(shape).bits.map(() => (coin.next().value ? 1 : 0)) };
      const found = equivalentPatterns(factors, { indices: target, pattern: wanted });
      const needed = factors.map((f) => new Uint8Array(f.pattern.bits.length));
      const masked = [...factors, { indices: target, pattern: wanted }];
      product(
        masked.map((f) => ({ indices: f.indices, values: f.pattern.bits })),
        target,
        extents,
        (term, at) => {
          if (term > 0) needed.forEach((bits, n) => (bits[at[n]] = 1));
        },
      );
      expect(found.factors.map((f) => [...f.bits])).toEqual(needed.map((b) => [...b]));
    }),
    { numRuns: 100 },
  );
});

test('zero blocks around a block empty it: (K 0)(Q)(A 0)ᵀ needs the first block of Q only', () => {
  const block = (rows: number, columns: number, kept: (i: number, j: number) => boolean): BooleanTensor => {
    const entries: number[][] = [];
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) if (kept(i, j)) entries.push([i, j]);
    return patternOf([rows, columns], entries);
  };
  const [K, Q, A] = equivalentPatterns(
    [
      { indices: 'kl', pattern: block(4, 6, (_, l) => l < 2) },
      { indices: 'lq', pattern: fullPattern([6, 5]) },
      { indices: 'qp', pattern: block(5, 3, (q) => q < 3) },
    ],
    { indices: 'kp' },
  ).factors;
  expect(boundingBox(Q)).toEqual([
    [0, 2],
    [0, 3],
  ]);
  expect([countNonzeros(K), countNonzeros(Q), countNonzeros(A)]).toEqual([8, 6, 9]);
});

test('the product of two patterns equals brute force', () => {
  fc.assert(
    fc.property(small, ({ extents, factors, target }) => {
      const [a, b] = [factors[0], factors[factors.length - 1]];
      const kept = [...target].filter((i) => (a.indices + b.indices).includes(i)).join('');
      const values = [a, b].map((f) => ({ indices: f.indices, values: f.pattern.bits }));
      const wanted = product(values, kept, extents).map((v) => (v > 0 ? 1 : 0));
      expect([...contractPatterns(a, b, kept).bits]).toEqual(wanted);
    }),
    { numRuns: 100 },
  );
});

test('no order of multiplication needs fewer operations', () => {
  const factor = fc.record({
    indices: fc.constantFrom('ab', 'bc', 'cd', 'da', 'ac', 'bd', 'e'),
    bits: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  });
  fc.assert(
    fc.property(
      fc.array(factor, { minLength: 2, maxLength: 4 }),
      fc.subarray(['a', 'b', 'c', 'd', 'e']),
      (list, kept) => {
        const extents = { a: 3, b: 3, c: 3, d: 3, e: 3 };
        const factors = list.map(({ indices, bits }) => {
          const shape = [...indices].map(() => 3);
          const pattern = {
            shape,
            bits: Uint8Array.from({ length: 3 ** indices.length }, (_, e) => (bits[e] ? 1 : 0)),
          };
          return { indices, pattern };
        });
        const target = kept.filter((i) => list.some((f) => f.indices.includes(i))).join('');
        const found = contractionOrder(factors, { indices: target });
        expect(found.operations).toBe(fewest(factors, target, extents));
        expect(leaves(found.tree).sort()).toEqual(factors.map((_, n) => n));
      },
    ),
    { numRuns: 60 },
  );
});

test('an order with outer products is taken only if it saves enough', () => {
  const factors = [
    { indices: 'xl', pattern: fullPattern([8, 8]) },
    { indices: 'lyq', pattern: fullPattern([8, 64, 4]) },
    { indices: 'qp', pattern: patternOf([4, 4], [[0, 1], [1, 0]]) }, // prettier-ignore
  ];
  const text = (tree: ContractionTree): string =>
    tree.kind === 'factor' ? factors[tree.factor].indices : `(${text(tree.left)} ${text(tree.right)})`;
  const any = contractionOrder(factors, { indices: 'xyp' });
  const without = contractionOrder(factors, { indices: 'xyp' }, 0.75);
  expect(text(any.tree)).toBe('((xl qp) lyq)');
  expect(text(without.tree)).toBe('(xl (lyq qp))');
  expect(any.operations).toBeLessThan(without.operations);
});

test('what is too large is answered, not made', () => {
  const one = patternOf([300], [[0]]);
  const list = ['a', 'b', 'c', 'd', 'e'].map((indices) => ({ indices, pattern: one }));
  expect(() => contractionOrder(list, { indices: 'abcde' })).toThrow(/eqspp\/too-large/);
  expect(() => contractionOrder([], { indices: '' })).toThrow(/eqspp\/factors/);
});

const leaves = (tree: ContractionTree): number[] =>
  tree.kind === 'factor' ? [tree.factor] : [...leaves(tree.left), ...leaves(tree.right)];

/** The fewest operations (§4.3) over all orders, found by joining every pair of parts. */
const fewest = (
  parts: readonly IndexedPattern[],
  target: string,
  extents: Readonly<Record<string, number>>,
): number => {
  const count = (factors: readonly IndexedPattern[], indices: string): number =>
    product(
      factors.map((f) => ({ indices: f.indices, values: f.pattern.bits })),
      indices,
      extents,
    ).filter((v) => v > 0).length;
  const keep = (indices: string, others: readonly IndexedPattern[]): string =>
    [...new Set(indices)].filter((i) => target.includes(i) || others.some((o) => o.indices.includes(i))).join('');
  let own = 0;
  const summed = parts.map((p, n) => {
    const indices = keep(
      p.indices,
      parts.filter((_, o) => o !== n),
    );
    if (indices === p.indices) return p;
    own += count([p], p.indices) - count([p], indices);
    return { indices, pattern: contractPatterns(p, p, indices) };
  });
  if (summed.length === 1) return own;
  let best = Infinity;
  summed.forEach((x, n) =>
    summed.slice(n + 1).forEach((y) => {
      const others = summed.filter((z) => z !== x && z !== y);
      const all = [...new Set(x.indices + y.indices)].join('');
      const indices = keep(all, others);
      const products = count([x, y], all);
      const result = { indices, pattern: contractPatterns(x, y, indices) };
      const here = 2 * products - countNonzeros(result.pattern);
      best = Math.min(best, here + fewest([...others, result], target, extents));
    }),
  );
  return own + best;
};

test('products of known factors cost nothing, if they are not too large', () => {
  const dense = (indices: string, ...shape: number[]): IndexedPattern => ({ indices, pattern: fullPattern(shape) });
  const factors = [dense('ij', 4, 9), dense('jk', 9, 4), dense('k', 4)];
  const known = [true, true, false];
  const order = (mostEntries: number) =>
    contractionOrder(factors, { indices: 'i' }, 1, { factors: known, mostEntries });
  expect(order(16)).toMatchObject({
    operations: 2 * 4 * 4 - 4,
    tree: { left: { kind: 'product', indices: 'ik' }, right: { factor: 2 } },
  });
  expect(order(15)).toEqual(contractionOrder(factors, { indices: 'i' }));
  expect(
    contractionOrder(factors, { indices: 'i' }, 1, { factors: [true, true, true], mostEntries: 36 }).operations,
  ).toBe(0);
});
