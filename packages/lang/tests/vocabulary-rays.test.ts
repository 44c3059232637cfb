import { array, random, randomDirection, range, rayBox, seedRandom, vec } from '@filigree/lang';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { define, run } from './kernel-run.js';

/* o, d, low, high in; enter, leave out. */
const clip = (a: Float64Array, out: Float64Array): void => {
  for (const _ of range(1)) {
    const part = (k: number) => vec(a[3 * k], a[3 * k + 1], a[3 * k + 2]);
    const [enter, leave] = rayBox(part(0), part(1), part(2), part(3));
    out[0] = enter;
    out[1] = leave;
  }
};

it('a ray is in a box from where it enters to where it leaves', () => {
  const def = define([array('f64', 12), array('f64', 2)], clip, { float: 'f64' });
  const numbers = (min: number, max: number) =>
    fc.array(fc.double({ min, max, noNaN: true }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(
      numbers(-2, 3),
      numbers(0.01, 1),
      numbers(-1, 0),
      numbers(0.1, 2),
      fc.nat(7),
      (o, e, low, high, signs) => {
        const d = e.map((x, k) => ((signs >> k) % 2 === 0 ? x : -x));
        const input = Float64Array.from([o, d, low, high].flat());
        const outs = [new Float64Array(2), new Float64Array(2)];
        run(def, [input, outs[0]]);
        clip(input, outs[1]);
        expect(outs[0]).toEqual(outs[1]);
        const [enter, leave] = outs[0];
        const inside = (t: number): boolean => o.every((x, k) => x + t * d[k] > low[k] && x + t * d[k] < high[k]);
        for (let t = 0; t < 8; t += 0.01)
          if (Math.abs(t - enter) > 1e-9 && Math.abs(t - leave) > 1e-9) expect(inside(t)).toBe(t > enter && t < leave);
      },
    ),
    { numRuns: 30 },
  );
});

it('random directions are unit vectors without a direction in the mean, the same in kernels and on the host', () => {
  const count = 400;
  const draw = (out: Float64Array): number => {
    for (const k of range(count)) {
      const d = randomDirection();
      for (const axis of range(3)) out[3 * k + axis] = d[axis];
    }
    return random();
  };
  const [compiled, host] = [new Float64Array(3 * count), new Float64Array(3 * count)];
  const next = run(define([array('f64', 3 * count)], draw, { float: 'f64', scope: { count } }), [compiled], 5);
  seedRandom(5);
  expect(next).toBe(draw(host));
  host.forEach((x, k) => expect(compiled[k]).toBeCloseTo(x, 12));
  const all = Array.from({ length: count }, (_, k) => [...host.subarray(3 * k, 3 * k + 3)]);
  for (const d of all) expect(Math.hypot(...d)).toBeCloseTo(1, 12);
  for (const axis of [0, 1, 2]) {
    const moment = (power: number): number => all.reduce((sum, d) => sum + d[axis] ** power, 0) / count;
    expect(Math.abs(moment(1))).toBeLessThan(0.1);
    expect(Math.abs(moment(2) - 1 / 3)).toBeLessThan(0.06);
  }
});
