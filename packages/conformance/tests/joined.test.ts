import { type Program, conformance, conformancePrograms, joined } from '@filigree/conformance';
import { describe, expect, it } from 'vitest';
import { interpreterBackend } from './interpreter-backend.js';

const SPMV = 'sparse matrix times vector';

/* Some of every kind. */
const all = conformancePrograms().filter((p, k) => k % 4 === 0 || p.fails || p.name === SPMV);
const backend = interpreterBackend();

const messages = async (of: typeof backend, programs: readonly Program[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const c of conformance(of, { threads: [1], programs })) await c.run().catch((e: Error) => found.push(e.message));
  return found;
};

describe('programs that are joined', () => {
  it('are few modules that hold all kernels, and pass', async () => {
    const few = joined(backend, all);
    expect(few.length).toBeLessThan(all.length / 2);
    const kernels = (programs: readonly Program[]): number => programs.reduce((n, p) => n + p.module.kernels.length, 0);
    expect(kernels(few)).toBe(kernels(all));
    expect(await messages(backend, few)).toEqual([]);
  });

  it('are so many at a time, and those that must fail are by themselves', () => {
    const threes = joined(backend, all, 3);
    expect(Math.max(...threes.map((p) => [...(p.simpler?.() ?? [])].length))).toBe(3);
    expect(threes.filter((p) => p.fails)).toEqual(all.filter((p) => p.fails));
  });

  it('are left out one by one where a backend has not what they ask for', async () => {
    const small = interpreterBackend((m) => m, { types: ['i1', 'i32', 'u32', 'f32', 'f64'] });
    const skipped = async (programs: readonly Program[]): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const c of conformance(small, { threads: [1], programs }))
        if ((await c.run()).status === 'skipped') found.push(c.name);
      return found.sort();
    };
    const alone = await skipped(all);
    expect(alone.length).toBeGreaterThan(3);
    expect(await skipped(joined(small, all))).toEqual(alone);
  });

  it('show the program among them that goes wrong', async () => {
    const guilty = all.find((p) => p.name === SPMV)!;
    /* What is multiplied in this program alone is added: its kernel is known by the number of its ops. */
    const body = JSON.stringify(guilty.module.kernels[0]!.body).length;
    const wrong = interpreterBackend((m) => ({
      ...m,
      kernels: m.kernels.map((k) =>
        JSON.stringify(k.body).replaceAll(/@p\d+_/g, '@').length === body
          ? (JSON.parse(JSON.stringify(k).replaceAll('"arith.mul"', '"arith.add"')) as typeof k)
          : k,
      ),
    }));
    const found = await messages(wrong, joined(wrong, all));
    expect(found).toHaveLength(1);
    expect(found[0]!.slice(0, 80)).toMatch(/^sparse matrix times vector: .*buffer @y/);
  });
});
