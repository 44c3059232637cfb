import { describe, expect, it } from 'vitest';
import {
  linaSection,
  markdownTable,
  measureLina,
  measureSeissol,
  PAPER_PEAK,
  paperRow,
  planningMs,
  seissolSection,
  sizeFor,
  tensorChart,
  type TensorSpeed,
} from '../src/index.js';

const speed = (more: Partial<TensorSpeed>): TensorSpeed => ({
  label: 'seissol',
  dtype: 'f64',
  order: 6,
  simulations: 1,
  elements: 100,
  ms: 2,
  nonzero: 10,
  hardware: 30,
  peak: 50,
  mdofs: 4,
  compileMs: 1,
  library: { missing: 'there is none here' },
  ...more,
});

describe('tables of tensors', () => {
  it('put shares of the peak beside those of the paper, and fused beside single', () => {
    const rows = [speed({}), speed({ simulations: 8, mdofs: 10 })];
    const text = markdownTable(seissolSection(rows).table).split('\n').slice(2);
    const cells = text.map((line) => line.split('|').map((c) => c.trim()));
    expect(cells[0].slice(10, 18)).toEqual(['20.0', '60.0', '–', '–', '', '15.1', '46.9', '']);
    // 1784 ÷ 1244 MDoF/s in the paper.
    expect(cells[1].slice(10, 18)).toEqual(['20.0', '60.0', '–', '–', '2.50×', '22.0', '30.0', '1.43×']);
  });

  it('leave cells empty where the paper has nothing', () => {
    expect(paperRow('f64', 6, 5)).toBeUndefined();
    const [, , row] = markdownTable(seissolSection([speed({ simulations: 5 })]).table).split('\n');
    expect(row.split('|').slice(14, 18).join('').trim()).toBe('');
    expect((paperRow('f32', 6, 1)?.hardware ?? 0) / PAPER_PEAK.f32).toBeCloseTo(0.464, 3);
  });

  it('draw what is executed and what is needed', () => {
    const svg = tensorChart([speed({}), speed({ label: 'lina 2-D' })]);
    expect(svg.match(/<rect/g)?.length).toBe(1 + 4);
    expect(svg).toContain('seissol order 6, f64: non-zero');
  });
});

describe('measurements of tensors', () => {
  const quick = { dtype: 'f64', order: 2, size: 1, rounds: 2, backend: 'wasm' } as const;

  it('give fewer simulations a finer mesh', () => {
    // Six tetrahedra a cube, at order 7 mostly coefficients: 16 times as many for a simulation as for 16, in steps of a cube.
    expect([16, 8, 1].map((s) => sizeFor(7, s, 16, 3))).toEqual([3, 4, 7]);
    expect(sizeFor(2, 1, 16, 3)).toBeLessThan(sizeFor(7, 1, 16, 3));
  });

  it('run, check and count both codes', async () => {
    const tets = await measureSeissol({ ...quick, simulations: 2 });
    expect(tets).toMatchObject({ label: 'seissol', simulations: 2, elements: 6 });
    expect(tets.hardware).toBeGreaterThanOrEqual(tets.nonzero);
    const cells = await measureLina({ ...quick, dimensions: 2 });
    expect(cells).toMatchObject({ label: 'lina 2-D', elements: 1 });
    expect(linaSection([cells]).table.rows[0][0]).toBe('2-D');
    expect(planningMs(2, 'f64', 1)).toBeGreaterThan(0);
  }, 120_000);
});
