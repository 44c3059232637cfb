import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiagnosticError } from 'filigree';
import { dubinerMatrices, gaussLegendre, gaussLobatto, nodalBasis, readMatrices } from '../src/index.js';
import { SHARED_DATA } from './data.js';

const folder = join(SHARED_DATA, 'seissol');

/** The matrices of the scheme, however they are made: from integrals in whole numbers. */
describe('matrices of the tetrahedron', () => {
  it.each([2, 3, 4, 5])('of order %i keep what integration by parts and symmetry say', (order) => {
    const m = dubinerMatrices(order);
    const at = (name: string, i: number, j: number): number => m[name].values![i + m[name].shape[0] * j];
    const [size, faces] = [m['kDivM(0)'].shape[0], m['rT(0)'].shape[0]];
    expect([size, faces]).toEqual([(order * (order + 1) * (order + 2)) / 6, (order * (order + 1)) / 2]);
    // ∫ ∂φ_k/∂ξ_c φ_l + ∫ φ_k ∂φ_l/∂ξ_c = Σ_σ n_c ∫_σ φ_k φ_l, and the sides of the reference tetrahedron have (twice their area times)
    // normals −e_z, −e_y, −e_x and (1, 1, 1).
    const normals = [
      [0, 0, -1],
      [0, -1, 0],
      [-1, 0, 0],
      [1, 1, 1],
    ];
    let worst = 0;
    for (let c = 0; c < 3; c++)
      for (let k = 0; k < size; k++)
        for (let l = 0; l < size; l++) {
          let surface = 0;
          for (let side = 0; side < 4; side++)
            for (let i = 0; i < faces; i++)
              surface += normals[side][c] * at(`rDivM(${side})`, k, i) * at(`fMrT(${side})`, i, l);
          const volume = at(`kDivM(${c})`, k, l) + at(`kDivMT(${c})`, k, l);
          worst = Math.max(worst, Math.abs(volume - surface) / (1 + Math.abs(surface)));
        }
    expect(worst).toBeLessThan(1e-12);
    // A side that is seen from behind twice is itself again.
    for (let h = 0; h < 3; h++)
      for (let i = 0; i < faces; i++)
        for (let j = 0; j < faces; j++) expect(at(`fP(${h})`, i, j)).toBeCloseTo(at(`fP(${h})`, j, i), 14);
  });

  it.skipIf(!existsSync(folder)).each([
    [2, 4],
    [3, 10],
    [4, 20],
    [5, 35],
    [6, 56],
    [7, 84],
  ])('of order %i are those of the files of SeisSol, entry by entry', (order, size) => {
    const file = join(folder, `matrices_${size}.xml`);
    const theirs = readMatrices(file, readFileSync(file, 'utf8'));
    const ours = dubinerMatrices(order);
    expect(Object.keys(theirs).sort()).toEqual(Object.keys(ours).sort());
    for (const [name, { shape, pattern, values }] of Object.entries(theirs)) {
      expect(ours[name].shape).toEqual(shape);
      expect(ours[name].pattern?.bits).toEqual(pattern?.bits);
      const largest = values!.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
      const apart = values!.reduce((a, b, i) => Math.max(a, Math.abs(b - ours[name].values![i])), 0);
      expect(apart / largest).toBeLessThan(1e-15);
    }
  });
});

describe('the reader of matrices', () => {
  const document = (inside: string): string =>
    `<?xml version="1.0"?>\n<!-- why -->\n<matrices>\n${inside}\n</matrices>\n`;

  it('reads values and patterns, column-major and from 1', () => {
    const { K, star } = readMatrices(
      'k.xml',
      document(
        '<matrix name="K" rows="2" columns="3"><entry row="2" column="1" value="-.5e-1"/><entry row="1" column="3" value="4."/></matrix>' +
          '<matrix name="star" rows="1" columns="2"><entry row=" 1" column=" 2"/></matrix>',
      ),
    );
    expect(K).toEqual({
      name: 'K',
      shape: [2, 3],
      pattern: { shape: [2, 3], bits: Uint8Array.of(0, 1, 0, 0, 1, 0) },
      values: Float64Array.of(0, -0.05, 0, 0, 4, 0),
    });
    expect(star.values).toBeUndefined();
    expect(star.pattern?.bits).toEqual(Uint8Array.of(0, 1));
  });

  const entry = (attributes: string, rest = ''): string =>
    `<matrix name="K" rows="2" columns="2">\n  <entry ${attributes}/>${rest}</matrix>`;
  it.each([
    ['nothing', '', 'matrices/element', 1],
    ['text', 'hello', 'matrices/xml', 1],
    ['an unclosed tag', document('<matrix name="K" rows="2" columns="2">'), 'matrices/xml', 5],
    ['no matrix', document(''), 'matrices/element', 3],
    ['an entry outside', document('<entry row="1" column="1"/>'), 'matrices/element', 4],
    ['another element', document('<tensor/>'), 'matrices/element', 4],
    ['no name', document('<matrix rows="2" columns="2"/>'), 'matrices/element', 4],
    ['half a row', document(entry('row="1.5" column="1"')), 'matrices/number', 5],
    ['a row too far', document(entry('row="3" column="1"')), 'matrices/range', 5],
    ['row 0', document(entry('row="0" column="1"')), 'matrices/range', 5],
    ['a value that is none', document(entry('row="1" column="1" value="one"')), 'matrices/number', 5],
    ['an infinite value', document(entry('row="1" column="1" value="1e999"')), 'matrices/number', 5],
    ['an entry twice', document(entry('row="1" column="1"', '\n<entry row="1" column="1"/>')), 'matrices/repeated', 6],
    [
      'a matrix twice',
      document(entry('row="1" column="1"') + '\n' + entry('row="1" column="1"')),
      'matrices/repeated',
      6,
    ],
    [
      'some values',
      document(entry('row="1" column="1" value="1"', '<entry row="2" column="1"/>')),
      'matrices/values',
      4,
    ],
    ['a size beyond reason', document('<matrix name="K" rows="9999999" columns="9999999"/>'), 'matrices/range', 4],
  ])('refuses %s with its place and a remedy', (_, text, code, line) => {
    let thrown: unknown;
    try {
      readMatrices('bad.xml', text);
    } catch (e) {
      thrown = e;
    }
    expect(thrown).toBeInstanceOf(DiagnosticError);
    expect((thrown as DiagnosticError).diagnostics[0]).toMatchObject({
      code,
      loc: { file: 'bad.xml', line },
      remedy: expect.stringMatching(/./),
    });
  });
});

describe('the points and matrices of a spectral element', () => {
  it.each([1, 2, 5, 12, 33])('%i points of Gauss integrate polynomials of twice the degree', (n) => {
    const { points, weights } = gaussLegendre(n);
    for (const degree of [0, 1, n, 2 * n - 1])
      expect(points.reduce((sum, x, i) => sum + weights[i] * x ** degree, 0)).toBeCloseTo(1 / (degree + 1), 13);
  });

  it('has the points of Lobatto', () => {
    expect(gaussLobatto(2)).toEqual([0, 1]);
    expect(gaussLobatto(4).map((x) => (2 * x - 1) ** 2)).toEqual([1, 0.2, 0.2, 1].map((x) => expect.closeTo(x, 14)));
  });

  it.each([2, 3, 8, 16, 32])('of order %i differentiates polynomials, and integrates by parts', (order) => {
    const { points, at, matrices } = nodalBasis(order);
    const degree = order - 1;
    const of = (name: string): Float64Array => matrices[name].values!;
    const values = points.map((x) => x ** degree);
    const row = (m: Float64Array, i: number): number => values.reduce((sum, v, j) => sum + m[i + order * j] * v, 0);
    points.forEach((x, i) => {
      expect(row(of('kDivMT'), i)).toBeCloseTo(degree * x ** (degree - 1), 8);
      // M⁻¹K + M⁻¹Kᵀ = M⁻¹(F(1)F(1)ᵀ − F(0)F(0)ᵀ)
      const surface = of('FDivM(1)')[i] * values[order - 1] - of('FDivM(0)')[i] * values[0];
      expect((row(of('kDivM'), i) + row(of('kDivMT'), i) - surface) / (1 + Math.abs(surface))).toBeCloseTo(0, 9);
      expect(of("kDivM'")[order * i]).toBe(of('kDivM')[i]);
    });
    expect(at(0.37).reduce((sum, v, j) => sum + v * values[j], 0)).toBeCloseTo(0.37 ** degree, 11);
  });
});
