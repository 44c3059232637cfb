import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutSlab, slabAlignment } from '@filigree/backend';
import { type Buffer, allocateArray, byteSize, declareBuffer, makeModule, scalarTypes } from '@filigree/ir';

const buffers: fc.Arbitrary<readonly Buffer[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom(...scalarTypes),
      length: fc.nat(300),
      role: fc.constantFrom('input', 'output', 'temp', 'const'),
    }),
    { maxLength: 20 },
  )
  .map((rows) =>
    rows.map(
      (r, k): Buffer =>
        ({ name: `b${k}`, ...r, ...(r.role === 'const' ? { data: allocateArray(r.type, r.length) } : {}) }) as Buffer,
    ),
  );

describe('the slab', () => {
  it('aligns every buffer, overlaps none, puts constants first', () => {
    fc.assert(
      fc.property(buffers, (list) => {
        const { offsets, offsetOf, bytes, constBytes } = layoutSlab(makeModule('m', list, []));
        const spans = list.map((b, k) => ({
          start: offsets[k],
          end: offsets[k] + Math.max(1, b.length * byteSize(b.type)),
          role: b.role,
        }));
        for (const s of spans) {
          expect(s.start % slabAlignment).toBe(0);
          expect(s.end).toBeLessThanOrEqual(s.role === 'const' ? constBytes : bytes);
          if (s.role !== 'const') expect(s.start).toBeGreaterThanOrEqual(constBytes);
        }
        const sorted = [...spans].sort((a, b) => a.start - b.start);
        sorted.slice(1).forEach((s, k) => expect(s.start).toBeGreaterThanOrEqual(sorted[k].end));
        list.forEach((b, k) => expect(offsetOf.get(b.name)).toBe(offsets[k]));
        expect(bytes % slabAlignment).toBe(0);
      }),
    );
  });

  it('has no place for scratch buffers', () => {
    const around = [declareBuffer('a', 'f64', 8, 'input'), declareBuffer('b', 'f64', 8, 'output')];
    const scratch = declareBuffer('s', 'f64', 1000, 'scratch');
    const layout = layoutSlab(makeModule('m', [around[0], scratch, around[1]], []));
    expect(layout.bytes).toBe(layoutSlab(makeModule('m', around, [])).bytes);
    expect(layout.offsetOf.has('s')).toBe(false);
    expect(layout.offsets).toEqual([0, 0, 64]);
  });

  it('depends on roles, types and lengths alone', () => {
    fc.assert(
      fc.property(buffers, (list) => {
        const renamed = list.map((b, k) => ({ ...b, name: `other${k}` }));
        expect(layoutSlab(makeModule('a', list, [])).offsets).toEqual(layoutSlab(makeModule('b', renamed, [])).offsets);
      }),
    );
  });
});
