import { type ConformanceCase, conformance, conformancePrograms } from '@filigree/conformance';
import { describe, expect, it } from 'vitest';
import { interpreterBackend } from './interpreter-backend.js';

const SPMV = 'sparse matrix times vector';

/* Some of every kind. */
const all = conformancePrograms().filter((p, k) => k % 8 === 0 || p.fails || p.name === SPMV);
const backend = interpreterBackend();

const cases = (of: typeof backend, together: number): readonly ConformanceCase[] =>
  conformance(of, { threads: [1], programs: all, together });

const messages = async (of: typeof backend, together: number): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const c of cases(of, together)) await c.run().catch((e: Error) => found.push(e.message));
  return found;
};

describe('programs that are joined', () => {
  it('are few cases, and pass', async () => {
    const few = cases(backend, 16);
    expect(few.length).toBeLessThan(all.length / 2);
    const programs = few.map(({ name }) => Number(/^(\d+) programs: /.exec(name)?.[1] ?? 1));
    expect(programs.reduce((sum, n) => sum + n, 0)).toBe(all.length);
    expect(await messages(backend, 16)).toEqual([]);
  });

  it('are so many at a time, and those that must fail are by themselves', () => {
    const names = cases(backend, 3).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('3 programs: ')).length).toBeGreaterThan(3);
    expect(names.filter((name) => /^([4-9]|\d\d+) programs: /.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(all.filter((p) => p.fails).map((p) => p.name)));
  });

  it('are left out one by one where a backend has not what they ask for', async () => {
    const small = interpreterBackend((m) => m, { types: ['i1', 'i32', 'u32', 'f32', 'f64'] });
    const skipped = async (together: number): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const c of cases(small, together)) if ((await c.run()).status === 'skipped') found.push(c.name);
      return found.sort();
    };
    const alone = await skipped(1);
    expect(alone.length).toBeGreaterThan(3);
    expect(await skipped(16)).toEqual(alone);
  });

  it('show the program among them that goes wrong', async () => {
    const guilty = all.find((p) => p.name === SPMV)!;
    /* What is multiplied in this program alone is added: its kernel is known by the length of its text. */
    const body = JSON.stringify(guilty.module.kernels[0]!.body).length;
    const wrong = interpreterBackend((m) => ({
      ...m,
      kernels: m.kernels.map((k) =>
        JSON.stringify(k.body).replaceAll(/@p\d+_/g, '@').length === body
          ? (JSON.parse(JSON.stringify(k).replaceAll('"arith.mul"', '"arith.add"')) as typeof k)
          : k,
      ),
    }));
    const found = await messages(wrong, 16);
    expect(found).toHaveLength(1);
    expect(found[0]!.slice(0, 80)).toMatch(/^sparse matrix times vector: .*buffer @y/);
  });
});
