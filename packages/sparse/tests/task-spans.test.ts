import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { parseModule, orThrow } from '@filigree/ir';
import { cutCoreKernels } from '@filigree/sparse/tasks';

/** Iterations of a loop over tiles; each writes elements that a table of so many columns names in its last one. */
interface Tiles {
  readonly columns: number;
  /** The elements that each tile writes. */
  readonly written: readonly (readonly number[])[];
}

/* What the other columns hold is beyond all elements: bounds of the table as a whole say nothing of its last column. */
const moduleOf = ({ columns, written }: Tiles, guard = false) => {
  const all = written.flat();
  const starts = written.reduce((s, w) => [...s, s[s.length - 1]! + w.length], [0]);
  const table = all.flatMap((x) => [...new Array<number>(columns - 1).fill(100_000), x]);
  const store = 'mem.store %v, %at {buffer = @y}';
  return orThrow(
    parseModule(`module @m {
  buffer @starts : i32[${starts.length}] const = [${starts.join(', ')}]
  buffer @table : i32[${table.length}] const = [${table.join(', ')}]
  buffer @x : f64[100] input
  buffer @y : f64[100] output
  kernel @k() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %n = arith.constant {value = ${written.length}} : i32
    %c = arith.constant {value = ${columns}} : i32
    %last = arith.constant {value = ${columns - 1}} : i32
    scf.for %0, %n, %1 {parallel = true} {
    ^(%t: i32):
      %from = mem.load %t {buffer = @starts} : i32
      %t1 = arith.add %t, %1 : i32
      %to = mem.load %t1 {buffer = @starts} : i32
      scf.for %from, %to, %1 {
      ^(%i: i32):
        %row = arith.mul %i, %c : i32
        %entry = arith.add %row, %last : i32
        %at = mem.load %entry {buffer = @table} : i32
        %v = mem.load %i {buffer = @x} : f64
        ${guard ? `%b = arith.cmp %i, %0 {predicate = gt} : i1\n        scf.if %b {\n          ${store}\n          scf.yield\n        } {\n          scf.yield\n        }` : store}
        scf.yield
      }
      scf.yield
    }
    scf.yield
  }
}`),
  );
};

const ownOf = (tiles: Tiles, guard = false): string | undefined =>
  cutCoreKernels(moduleOf(tiles, guard)).tasks.get('k')![0]!.touches.get('y')!.own;

type Ends = readonly [first: number, last: number];

/** First and last element of each tile. */
const endsOf = ({ written }: Tiles): readonly Ends[] => written.map((w) => [Math.min(...w), Math.max(...w)]);

const areApart = (ends: readonly Ends[]): boolean => {
  const sorted = ends.toSorted((a, b) => a[0] - b[0]);
  return sorted.every(([begin], n) => n === 0 || sorted[n - 1]![1] < begin);
};

const tiles = fc
  .record({
    columns: fc.integer({ min: 1, max: 7 }),
    order: fc.shuffledSubarray([...Array(40).keys()], { minLength: 40 }),
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: 39 }), { minLength: 1, maxLength: 4 }),
    sorted: fc.boolean(),
  })
  .map(({ columns, order, cuts, sorted }): Tiles => {
    const all = sorted ? order.toSorted((a, b) => a - b) : order;
    const bounds = [0, ...cuts.toSorted((a, b) => a - b), 40];
    /* Within a tile rows stand in any order. */
    const written = bounds.slice(1).map((end, n) => all.slice(bounds[n], end).toSorted((a, b) => (a % 5) - (b % 5)));
    return { columns, written };
  });

describe('the stretches that iterations of a loop have for themselves', () => {
  it('are found through tables of several columns, if they are apart', () => {
    fc.assert(
      fc.property(tiles, (given) => {
        const ends = endsOf(given);
        const own = ownOf(given);
        expect(own !== undefined).toBe(areApart(ends));
        /* Bounds that are apart will do, though they may be wider. */
        const found = own?.split(',').map((text) => text.split(':').map(Number) as unknown as Ends) ?? ends;
        expect(areApart(found)).toBe(own !== undefined);
        expect(found.length).toBe(ends.length);
        found.forEach(([first, last], n) => expect(first <= ends[n]![0] && ends[n]![1] <= last).toBe(true));
      }),
      {
        numRuns: 60,
        examples: [
          [{ columns: 2, written: [[0], [2, 1]] }],
          [
            {
              columns: 3,
              written: [
                [2, 0],
                [1, 3],
              ],
            },
          ],
        ],
      },
    );
  });

  it('are not told where a condition decides what is touched', () => {
    const given = {
      columns: 3,
      written: [
        [2, 0, 1],
        [4, 3, 5],
      ],
    };
    expect(ownOf(given)).toBe('0:2,3:5');
    expect(ownOf(given, true)).toBeUndefined();
  });
});
