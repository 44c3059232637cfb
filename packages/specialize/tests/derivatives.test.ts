import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, type Num } from '@filigree/ir';
import { trace, type Program } from '@filigree/specialize';
import { numbers, relativeError, runProgram } from './support.js';

/* Springs of a closed polygon, and what each loses by turning: terms of two kinds, in loops of their own. */
const CORNERS = 40;
const polygon = (wanted: 'lower' | 'both'): Program => ({
  inputs: { x: [CORNERS, 2], stiffness: CORNERS },
  run: ({ x, stiffness }, { gradient, hessian, jacobian }) => {
    const [points, k] = [x as Num[][], stiffness as Num[]];
    const edge = (i: number, c: number): Num => m.sub(points[(i + 1) % CORNERS][c], points[i][c]);
    let energy: Num = 0;
    const lengths = points.map((_, i) => m.hypot(edge(i, 0), edge(i, 1)));
    lengths.forEach((l, i) => (energy = m.add(energy, m.mul(k[i], m.pow(m.sub(l, 1), 2)))));
    points.forEach((_, i) => {
      energy = m.add(energy, m.div(m.pow(m.mul(edge(i, 0), edge(i, 1)), 2), 2));
    });
    return { energy, slope: gradient(energy, x), H: hessian(energy, x, { half: wanted }), J: jacobian(lengths, x) };
  },
});

const plain = (x: Float64Array, k: Float64Array): number => {
  let energy = 0;
  for (let i = 0; i < CORNERS; i++) {
    const j = (i + 1) % CORNERS;
    const [dx, dy] = [x[2 * j] - x[2 * i], x[2 * j + 1] - x[2 * i + 1]];
    energy += k[i] * (Math.hypot(dx, dy) - 1) ** 2 + (dx * dy) ** 2 / 2;
  }
  return energy;
};

describe.each(ARITHMETICS)('derivatives in a traced program, %s arithmetic', (arithmetic) => {
  const x = numbers(2 * CORNERS, 7);
  const stiffness = numbers(CORNERS, 8);
  const moved = (i: number, t: number): Float64Array => x.map((v, j) => (i === j ? v + t : v));
  const run = (at: Float64Array): Record<string, Float64Array> =>
    runProgram(polygon('both'), { x: at, stiffness }, {}, arithmetic).outputs;
  const { slope, H, J } = run(x);
  const h = 1e-4;

  it('are those of the plain function', () => {
    const expected = x.map((_, i) => (plain(moved(i, h), stiffness) - plain(moved(i, -h), stiffness)) / (2 * h));
    expect(relativeError(slope, expected)).toBeLessThan(1e-7);
  });

  it('have the pattern of neighbours, and the values that the gradient changes by', () => {
    /* A corner with itself and two neighbours, two coordinates each; a length by four coordinates. */
    expect([H.length, J.length]).toEqual([2 * CORNERS * 6, CORNERS * 4]);
    const [up, down] = [run(moved(3, h)).slope, run(moved(3, -h)).slope];
    /* Row 3 is of the second coordinate of corner 1: columns 0 to 5. */
    const row = H.subarray(3 * 6, 4 * 6);
    expect(
      relativeError(
        row,
        up.subarray(0, 6).map((g, i) => (g - down[i]) / (2 * h)),
      ),
    ).toBeLessThan(1e-6);
    const lower = runProgram(polygon('lower'), { x, stiffness }, {}, arithmetic).outputs.H;
    expect(lower.length).toBe((H.length + 2 * CORNERS) / 2);
    expect([...lower.subarray(6, 10)]).toEqual([...row.subarray(0, 4)]);
  });
});

describe('derivatives in a traced program are refused', () => {
  const codeOf = (run: Program['run']): string | undefined => {
    const traced = trace().run({ inputs: { x: 2, y: 1 }, run });
    return traced._tag === 'Left' ? traced.left[0].code : undefined;
  };

  it.each<[string, Program['run']]>([
    ['derivative/independent', ({ x, y }, { gradient }) => ({ g: gradient(m.sin((x as Num[])[0]), y) })],
    ['derivative/independent', ({ x }, { gradient }) => ({ g: gradient(3, x) })],
    ['derivative/by-number', ({ x }, { hessian }) => ({ H: hessian(m.sin((x as Num[])[0]), [1, 2]) })],
    ['derivative/twice', ({ x }, { gradient }) => ({ g: gradient(m.sin((x as Num[])[0]), [x, x]) })],
    ['derivative/of', ({ x }, { gradient }) => ({ g: gradient(x as never, x) })],
    ['option/value', ({ x }, { hessian }) => ({ H: hessian((x as Num[])[0], x, { half: 'upper' as never }) })],
  ])('%s', (code, run) => {
    expect(codeOf(run)).toBe(code);
  });

  it('but not where a value is linear: its second derivatives are a matrix without entries', () => {
    const { outputs } = runProgram(
      { inputs: { x: 2 }, run: ({ x }, { hessian }) => ({ H: hessian((x as Num[])[0], x), y: [1] }) },
      { x: [1, 2] },
    );
    expect([...outputs.H]).toEqual([]);
  });
});
