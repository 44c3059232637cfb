import { expect, it } from 'vitest';
import { drawTimeline } from '@filigree/sched';

it('a timeline has a box for each span, in its lane, as long as it took', () => {
  const svg = drawTimeline([
    { what: 'plan', from: 100, to: 120 },
    { what: 'run', from: 120, to: 200 },
    { what: 'run', from: 220, to: 300 },
    { what: 'compile', from: 100, to: 200 },
  ]);
  const boxes = [...svg.matchAll(/class="(\w+)" x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g)].map(
    ([, what, x, y, w]) => ({
      what,
      x: Number(x),
      y,
      width: Number(w),
    }),
  );
  const of = (what: string) => boxes.filter((b) => b.what === what);
  expect(of('run')).toHaveLength(2);
  expect(of('plan')[0].x).toBe(of('compile')[0].x);
  expect(of('compile')[0].width).toBeCloseTo(5 * of('plan')[0].width, 1);
  expect(of('run')[0].x).toBeCloseTo(of('plan')[0].x + of('plan')[0].width, 1);
  expect(new Set(boxes.map((b) => b.y)).size).toBe(3);
  expect(svg).toContain('>160 ms<');
  expect(drawTimeline([])).toContain('</svg>');
});
