import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { barChartSvg, densityRaster, gridLaplacian, sparsityPng } from '../src/index.js';

const diagonal = (n: number): { rows: number; cols: number; rowPtr: Int32Array; colIdx: Int32Array } => ({
  rows: n,
  cols: n,
  rowPtr: Int32Array.from({ length: n + 1 }, (_, i) => i),
  colIdx: Int32Array.from({ length: n }, (_, i) => i),
});

describe('sparsity picture', () => {
  it('counts entries below each pixel', () => {
    expect(Array.from(densityRaster(diagonal(8), 2, 2).counts)).toEqual([4, 0, 0, 4]);
  });

  it('is white where there is nothing and dark on the diagonal', () => {
    const picture = decode(sparsityPng(diagonal(4), { size: 64 }));
    expect([picture.width, picture.height]).toEqual([64, 64]);
    const grey = (x: number, y: number): number => picture.data[3 * (64 * y + x)];
    expect(grey(60, 3)).toBe(255);
    for (const d of [3, 20, 40, 60]) expect(grey(d, d)).toBeLessThan(60);
  });

  it('shrinks a large matrix and colours entries by class', () => {
    const L = gridLaplacian(40);
    const classes = Array.from(L.pattern.colIdx, (_, k) => (k < L.pattern.colIdx.length / 2 ? 0 : 1));
    const picture = decode(sparsityPng(L.pattern, { size: 100, classes }));
    expect([picture.width, picture.height]).toEqual([100, 100]);
    const colour = (d: number): number[] => Array.from(picture.data.subarray(3 * (100 * d + d), 3 * (100 * d + d) + 3));
    // The first class is blue, the second orange.
    expect(colour(10)[2]).toBeGreaterThan(colour(10)[0]);
    expect(colour(90)[0]).toBeGreaterThan(colour(90)[2]);
  });

  it('keeps the shape of a matrix that is not square', () => {
    const wide = { rows: 2, cols: 8, rowPtr: Int32Array.from([0, 1, 2]), colIdx: Int32Array.from([0, 7]) };
    const picture = decode(sparsityPng(wide, { size: 80 }));
    expect([picture.width, picture.height]).toEqual([80, 20]);
  });
});

describe('bar chart', () => {
  const lengths = (svg: string): number[] =>
    [...svg.matchAll(/width="([\d.]+)" height="20"/g)].map((m) => Number(m[1]));

  it('draws bars in proportion, and escapes labels', () => {
    const svg = barChartSvg({
      title: 'A & B',
      unit: 'ms',
      bars: [
        { label: '<eigen>', value: 10 },
        { label: 'ours', value: 1, strong: true },
      ],
    });
    const [long, short] = lengths(svg);
    expect(long / short).toBeCloseTo(10, 1);
    expect(svg).toContain('&lt;eigen&gt;');
    expect(svg).toContain('A &amp; B');
    expect(svg).toContain('1.00 ms');
  });

  it('shows orders of magnitude on a logarithmic axis', () => {
    const svg = barChartSvg({
      title: 't',
      unit: 'ms',
      scale: 'log',
      bars: [1, 10, 100].map((value) => ({ label: String(value), value })),
    });
    const [a, b, c] = lengths(svg);
    expect(c - b).toBeCloseTo(b - a, 0);
    expect(a).toBeGreaterThan(1);
  });
});
