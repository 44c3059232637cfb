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

describe('second derivatives of a simulation by what is done at each step', () => {
  /* A pendulum that is pushed: how far it is from upright at the end depends on all pushes, each through all steps that follow. */
  const STEP = 0.05;
  const end = (push: readonly Num[]): Num => {
    let [angle, speed]: Num[] = [0.1, 0];
    for (const u of push) {
      speed = m.add(speed, m.mul(STEP, m.sub(u, m.sin(angle))));
      angle = m.add(angle, m.mul(STEP, speed));
    }
    return m.add(m.mul(m.sub(angle, 1), m.sub(angle, 1)), m.mul(speed, speed));
  };
  const program = (steps: number): Program => ({
    inputs: { u: steps },
    run: ({ u }, { hessian }) => ({ H: hessian(end(u as Num[]), u) }),
  });

  /* The state with its derivatives by pushes i and j, and by both. */
  const plainEntry = (push: ArrayLike<number>, i: number, j: number): number => {
    let [a, ai, aj, aij, w, wi, wj, wij] = [0.1, 0, 0, 0, 0, 0, 0, 0];
    for (let t = 0; t < push.length; t++) {
      const [s, c] = [Math.sin(a), Math.cos(a)];
      w += STEP * (push[t] - s);
      wij -= STEP * (c * aij - s * ai * aj);
      wi += STEP * ((t === i ? 1 : 0) - c * ai);
      wj += STEP * ((t === j ? 1 : 0) - c * aj);
      [a, ai, aj, aij] = [a + STEP * w, ai + STEP * wi, aj + STEP * wj, aij + STEP * wij];
    }
    return 2 * (ai * aj + (a - 1) * aij + wi * wj + w * wij);
  };

  it('take no more code for more steps', () => {
    const sizes = [60, 100].map((steps) => {
      const u = numbers(steps, 9);
      const { outputs, specialized } = runProgram(program(steps), { u });
      const expected = Array.from({ length: steps * steps }, (_, k) => plainEntry(u, Math.floor(k / steps), k % steps));
      expect(relativeError(outputs.H, expected)).toBeLessThan(1e-11);
      expect(specialized.kernels).toBeLessThan(200);
      return JSON.stringify(specialized.module.kernels).length;
    });
    expect(sizes[1]).toBeLessThan(1.1 * sizes[0]);
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
    [
      'derivative/by-expression',
      ({ x }, { gradient }) => {
        const d = m.neg((x as Num[])[0]);
        return { g: gradient(m.add(m.mul(d, d), d), [d]) };
      },
    ],
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
