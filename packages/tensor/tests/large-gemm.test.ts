import { coreDialects, verifyModule, type Module, type Region } from '@filigree/ir';
import { gemmTargets, lowerGemm, type GemmSpec } from '@filigree/tensor';
import { describe, expect, test } from 'vitest';
import { defined, gemmData, gemmModule, interpreted, passed, reference } from './gemm-support.js';

/** A product whose A lies in columns of so many elements: powers of two share places of a cache. */
const apart = (change: Partial<GemmSpec>, columns: number): GemmSpec => {
  const { m, n, k }: Pick<GemmSpec, 'm' | 'n' | 'k'> = { m: 16, n: 24, k: 512, ...change };
  return {
    ...{ type: 'f32', alpha: 1, beta: 0 },
    a: { kind: 'dense', rowStride: 1, columnStride: columns },
    b: { kind: 'dense', rowStride: 1, columnStride: k },
    c: { rowStride: 1, columnStride: m },
    ...change,
    ...{ m, n, k },
  };
};

const panelOf = (module: Module): number => module.buffers.find((b) => b.name.startsWith('gemm_panel'))?.length ?? 0;

const lowered = (spec: GemmSpec): Module => passed(lowerGemm(gemmTargets.simd128), gemmModule(spec));

describe('products of large matrices', () => {
  test('rows of A are copied where their columns do not stay near together', () => {
    /* 200 columns that are a page apart, and 64 of which each follows the one before. */
    const [m, n] = [240, 240];
    expect(panelOf(lowered(apart({ m, n, k: 200 }, 1024)))).toBe(8 * 200);
    expect(panelOf(lowered(apart({ m, n, k: 64 }, m)))).toBe(0);
  });

  test('long sums are sums of blocks that a panel holds', () => {
    /* 600 steps are three blocks of 200; with one step more, the first takes it. */
    const far = { m: 240, n: 240 };
    expect(panelOf(lowered(apart({ ...far, k: 600 }, 4096)))).toBe(8 * 200);
    expect(panelOf(lowered(apart({ ...far, k: 601 }, 4096)))).toBe(8 * 201);
  });

  test.each([
    ['f32', 1, 0, 24],
    ['f32', -1, 1, 24],
    ['f32', 0.5, 0, 31],
    ['f32', 'value', 1, 28],
    ['f64', 'value', 0, 24],
    ['f64', 1, 1, 26],
  ] as const)('blocks in %s with the factors %s and %s mean the same for %s rows', (type, alpha, beta, m) => {
    const spec = apart({ type, alpha, beta, m, n: 96, k: 775 }, 2048);
    const module = lowered(spec);
    expect(verifyModule(module, coreDialects)).toEqual([]);
    /* Three blocks have 193 steps, the first the 196 that are left; a panel for all of them would hold 775. */
    expect(panelOf(module) % 196).toBe(0);
    expect(panelOf(module)).toBeGreaterThan(0);
    const data = gemmData(spec);
    expect(defined(spec, interpreted(spec, module, data, coreDialects))).toEqual(defined(spec, reference(spec, data)));
  });

  test.each([
    [258, 1],
    [259, 0],
  ] as const)('%s columns, of which a cache holds less, are done in slices', (n, beta) => {
    const spec = apart({ type: 'f64', alpha: 'value', beta, m: 16, n, k: 514 }, 2048);
    const module = lowered(spec);
    /* Loops over steps, tiles of columns and of rows, blocks of steps, and slices unless those are one of each width. */
    expect(nesting(module.kernels[0].body)).toBe(n === 258 ? 5 : 4);
    const data = gemmData(spec);
    expect(defined(spec, interpreted(spec, module, data, coreDialects))).toEqual(defined(spec, reference(spec, data)));
  });
});

const nesting = ({ ops }: Region): number =>
  Math.max(0, ...ops.map((op) => Number(op.name === 'scf.for') + Math.max(0, ...op.regions.map(nesting))));
