import {
  coversExactly,
  expandPieces,
  groupByShape,
  printPiece,
  reconstruct,
  reconstructPattern,
  tracePattern,
  type Piece,
} from '@filigree/sparse/trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridLaplacian, left, right } from './support.js';

type Streams = readonly (readonly number[])[];

/** Reconstructs, and checks what every reconstruction promises. */
const pieces = (streams: Streams, options: Parameters<typeof reconstruct>[1] = {}): readonly Piece[] => {
  const r = right(reconstruct(streams, options));
  expect(r.complete).toBe(true);
  expect(r.covered).toBe(streams[0]!.length);
  expect(coversExactly(r.pieces, streams)).toEqual({ exact: true, covered: streams[0]!.length });
  expect(Math.max(0, ...r.pieces.map((p) => p.levels.length))).toBeLessThanOrEqual(options.maxDimensions ?? 8);
  return r.pieces;
};

/** Streams of the elements that nested loops visit. */
const visited = (width: number, visit: (push: (...values: number[]) => void) => void): number[][] => {
  const out: number[][] = Array.from({ length: width }, () => []);
  visit((...values) => values.forEach((v, k) => out[k]!.push(v)));
  return out;
};

describe('regular traces are few pieces', () => {
  it('a line is one loop, which prints as it reads', () => {
    const [p] = pieces([[3, 5, 7, 9]]);
    expect(printPiece(p!)).toBe('for x0 in 0..3\n  (2*x0 + 3)');
  });

  it('a single element is a piece without loops', () => {
    expect(pieces([[7], [8]]).map(printPiece)).toEqual(['(7, 8)']);
  });

  it('a box of three loops', () => {
    const s = visited(2, (push) => {
      for (let i = 0; i < 5; i++)
        for (let j = 0; j < 4; j++) for (let k = 0; k < 3; k++) push(100 * i + 7 * j + k, i - k);
    });
    expect(pieces(s)).toHaveLength(1);
    expect(pieces(s, { maxDimensions: 2 })).toHaveLength(5);
  });

  it('a triangle, a trapezoid and a band have faces that are functions of the row', () => {
    const rows = (from: (i: number) => number, to: (i: number) => number) =>
      visited(2, (push) => {
        for (let i = 0; i < 30; i++) for (let j = from(i); j <= to(i); j++) push(i, j);
      });
    const options = { maxDimensions: 2 };
    const triangle = pieces(
      rows(
        () => 0,
        (i) => i,
      ),
      options,
    );
    expect(triangle.map(printPiece)).toEqual(['for x0 in 0..29\n  for x1 in 0..x0\n    (x0, x1)']);
    expect(
      pieces(
        rows(
          (i) => i,
          (i) => 40 + 2 * i,
        ),
        options,
      ),
    ).toHaveLength(1);
    expect(
      pieces(
        rows(
          (i) => Math.max(0, i - 3),
          (i) => Math.min(29, i + 3),
        ),
        options,
      ),
    ).toHaveLength(1);
  });

  it('a pyramid: three loops, each bounded by those outside', () => {
    const s = visited(3, (push) => {
      for (let i = 0; i < 15; i++) for (let j = 0; j <= i; j++) for (let k = j; k <= i; k++) push(i, j, k);
    });
    expect(pieces(s, { maxDimensions: 3 })).toHaveLength(1);
  });

  it('a tiled traversal is pieces of four, three or two loops', () => {
    const s = visited(2, (push) => {
      for (let I = 0; I < 4; I++)
        for (let J = 0; J < 5; J++) for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) push(3 * I + i, 3 * J + j);
    });
    expect([4, 3, 2].map((maxDimensions) => pieces(s, { maxDimensions }).length)).toEqual([1, 4, 20]);
  });

  it('takes any limit on loops', () => {
    const s = [[0, 1, 2, 5, 6, 7, 20, 21, 22, 25, 26, 27]];
    expect([8, 1e9, Infinity].map((maxDimensions) => pieces(s, { maxDimensions }).length)).toEqual([1, 1, 1]);
  });

  it('the five-point stencil of a strip is one piece of three loops', () => {
    const s = visited(3, (push) => {
      let at = 0;
      for (let i = 50; i < 90; i++) for (const d of [-50, -1, 0, 1, 50]) push(at++, i, i + d);
    });
    expect(pieces(s, { maxDimensions: 3 })).toHaveLength(1);
  });
});

describe('any trace is rebuilt exactly, in order', () => {
  const options = fc.record({ maxDimensions: fc.integer({ min: 0, max: 8 }), beam: fc.integer({ min: 1, max: 6 }) });

  it('random unions of lattices', () => {
    const lattice = fc
      .record({
        sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
        skew: fc.integer({ min: -1, max: 1 }),
        strides: fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
          minLength: 4,
          maxLength: 4,
        }),
        origin: fc.tuple(fc.integer(), fc.integer({ min: -50, max: 50 })),
      })
      .map(({ sizes, skew, strides, origin }) =>
        visited(2, (push) => {
          const loop = (d: number, a: number, b: number, outer: number): void => {
            if (d === sizes.length) return push(a, b);
            const end = Math.max(0, sizes[d]! + skew * outer);
            for (let x = 0; x < end; x++) loop(d + 1, a + x * strides[d]![0], b + x * strides[d]![1], x);
          };
          loop(0, origin[0], origin[1], 0);
        }),
      );
    fc.assert(
      fc.property(fc.array(lattice, { minLength: 1, maxLength: 5 }), options, (parts, o) => {
        const s = [0, 1].map((k) => parts.flatMap((p) => p[k]!));
        const found = pieces(s, o);
        expect(expandPieces(found, 2).map((x) => [...x])).toEqual(s);
      }),
      { numRuns: 150 },
    );
  });

  it('random bodies that repeat, between random noise', () => {
    const element = fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 }));
    const noise = fc.array(element, { maxLength: 12 });
    const repeated = fc
      .record({
        body: fc.array(element, { minLength: 2, maxLength: 7 }),
        copies: fc.integer({ min: 1, max: 30 }),
        stride: element,
      })
      .map(({ body, copies, stride }) =>
        Array.from({ length: copies }, (_, c) => body.map(([a, b]) => [a + c * stride[0], b + c * stride[1]])).flat(),
      );
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, repeated), { maxLength: 6 }), options, (parts, o) => {
        const rows = parts.flat();
        const s = [0, 1].map((k) => rows.map((r) => r[k]!));
        expect(expandPieces(pieces(s, o), 2).map((x) => [...x])).toEqual(s);
      }),
      { numRuns: 100 },
    );
  });

  it('random noise, at most one piece for each d + 1 elements', () => {
    const noise = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer(), fc.nat({ max: 2 })), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(noise, options, (rows, o) => {
        const s = [0, 1, 2].map((k) => rows.map((r) => r[k]!));
        expect(pieces(s, o).length).toBeLessThanOrEqual(Math.ceil(rows.length / (o.maxDimensions + 1)));
      }),
      { numRuns: 150 },
    );
  });

  it('random sparse patterns in every order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(fc.nat({ max: 19 }), fc.nat({ max: 19 })), { maxLength: 90 }),
        fc.constantFrom('row', 'column', 'diagonal', 'shape', 'best' as const),
        (n, places, order) => {
          const cells = new Set(places.map(([i, j]) => (i % n) * n + (j % n)));
          const sorted = [...cells].sort((a, b) => a - b);
          const rowPtr = Int32Array.from({ length: n + 1 }, (_, i) => sorted.filter((c) => c < i * n).length);
          const pattern = { rows: n, cols: n, rowPtr, colIdx: Int32Array.from(sorted, (c) => c % n) };
          const r = right(reconstructPattern(pattern, { order }));
          const { streams } = tracePattern(pattern, r.order);
          expect(coversExactly(r.pieces, streams).exact).toBe(true);
          expect([...streams[0]].sort((a, b) => a - b)).toEqual(sorted.map((_, e) => e));
          streams[0].forEach((e, t) => expect(streams[2][t]).toBe(pattern.colIdx[e]));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('pieces are data', () => {
  it('survive JSON', () => {
    const { pattern } = gridLaplacian(5);
    const { streams } = tracePattern(pattern);
    const found = pieces(streams.map((s) => [...s]));
    const copy = JSON.parse(JSON.stringify(found)) as Piece[];
    expect(copy).toEqual(found);
    expect(coversExactly(copy, streams).exact).toBe(true);
  });

  it('of one shape are grouped, each at its origin', () => {
    const starts = [0, 1000, 17, -5, 300];
    const found = pieces([starts.flatMap((s) => [s, s + 1, s + 2, s + 3])], { maxDimensions: 1 });
    const [group, ...others] = groupByShape(found);
    expect(others).toEqual([]);
    expect([...group!.origins]).toEqual(starts);
    expect([...group!.members]).toEqual([0, 1, 2, 3, 4]);
    expect(group!.shape.access[0]).toEqual({ constant: 0, coefs: [1] });
  });

  it('a wrong piece is seen', () => {
    const [p] = pieces([[0, 1, 2]]);
    expect(coversExactly([p!], [[0, 1, 3]]).exact).toBe(false);
    expect(coversExactly([p!], [[0, 1, 2, 3]])).toEqual({ exact: false, covered: 3 });
    expect(coversExactly([{ ...p!, count: 2 }], [[0, 1, 2]]).exact).toBe(false);
  });
});

describe('limits and bad input', () => {
  it('stops after the pieces allowed and says how far it came', () => {
    const r = right(reconstruct([[0, 5, 1, 7, 2, 2, 9]], { maxDimensions: 1, maxPieces: 2 }));
    expect(r.complete).toBe(false);
    expect(r.pieces).toHaveLength(2);
    expect(r.covered).toBe(r.pieces.reduce((n, p) => n + p.count, 0));
  });

  it('equal elements stay; an empty trace has no pieces', () => {
    expect(pieces([[4, 4, 4, 4]])).toHaveLength(1);
    expect(pieces([[], []])).toEqual([]);
  });

  it('refuses what is no trace', () => {
    expect(left(reconstruct([]))).toMatchObject({ code: 'trace/streams' });
    expect(left(reconstruct([[1, 2], [1]]))).toMatchObject({ code: 'trace/length' });
    expect(left(reconstruct([[1, 2.5]]))).toMatchObject({ code: 'trace/value' });
    expect(left(reconstruct([[1, NaN]]))).toMatchObject({ code: 'trace/value' });
    expect(left(reconstruct([[1, 2 ** 50]]))).toMatchObject({ code: 'trace/value' });
    expect(left(reconstruct([[1]], { maxDimensions: -1 }))).toMatchObject({ code: 'option/value' });
  });

  it('refuses a pattern with unsorted, duplicate or out-of-range columns', () => {
    const pattern = (...colIdx: number[]) => ({
      rows: 1,
      cols: 4,
      rowPtr: Int32Array.of(0, colIdx.length),
      colIdx: Int32Array.from(colIdx),
    });
    expect(left(reconstructPattern(pattern(2, 1)))).toMatchObject({ code: 'csr/column-order' });
    expect(left(reconstructPattern(pattern(1, 1)))).toMatchObject({ code: 'csr/column-order' });
    expect(left(reconstructPattern(pattern(1, 4)))).toMatchObject({ code: 'csr/column-range' });
  });
});
