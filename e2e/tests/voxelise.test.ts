import { describe, expect, it } from 'vitest';
import {
  fitted,
  imageOf,
  linesOfCode,
  solidVoxels,
  spheresImage,
  subdivide,
  surfaceVoxels,
  voxelCount,
  type Mesh,
} from '../src/index.js';
import { spot } from './data.js';

/** A ball of the given radius about the middle of the unit cube. */
const ball = (radius: number): Mesh => {
  const corners = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1];
  const faces = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  const fine = subdivide(
    { vertices: Float64Array.from(corners), faces: Int32Array.from(faces), tets: new Int32Array(0) },
    4,
  );
  const v = fine.vertices;
  const vertices = v.map((x, k) => {
    const at = k - (k % 3);
    return 0.5 + (radius * x) / Math.hypot(v[at], v[at + 1], v[at + 2]);
  });
  return { ...fine, vertices };
};

describe('voxels', () => {
  it('of a ball fill its volume, and lie within it', () => {
    const { coordinates, n } = solidVoxels(ball(0.4), 40);
    const cells = coordinates.length / 3;
    expect(cells / n ** 3).toBeCloseTo((4 / 3) * Math.PI * 0.4 ** 3, 2);
    for (let c = 0; c < coordinates.length; c += 3) {
      const centre = [0, 1, 2].map((a) => (coordinates[c + a] + 0.5) / n - 0.5);
      expect(Math.hypot(...centre)).toBeLessThanOrEqual(0.4);
    }
  });

  it('of its surface are those that the sphere cuts', () => {
    const n = 24;
    const { coordinates } = surfaceVoxels(ball(0.4), n);
    const cells = new Set<string>();
    for (let c = 0; c < coordinates.length; c += 3) {
      const at = [...coordinates.subarray(c, c + 3)];
      cells.add(at.join());
      const near = Math.hypot(...at.map((x) => Math.max(x / n - 0.5, 0.5 - (x + 1) / n, 0)));
      const far = Math.hypot(...at.map((x) => Math.max(Math.abs(x / n - 0.5), Math.abs((x + 1) / n - 0.5))));
      // The facets lie a little within the sphere.
      expect(near).toBeLessThanOrEqual(0.4);
      expect(far).toBeGreaterThanOrEqual(0.4 * 0.99);
    }
    // Rays from the middle meet one of them.
    for (let turn = 0; turn < 100; turn++) {
      const [z, phi] = [-1 + (2 * turn + 1) / 100, 2.4 * turn];
      const r = Math.sqrt(1 - z * z);
      const hit = [0.395, 0.398, 0.4].some((s) =>
        cells.has([r * Math.cos(phi), r * Math.sin(phi), z].map((d) => Math.floor((0.5 + s * d) * n)).join()),
      );
      expect(hit).toBe(true);
    }
  });

  it('of a cow: its surface is thin, and no cell of it lies far from its inside', () => {
    const mesh = fitted(spot(), 0.1, 0.9);
    const [surface, solid] = [surfaceVoxels(mesh, 64), solidVoxels(mesh, 64)];
    expect(voxelCount(surface)).toBeLessThan(voxelCount(solid) / 2);
    const both = new Set<number>();
    for (const { coordinates: c } of [surface, solid])
      for (let v = 0; v < c.length; v += 3) both.add((c[v] * 64 + c[v + 1]) * 64 + c[v + 2]);
    expect(both.size).toBeLessThan(voxelCount(surface) + voxelCount(solid));
    expect(both.size).toBeGreaterThan(voxelCount(solid));
  });

  it('refuse a mesh outside the cube', () => {
    expect(() => surfaceVoxels(spot(), 16)).toThrow(/voxels\/outside/);
  });
});

describe('pictures', () => {
  it('show the nearest sphere in its colour', () => {
    const picture = spheresImage(
      {
        centres: [0.5, 0.5, 0.5, 0.52, 0.5, 0.1, 0.2, 0.8, 0.5],
        radius: 0.1,
        colour: (s) => [[255, 0, 0], [0, 255, 0], [0, 0, 255]][s] as [number, number, number], // prettier-ignore
      },
      { size: 100 },
    );
    const strongest = (x: number, y: number): number => {
      const colour = [...picture.data.subarray(3 * (100 * y + x), 3 * (100 * y + x) + 3)];
      return new Set(colour).size === 1 ? -1 : colour.indexOf(Math.max(...colour));
    };
    expect(strongest(52, 50)).toBe(1);
    expect(strongest(41, 50)).toBe(0);
    expect(strongest(20, 20)).toBe(2);
    expect(strongest(80, 80)).toBe(-1);
  });

  it('clamp colours', () => {
    expect([...imageOf(2, 1, (x) => [300 * x, -5, 17.6]).data]).toEqual([0, 0, 18, 255, 0, 18]);
  });
});

describe('lines of code', () => {
  it('are neither empty nor comment, and no wider than 80 columns', () => {
    const source = ['// a', '', 'int x = 1; // b', '/* c', ' d */ int y;', "char c = '/';", 'z'.repeat(161), '  '];
    expect(linesOfCode(source.join('\n'))).toBe(1 + 1 + 1 + 3);
  });

  it('do not mistake strings for comments', () => {
    expect(linesOfCode("const url = 'https://example.org';\nconst b = `/* ${url} */`;\n")).toBe(2);
  });
});
