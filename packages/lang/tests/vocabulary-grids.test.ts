import { DiagnosticError } from '@filigree/ir';
import {
  accumulate,
  activate,
  active,
  append,
  atomicAdd,
  atomicAnd,
  atomicExchange,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicXor,
  clear,
  deactivate,
  hostGrid,
  identity,
  isActive,
  length,
  mat,
  parent,
  sparseGrid,
  vec,
  type Grid1,
  type Grid2,
  type VecGrid1,
} from '@filigree/lang';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return 'none';
};

describe('hostGrid', () => {
  it('makes nested arrays', () => {
    expect(hostGrid([2, 3], 7)).toEqual([
      [7, 7, 7],
      [7, 7, 7],
    ]);
    expect(hostGrid([2, 2], (i, j) => 10 * i + j)).toEqual([
      [0, 1],
      [10, 11],
    ]);
    const lists = hostGrid([2], () => [] as number[]);
    append(lists[0], 4);
    expect(lists).toEqual([[4], []]);
    expect(codeOf(() => hostGrid([2, -1], 0))).toBe('lang/host-grid');
  });
});

describe('atomics', () => {
  it('give the value before and change the element', () => {
    const a = [6, 6, 6, 6, 6, 6, 6];
    const before = [
      atomicAdd(a, 0, 3),
      atomicMin(a, 1, 3),
      atomicMax(a, 2, 3),
      atomicAnd(a, 3, 3),
      atomicOr(a, 4, 3),
      atomicXor(a, 5, 3),
      atomicExchange(a, 6, 3),
    ];
    expect(before).toEqual([6, 6, 6, 6, 6, 6, 6]);
    expect(a).toEqual([9, 3, 6, 2, 7, 5, 3]);
  });

  it('take one index for every axis, and sparse grids', () => {
    const u = hostGrid([2, 2], 1);
    expect(atomicAdd(u, 1, 0, 4)).toBe(1);
    expect(u).toEqual([
      [1, 1],
      [5, 1],
    ]);
    expect([atomicAdd(u, [1, 0], 2), atomicMax(u, vec(0, 1), 7)]).toEqual([5, 1]);
    expect(u).toEqual([
      [1, 7],
      [7, 1],
    ]);
    const s = sparseGrid([Infinity, Infinity], 2);
    expect(atomicMin(s, -3, 5, 1)).toBe(2);
    expect([s[-3][5], [...active(s)]]).toEqual([1, [[-3, 5]]]);
    expect(codeOf(() => atomicAdd(u, 2, 0, 1))).toBe('lang/host-bounds');
    expect(codeOf(() => atomicAdd(u, 0, 2, 1))).toBe('lang/host-bounds');
  });

  it('accumulate vectors, matrices and numbers', () => {
    const v: VecGrid1<2> = hostGrid([2], vec(0, 0));
    accumulate(v, 1, vec(1, 2));
    accumulate(v, 1, vec(1, 2));
    expect([...v[1], ...v[0]]).toEqual([2, 4, 0, 0]);
    const m = hostGrid([1, 1], identity(2));
    accumulate(m, 0, 0, mat([1, 2], [3, 4]));
    expect([...m[0][0][0], ...m[0][0][1]]).toEqual([2, 2, 3, 5]);
    const n = hostGrid([1, 2], 1);
    accumulate(n, 0, 1, 2);
    accumulate(n, vec(0, 1), 4);
    expect(n).toEqual([[1, 7]]);
  });
});

describe('sparseGrid', () => {
  it('is ambient where nothing is, and activates on write', () => {
    const u = sparseGrid([Infinity, Infinity], 0.5);
    expect(u[-7][1e9]).toBe(0.5);
    expect([isActive(u, -7, 3), [...active(u)]]).toEqual([false, []]);
    u[-7][3] = 2;
    u[4][-4] += 1;
    expect([u[-7][3], u[4][-4], isActive(u, -7, 3)]).toEqual([2, 1.5, true]);
    expect([...active(u)]).toEqual([
      [-7, 3],
      [4, -4],
    ]);
    deactivate(u, -7, 3);
    expect([u[-7][3], [...active(u)]]).toEqual([0.5, [[4, -4]]]);
    clear(u);
    expect([u[4][-4], [...active(u)]]).toEqual([0.5, []]);
  });

  it('has lengths and rows along axes that end', () => {
    const u = sparseGrid([2, 3], 1);
    u[1][2] = 5;
    expect([u.length, u[0].length]).toEqual([2, 3]);
    expect(Array.from(u, (row) => [...row])).toEqual([
      [1, 1, 1],
      [1, 1, 5],
    ]);
    expect(codeOf(() => sparseGrid([Infinity], 0).length)).toBe('lang/host-bounds');
    expect(codeOf(() => sparseGrid([2, { most: 4 }], 0)[1].length)).toBe('lang/host-bounds');
  });

  it('activates whole cells, cut off at the ends', () => {
    const u = sparseGrid([6], 0, { cells: [4] });
    u[5] = 1;
    expect([...active(u)]).toEqual([4, 5]);
    expect([isActive(u, 4), isActive(u, 3)]).toEqual([true, false]);
    activate(u, 0);
    expect([...active(u)]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('has cells within cells', () => {
    const u = sparseGrid([16, 16], 0, { cells: [2, [4, 8]] });
    u[3][3] = 1;
    u[1][1] = 2;
    u[9][9] = 3;
    deactivate(u, 3, 3);
    expect([isActive(u, 3, 3), isActive(parent(u), 3, 3), u[3][3], u[1][1]]).toEqual([false, true, 0, 2]);
    deactivate(parent(u), 0, 7);
    expect([isActive(parent(u), 3, 3), u[1][1], u[9][9]]).toEqual([false, 0, 3]);
    activate(parent(u, 1), 4, 0);
    expect([isActive(parent(u), 7, 7), isActive(u, 4, 0), [...active(u)].length]).toEqual([true, false, 4]);
    expect(codeOf(() => parent(u, 2))).toBe('lang/host-grid');
  });

  it('shares its cells with grids beside it', () => {
    const u = sparseGrid([8], 0, { cells: [2] });
    const v = sparseGrid([8], vec(1, 1), { beside: u });
    v[5] = vec(2, 2);
    expect([...active(u)]).toEqual([4, 5]);
    u[4] = 3;
    deactivate(v, 5);
    expect([u[4], ...v[5]]).toEqual([0, 1, 1]);
    expect(codeOf(() => sparseGrid([9], 0, { beside: u }))).toBe('lang/host-grid');
  });

  it('has lists', () => {
    const u = sparseGrid([4, { most: 3 }], -1);
    const v = sparseGrid([4, { most: 3 }], -2, { beside: u });
    expect([length(u[1]), isActive(u, 1)]).toEqual([0, false]);
    expect([append(u[1], 10), append(u[1], 11)]).toEqual([0, 1]);
    v[1][0] = 20;
    expect([u[1][0], u[1][1], u[1][2], v[1][0], v[1][1], length(v[1])]).toEqual([10, 11, -1, 20, -2, 2]);
    expect([...active(u)]).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect([isActive(u, 1), isActive(u, 1, 1), isActive(u, 1, 2)]).toEqual([true, true, false]);
    append(u[1], 12);
    expect(codeOf(() => append(u[1], 13))).toBe('lang/host-bounds');
    clear(v[1]);
    expect([length(u[1]), [...active(u)], isActive(u, 1)]).toEqual([0, [], true]);
    append(v[1], 21);
    expect([u[1][0], v[1][0]]).toEqual([-1, 21]);
  });

  it('refuses indices outside and shapes that are none', () => {
    const u = sparseGrid([4, 4], 0);
    expect(codeOf(() => u[4])).toBe('lang/host-bounds');
    expect(codeOf(() => u[0][-1])).toBe('lang/host-bounds');
    expect(codeOf(() => (u[0][0.5] = 1))).toBe('lang/host-bounds');
    expect(codeOf(() => u[NaN])).toBe('lang/host-bounds');
    expect(codeOf(() => ((u as unknown as number[])[0] = 1))).toBe('lang/host-bounds');
    expect(codeOf(() => isActive(u, 1))).toBe('lang/host-bounds');
    expect(codeOf(() => length(u as unknown as Grid1))).toBe('lang/host-list');
    expect(codeOf(() => [...active(u[0])])).toBe('lang/host-grid');
    expect(codeOf(() => sparseGrid([0], 0))).toBe('lang/host-grid');
    expect(codeOf(() => sparseGrid([4, 4], 0, { cells: [[2]] }))).toBe('lang/host-grid');
    expect(codeOf(() => sparseGrid([4, 4], 0, { cells: [2, 3] }))).toBe('lang/host-grid');
    expect(codeOf(() => deactivate([1], 0))).toBe('lang/host-dense');
    expect(codeOf(() => clear([[1]]))).toBe('lang/host-dense');
    expect(codeOf(() => (isActive as (u: object) => boolean)([1]))).toBe('lang/host-bounds');
    expect([isActive([1], 0), isActive([1], 1), isActive([[1]], 0, -1)]).toEqual([true, false, false]);
  });

  it('does as a plain map does, whatever the cells', () => {
    const index = fc.integer({ min: -6, max: 6 });
    const step = fc.record({
      what: fc.constantFrom('write', 'add', 'activate', 'deactivate', 'outer'),
      i: index,
      j: index,
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom(1, 2, 3),
        fc.constantFrom(1, 2),
        (steps, size, factor) => {
          const u: Grid2 = sparseGrid([Infinity, Infinity], 9, { cells: [size, size * factor] });
          const values = new Map<string, number>();
          const cellsOf = (n: number, i: number, j: number): string => `${Math.floor(i / n)},${Math.floor(j / n)}`;
          const cells = new Set<string>();
          const forget = (n: number, i: number, j: number): void => {
            for (const cell of [...cells]) {
              const [a, b] = cell.split(',').map((x) => Number(x) * size);
              if (cellsOf(n, a, b) === cellsOf(n, i, j)) cells.delete(cell);
            }
            for (const key of [...values.keys()]) {
              const [a, b] = key.split(',').map(Number);
              if (cellsOf(n, a, b) === cellsOf(n, i, j)) values.delete(key);
            }
          };
          steps.forEach(({ what, i, j }, k) => {
            const key = `${i},${j}`;
            if (what === 'deactivate') {
              deactivate(u, i, j);
              forget(size, i, j);
            } else if (what === 'outer') {
              deactivate(parent(u), i, j);
              forget(size * factor, i, j);
            } else {
              cells.add(cellsOf(size, i, j));
              if (what === 'activate') activate(u, i, j);
              else if (what === 'write') {
                u[i][j] = k;
                values.set(key, k);
              } else {
                u[i][j] += k;
                values.set(key, (values.get(key) ?? 9) + k);
              }
            }
          });
          for (let i = -6; i <= 6; i++)
            for (let j = -6; j <= 6; j++) {
              expect(u[i][j]).toBe(values.get(`${i},${j}`) ?? 9);
              expect(isActive(u, i, j)).toBe(cells.has(cellsOf(size, i, j)));
            }
          const visited = [...active(u)];
          expect(visited.length).toBe(cells.size * size * size);
          expect(new Set(visited.map(([i, j]) => cellsOf(size, i, j)))).toEqual(cells);
        },
      ),
    );
  });
});
