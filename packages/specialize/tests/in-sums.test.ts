import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARITHMETICS, symbolicMath as m, type Num } from '@filigree/ir';
import { defaultOptions } from '@filigree/specialize';
import { both, relativeError, type Body } from './support.js';

/** Neighbours of each vertex: of vertex v so many as `valences` says in turns. */
const neighbours = (vertices: number, valences: readonly number[]) => {
  const [from, to]: number[][] = [[], []];
  for (let v = 0; v < vertices; v++)
    for (let k = 0; k < valences[v % valences.length]; k++) {
      from.push(v);
      to.push((7 * v + 3 * k + 1) % vertices);
    }
  return { from: Int32Array.from(from), to: Int32Array.from(to) };
};

/** What the neighbours of a vertex add to `outer` of it, a product of what both have in common and what each has. */
const local =
  (vertices: number, valences: readonly number[], kept = false): Body =>
  ({ p, q, w }, elements) => {
    const { from, to } = neighbours(vertices, valences);
    const sums = new Array<Num>(4 * vertices).fill(0);
    const each = new Array<Num>(from.length).fill(0);
    const at = [0, 1, 2, 3].map((k) => from.map((v) => 4 * v + k));
    const here = [0, 1].map((k) => from.map((v) => 2 * v + k));
    const there = [0, 1].map((k) => to.map((v) => 2 * v + k));
    const own = Int32Array.from(from, (_, e) => e);
    elements(from.length, { p, q, w, sums, each, at, here, there, own }, (of) => {
      for (let i = 0; i < 2; i++)
        for (let j = 0; j < 2; j++) {
          const [dp, dq] = [m.sub(of.p[of.here[i]], of.p[of.there[i]]), m.sub(of.q[of.here[j]], of.q[of.there[j]])];
          const term = m.mul(m.mul(of.w[of.own], dp), dq);
          const s = of.at[2 * i + j];
          of.sums[s] = i > j ? m.sub(of.sums[s], term) : m.add(of.sums[s], term);
          if (kept && i === j) of.each[of.own] = m.add(of.each[of.own], term);
        }
    });
    return kept ? { sums, each } : { sums };
  };

const sizes = (vertices: number, valences: readonly number[]) => ({
  p: 2 * vertices,
  q: 2 * vertices,
  w: neighbours(vertices, valences).from.length,
});

describe('elements of which each goes to the sums of one unit', () => {
  for (const arithmetic of ARITHMETICS)
    it(`are evaluated there, and nothing is stored (${arithmetic})`, () => {
      const valences = [5, 6, 6, 7];
      const { outputs, plain, temporary } = both(sizes(400, valences), local(400, valences), {}, arithmetic);
      expect(temporary).toBe(0);
      if (arithmetic === 'exact') expect([...outputs.sums]).toEqual(plain.sums);
      else expect(relativeError(outputs.sums, plain.sums)).toBeLessThan(1e-13);
    });

  it('are evaluated term by term where few sums are as long', () => {
    const valences = [5, 5, 5, 5, 5, 5, 5, 23];
    const { outputs, plain, temporary } = both(sizes(160, valences), local(160, valences));
    expect(temporary).toBe(0);
    expect([...outputs.sums]).toEqual(plain.sums);
  });

  it('are evaluated once for what a vertex adds up, whatever blocks of sums are', () => {
    const valences = [6];
    const run = (blocks: boolean) =>
      both(sizes(300, valences), local(300, valences), { group: { ...defaultOptions.group, blocks } });
    expect([...run(false).outputs.sums]).toEqual([...run(true).outputs.sums]);
    expect(run(false).specialized.kernels).toBe(run(true).specialized.kernels);
  });
});

it('what a vertex computes much of has its sums side by side, of whatever length they are', () => {
  const vertices = 600;
  const body = (valences: readonly number[]): Body => {
    const sums = local(vertices, valences);
    return (x, elements) => {
      const added = sums(x, elements).sums;
      const out = new Array<Num>(vertices).fill(0);
      const at = [0, 1, 2, 3].map((k) => Int32Array.from({ length: vertices }, (_, v) => 4 * v + k));
      elements(vertices, { added, out, at, own: Int32Array.from({ length: vertices }, (_, v) => v) }, (of) => {
        let [a, b] = [of.added[of.at[0]], of.added[of.at[3]]];
        for (let step = 0; step < 12; step++)
          [a, b] = [
            m.div(m.add(a, m.mul(b, of.added[of.at[1]])), m.sqrt(m.add(1, m.mul(a, a)))),
            m.sub(b, m.mul(a, of.added[of.at[2]])),
          ];
        of.out[of.own] = m.add(a, b);
      });
      return { out };
    };
  };
  for (const valences of [[6], [5, 6, 6, 7, 6]]) {
    const { outputs, plain, temporary, specialized } = both(sizes(vertices, valences), body(valences));
    expect([...outputs.out]).toEqual(plain.out);
    expect(temporary).toBe(4 * vertices);
    expect(JSON.stringify(specialized.module.kernels.at(-1))).not.toMatch(/index(8|16|32)/);
  }
});

describe('elements are stored', () => {
  it('where several units would evaluate them', () => {
    const valences = [6];
    const { outputs, plain, temporary } = both(sizes(300, valences), local(300, valences, true));
    expect([...outputs.each]).toEqual(plain.each);
    expect(temporary).toBeGreaterThan(0);
  });

  it('where terms that cost much are added in order', () => {
    const n = 3000;
    const body: Body = ({ x }, elements) => {
      const total: Num[] = [0];
      const [own, first] = [Int32Array.from({ length: n }, (_, e) => e), new Int32Array(n)];
      elements(n, { x, total, own, first }, (of) => {
        const value = of.x[of.own];
        const term = m.div(m.sin(value), m.sqrt(m.add(1, m.exp(m.mul(value, m.cos(value))))));
        of.total[of.first] = m.add(of.total[of.first], term);
      });
      return { total };
    };
    const inOrder = both({ x: n }, body);
    expect([...inOrder.outputs.total]).toEqual(inOrder.plain.total);
    expect(inOrder.temporary).toBeGreaterThanOrEqual(n);
    const anyOrder = both({ x: n }, body, {}, 'algebraic');
    expect(relativeError(anyOrder.outputs.total, anyOrder.plain.total)).toBeLessThan(1e-12);
    expect(anyOrder.temporary).toBeLessThan(n);
  });
});

it('sums of elements that are stored, or not, and of other terms compute what plain code does', () => {
  fc.assert(
    fc.property(
      fc.record({
        vertices: fc.integer({ min: 3, max: 40 }),
        valences: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
        kept: fc.boolean(),
        /* Where elements of another call add to the same sums, before or behind. */
        before: fc.boolean(),
        behind: fc.boolean(),
        twice: fc.boolean(),
        blocks: fc.boolean(),
        arithmetic: fc.constantFrom(...ARITHMETICS),
      }),
      ({ vertices, valences, kept, before, behind, twice, blocks, arithmetic }) => {
        const body: Body = (x, elements) => {
          const sums = new Array<Num>(4 * vertices).fill(0.5);
          const add = (by: number): void => {
            const at = [0, 1].map((k) => Int32Array.from({ length: vertices }, (_, v) => 4 * v + ((k + by) % 4)));
            elements(vertices, { p: x.p, sums, at }, (of) => {
              const value = m.div(
                m.mul(of.p[of.at[0]], of.p[of.at[1]]),
                m.add(2, m.mul(of.p[of.at[1]], of.p[of.at[1]])),
              );
              of.sums[of.at[0]] = m.sub(of.sums[of.at[0]], value);
              of.sums[of.at[1]] = m.add(of.sums[of.at[1]], value);
            });
          };
          if (before) add(1);
          const { sums: added, each } = local(vertices, valences, kept)(x, elements);
          const all = added.map((s, i) => (twice ? m.add(m.mul(s, s), sums[i]) : m.add(s, sums[i])));
          if (behind) {
            const own = Int32Array.from({ length: all.length }, (_, i) => i);
            elements(all.length, { all, sums, own }, (of) => {
              of.sums[of.own] = m.add(of.sums[of.own], m.mul(m.mul(of.all[of.own], of.all[of.own]), of.all[of.own]));
            });
          }
          return { all, sums, ...(each && { each }) };
        };
        const inputs = { ...sizes(vertices, valences), p: 4 * vertices };
        const group = { ...defaultOptions.group, blocks, minUnrolledInstances: 3 };
        const { outputs, plain } = both(inputs, body, { group }, arithmetic);
        for (const [name, expected] of Object.entries(plain))
          if (arithmetic === 'exact') expect([...outputs[name]]).toEqual(expected);
          else expect(relativeError(outputs[name], expected)).toBeLessThan(1e-12);
      },
    ),
    { numRuns: 60 },
  );
});
