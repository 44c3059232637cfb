import { describe, expect, it } from 'vitest';
import { symbolicMath as m, type Num } from '@filigree/ir';
import { decompose, group, harvest, order, simplify, trace, type Ordered, type Program } from '@filigree/specialize';
import { numbers, right, runProgram } from './support.js';

const WIDTH = 240;
/** So wide that not all accesses are counted. */
const WIDE = 400;

/** The cells of a grid, row by row or in an order that a fixed generator shuffles. */
const cells = (shuffled: boolean, width = WIDTH): Int32Array => {
  const n = (width - 1) * (width - 1);
  const list = Int32Array.from({ length: n }, (_, i) => i);
  let state = 1;
  for (let i = n - 1; shuffled && i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    const j = state % (i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
};

/** A value a cell from its four corners, and their sum at each corner. */
const program = (list: Int32Array, width = WIDTH): Program => ({
  inputs: { x: width * width },
  run: ({ x }) => {
    const v = x as Num[];
    const sum: Num[] = new Array<Num>(width * width).fill(0);
    for (const cell of list) {
      const a = cell + Math.floor(cell / (width - 1));
      const corners = [a, a + 1, a + width, a + width + 1];
      const area = m.sqrt(m.abs(m.mul(m.sub(v[corners[0]], v[corners[3]]), m.sub(v[corners[1]], v[corners[2]]))));
      const height = m.sin(m.add(area, m.abs(v[a])));
      for (const c of corners) sum[c] = m.add(sum[c], height);
    }
    return { sum };
  },
});

const ordered = (p: Program, reorder: boolean): Ordered => {
  const harvested = right(harvest().run(right(group().run(right(decompose().run(right(trace().run(p))))))));
  return right(order({ reorder }).run(right(simplify().run(harvested))));
};

const isAscending = (units: Int32Array): boolean => units.every((u, i) => i === 0 || units[i - 1] < u);

describe('the order of instances', () => {
  it('is the program’s own where that is local', () => {
    expect(isAscending(ordered(program(cells(false)), true).order)).toBe(true);
  });

  it.each([WIDTH, WIDE])('brings together what shares operands where the program does not, %i points wide', (width) => {
    const result = ordered(program(cells(true, width), width), true);
    expect(isAscending(result.order)).toBe(false);
    expect([...result.order].sort((a, b) => a - b)).toEqual(Array.from(result.order, (_, i) => i));
    /* Successive cells now read corners that are near, by the median. */
    const corners = result.harvested.reduce((a, b) => (a.units.length > b.units.length ? a : b)).body!.columns[0].nodes;
    const steps = Array.from(corners.subarray(1), (n, i) => Math.abs(n - corners[i])).sort((a, b) => a - b);
    expect(steps[steps.length >> 1]).toBeLessThan(3 * width);
  });

  it('stays as written when switched off', () => {
    expect(isAscending(ordered(program(cells(true)), false).order)).toBe(true);
  });

  it('changes no result', () => {
    const x = numbers(WIDTH * WIDTH, 5).map((v, i) => v + (i % WIDTH));
    const results = [true, false].map(
      (reorder) => runProgram(program(cells(true)), { x }, { order: { reorder } }).outputs.sum,
    );
    expect(results[0].every((v) => Number.isFinite(v))).toBe(true);
    expect(results[0]).toEqual(results[1]);
  });
});
