import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, type Num } from '@filigree/ir';
import {
  defaultOptions,
  plainElements,
  type ElementsWord,
  type Program,
  type SpecializeOptions,
} from '@filigree/specialize';
import { numbers, relativeError, runProgram } from './support.js';

/** Faces of a row of squares of vertices, two a square. */
const strip = (squares: number): number[][] => {
  const faces: number[][] = [];
  for (let i = 0; i < squares; i++) faces.push([2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 3, 2 * i + 2, 2 * i + 1]);
  return faces;
};

/**
 * Each face adds a block to each pair of its vertices, the upper triangle of a matrix: `slots[q]` says where entry q of all blocks goes.
 */
const program =
  (faces: readonly number[][], slots: readonly Int32Array[], size: number, length: number) =>
  ({ x }: { x: Num[] }, elements: ElementsWord): { out: Num[] } => {
    const out = new Array<Num>(length).fill(0);
    const corners = [0, 1, 2].map((c) => Int32Array.from(faces, (f) => f[c]));
    elements(faces.length, { x, out, corners, slots: [...slots] }, (of) => {
      let q = 0;
      for (const [i, j] of PAIRS)
        for (let a = 0; a < size; a++)
          for (let b = 0; b < size; b++, q++) {
            const value = m.div(
              m.add(m.mul(of.x[of.corners[i]], 2 + a), m.mul(of.x[of.corners[j]], 5 + b)),
              m.add(3 + a * b, m.mul(of.x[of.corners[i]], of.x[of.corners[j]])),
            );
            const at = of.slots[q];
            of.out[at] = b === 0 ? m.sub(of.out[at], value) : m.add(of.out[at], value);
          }
    });
    return { out };
  };

const PAIRS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 1],
  [1, 2],
  [2, 2],
] as const;

/** Where entries go: the block of two vertices at `size²` times the number of their pair, entries of a transposed block turned. */
const slotsOf = (faces: readonly number[][], size: number): { slots: Int32Array[]; length: number } => {
  const pairs = new Map<string, number>();
  const slots = Array.from({ length: PAIRS.length * size * size }, () => new Int32Array(faces.length));
  faces.forEach((f, e) => {
    let q = 0;
    for (const [i, j] of PAIRS) {
      const [v, w] = [Math.min(f[i], f[j]), Math.max(f[i], f[j])];
      const key = `${v} ${w}`;
      if (!pairs.has(key)) pairs.set(key, pairs.size);
      const first = pairs.get(key)! * size * size;
      for (let a = 0; a < size; a++)
        for (let b = 0; b < size; b++, q++) slots[q][e] = first + (f[i] <= f[j] ? a * size + b : b * size + a);
    }
  });
  return { slots, length: pairs.size * size * size };
};

const run = (
  faces: readonly number[][],
  slots: readonly Int32Array[],
  size: number,
  length: number,
  options: Partial<SpecializeOptions>,
  arithmetic = ARITHMETICS[0],
) => {
  const vertices = 2 + faces.length;
  const body = program(faces, slots, size, length);
  const traced: Program = { inputs: { x: vertices }, run: (given, { elements }) => body(given as never, elements) };
  const x = numbers(vertices, 7);
  const { outputs, specialized } = runProgram(traced, { x }, options, arithmetic);
  return { out: outputs.out, plain: body({ x: [...x] }, plainElements).out as number[], specialized };
};

const group = { ...defaultOptions.group, minUnrolledInstances: 2 };

describe('sums that read the same elements', () => {
  it('share an index', () => {
    const faces = strip(100);
    const { slots, length } = slotsOf(faces, 3);
    const options = { ...defaultOptions.place, pieces: false };
    const together = run(faces, slots, 3, length, { place: options });
    const single = run(faces, slots, 3, length, {
      place: options,
      group: { ...defaultOptions.group, blocks: false },
    });
    expect([...together.out]).toEqual([...single.out]);
    expect(relativeError(together.out, together.plain)).toBeLessThan(1e-14);
    expect(together.specialized.indexBytes).toBeLessThan(single.specialized.indexBytes / 2.9);
  });

  it('run in the launch of these, tile by tile, but where they read several tiles', () => {
    const faces = strip(200);
    const { slots, length } = slotsOf(faces, 2);
    const compiled = (fusedBytes: number) =>
      run(faces, slots, 2, length, { place: { ...defaultOptions.place, fusedBytes } });
    const [apart, together] = [compiled(0), compiled(1 << 11)];
    const groups = ({ specialized }: typeof apart): number[] =>
      specialized.module.kernels.map(({ attrs }) => Number(attrs['groups']));
    expect([...together.out]).toEqual([...apart.out]);
    expect(groups(together)[0]).toBeGreaterThan(groups(apart)[0]);
    expect(groups(together)).toHaveLength(groups(apart).length);
  });

  it('compute what plain code does, wherever their entries go', () => {
    fc.assert(
      fc.property(
        fc.record({
          squares: fc.nat(6),
          size: fc.integer({ min: 1, max: 3 }),
          turned: fc.array(fc.nat(2), { minLength: 20, maxLength: 20 }),
          /* Entries that go elsewhere than their block. */
          moved: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 3 }),
          shift: fc.nat(8),
        }),
        fc.constantFrom(...ARITHMETICS),
        fc.constantFrom<Partial<SpecializeOptions>>(
          { group },
          { group: { ...group, blocks: false } },
          { group: { ...group, maxUnrolledTerms: 1 } },
          { group, simplify: false },
          { group, place: { ...defaultOptions.place, coherence: false, narrow: false, tileBytes: 256 } },
          { group, place: { ...defaultOptions.place, fusedBytes: 64 } },
          { group, decompose: { ...defaultOptions.decompose, detectBlocks: false } },
          { group, decompose: { ...defaultOptions.decompose, global: false, local: false } },
        ),
        ({ squares, size, turned, moved, shift }, arithmetic, options) => {
          const faces = strip(squares).map((f, e) => f.map((_, c) => f[(c + turned[e]) % 3]));
          const { slots, length } = slotsOf(faces, size);
          const room = length + 2;
          /* Distances wrap. */
          for (const table of slots) for (let e = 0; e < table.length; e++) table[e] = (table[e] + shift) % room;
          for (const [q, e, to] of moved) if (faces.length > 0) slots[q % slots.length][e % faces.length] = to % room;
          const { out, plain } = run(faces, slots, size, room, options, arithmetic);
          if (arithmetic === 'exact') expect([...out]).toEqual(plain);
          expect(relativeError(out, plain)).toBeLessThan(1e-13);
        },
      ),
      { numRuns: 25 },
    );
  });
});
