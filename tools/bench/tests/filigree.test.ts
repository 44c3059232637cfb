import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gridMesh, type Mesh } from '@filigree/e2e';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ABLATION_COLUMNS,
  backendSections,
  benchCase,
  CASE_NAMES,
  compileSections,
  filigreeProvider,
  problemOf,
  runChild,
} from '../src/index.js';

const SLOW = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'filigree-bench-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Wavefront text of a mesh. */
const objText = ({ vertices, faces }: Mesh): string => {
  const triples = (a: ArrayLike<number>, tag: string, first: number): string =>
    Array.from(
      { length: a.length / 3 },
      (_, k) => `${tag} ${a[3 * k] + first} ${a[3 * k + 1] + first} ${a[3 * k + 2] + first}\n`,
    ).join('');
  return triples(vertices, 'v', 0) + triples(faces, 'f', 1);
};

/* The smallest mesh that `arap` makes itself is the repository's, which compiles for long. */
const hills = join(folder, 'hills.obj');
writeFileSync(hills, objText(gridMesh(6, 5, (x, y) => Math.sin(4 * x) * Math.cos(3 * y))));

describe('Filigree as a contender', () => {
  it.each(CASE_NAMES.map((name) => [name, name.startsWith('numeric') ? 200 : 27] as const))(
    '%s gives what plain TypeScript gives',
    async (name, n) => {
      const c = benchCase(name, name === 'arap' ? { mesh: hills } : { n });
      const { contenders, skipped, close } = await filigreeProvider({ backend: 'wasm' })(c);
      expect(skipped).toEqual([]);
      expect(contenders).toHaveLength(name === 'cloth-hessian' ? 4 : 1);
      for (const contender of contenders) {
        expect(contender.check(), 'before the first run').toBeGreaterThan(c.tolerance);
        contender.run();
        contender.run();
        expect(contender.check()).toBeLessThanOrEqual(c.tolerance);
        expect(contender.bytesMoved).toBeGreaterThan(0);
        expect(contender.note).toContain('kernels');
      }
      close();
    },
    SLOW,
  );

  it('has the program of every case', () => {
    for (const name of CASE_NAMES) {
      const c = benchCase(name, { n: 64 });
      const problem = problemOf(c);
      expect(Object.keys(problem.values).length).toBeGreaterThan(0);
    }
  });
});

describe('the tables', () => {
  it('switch on one stage after the other until nothing is off', () => {
    const off = ABLATION_COLUMNS.map((c) => c.off.length);
    expect(off).toEqual([...off].sort((a, b) => b - a));
    expect(off.at(-1)).toBe(0);
  });

  it(
    'measure a case in a process of its own',
    async () => {
      const sections = await compileSections({
        cases: ['ata-plus-a'],
        n: 64,
        dtype: 'f64',
        seconds: 60,
        backend: 'wasm',
        say: () => undefined,
      });
      const { head, rows } = sections[0].table;
      expect(rows).toHaveLength(1);
      expect(rows[0]).toHaveLength(head.length);
      expect(rows[0].at(-1)).not.toContain('wrong');
      expect(Number(rows[0][head.indexOf('peak MB')])).toBeGreaterThan(20);
    },
    SLOW,
  );

  it(
    'time both backends, each on one thread and on all',
    async () => {
      const [{ table, notes }] = await backendSections({
        cases: ['ata-plus-a'],
        n: 64,
        dtype: 'f64',
        seconds: 60,
        say: () => undefined,
      });
      expect(table.rows).toHaveLength(1);
      expect(table.rows[0]).toHaveLength(table.head.length);
      expect(
        table.rows[0]
          .slice(1, 3)
          .map(Number)
          .every((t) => t > 0),
      ).toBe(true);
      expect(table.rows[0].slice(3, 6).every((cell) => /^[\d.]+ \([\d.]+–[\d.]+\)$/.test(cell))).toBe(true);
      expect(notes?.at(-1)).toMatch(/^Multiply-adds in registers.* [\d.]+ \([\d.]+–[\d.]+\)/);
    },
    SLOW,
  );

  it(
    'end a measurement that takes too long, and say why another failed',
    async () => {
      const job = { name: 'ata-plus-a', n: 64, dtype: 'f64', ablate: [], threads: 1 } as const;
      expect(await runChild(job, 0.05)).toEqual({ failed: '> 0.05 s' });
      expect(await runChild({ ...job, backend: 'abacus' }, 60)).toEqual({ failed: expect.stringContaining('abacus') });
    },
    SLOW,
  );
});
