import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { adjointField, compile, dense, DiagnosticError, einsum, fields, hostStep, i, kernel, layout, openMemory, program, range, session, valueAndGradient, valueAndTangent } from 'filigree'; // prettier-ignore
import { describe, expect, it } from 'vitest';

const N = 6;
const { x, y, loss } = fields('f64', i, ['x', 'y', 'loss']);
const kernels = {
  spread: kernel([x], { scope: { N } }, (x) => {
    for (const p of range(N)) x[p] = 2 * x[p];
  }),
  total: kernel([y, loss], { scope: { N } }, (y, loss) => {
    loss[0] = 0.0;
    for (const p of range(N)) loss[0] += y[p] * (p + 1);
  }),
};
const numbers = Float64Array.from({ length: N }, (_, p) => 0.3 + p / 5);

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))(
  'programs that are bound to fields, while launches are recorded: %s',
  async (_name, backend) => {
    const { usable, reason } = await backend.probe();
    const can = it.skipIf(!usable && !process.env.CI);
    const where = usable ? '' : `: ${reason}`;

    can.each(['memory', 'session'] as const)(
      `are refused where they write these, and need not be in steps of the host, in one %s${where}`,
      async (how) => {
        const open =
          how === 'memory' ? { memory: await openMemory({ backend }) } : { session: await session({ backend }) };
        const sim = await program({
          layout: layout(dense(i, N).place(x), dense(i, N).place(y), dense(i, 1).place(loss)),
          kernels,
          backend,
          differentiate: true,
          tangents: true,
          ...open,
        });
        const given = { ...('session' in open ? open : { backend }), bind: { x: sim.field(x).buffer(), y: sim.field(y).buffer() } }; // prettier-ignore
        const squares = await compile({ inputs: { x: N }, run: ({ x }) => ({ y: x.map((v) => v * v) }) }, given);
        const doubled = await einsum('Y[k] = D[kl]*X[l]', {
          shapes: { D: [N, N], X: [N] },
          ...('session' in open ? open : { backend }),
          bind: { X: given.bind.x, Y: given.bind.y },
        });
        const reads = await compile(
          { inputs: { x: N }, run: ({ x }) => ({ sum: [x.reduce((a, v) => a + v)] }) },
          { ...given, bind: { x: given.bind.x } },
        );
        const begin = (): void => void sim.field(x).fromArray(numbers);
        const gradientOf = (between: () => unknown) => {
          begin();
          return valueAndGradient(sim, () => void (sim.run.spread(), between(), sim.run.total()), {
            loss,
            wrt: { x },
          });
        };
        const outside = [
          () => squares.run(),
          () => squares.runAsync().catch(() => undefined),
          () => doubled.run(),
          () => squares.set('x', numbers),
          () => given.bind.y.write(numbers),
        ];
        for (const act of [outside[0], ...outside.slice(2)]) expect(codeOf(() => gradientOf(act))).toBe('tape/outside');
        begin();
        const along = (tangentsOf: (f: typeof x) => { fill: (to: number) => void }): void => tangentsOf(x).fill(1);
        const forward = (): void => void (squares.run(), sim.run.total());
        expect(codeOf(() => valueAndTangent(sim, forward, { of: { loss }, along }))).toBe('tangent/outside');

        const { value, gradient } = gradientOf(() =>
          hostStep(sim, {
            reads: [x],
            writes: [y],
            forward: () => squares.run(),
            backward: () => {
              const [at, of, by] = [x, adjointField(y), adjointField(x)].map(
                (f) => sim.field(f).toArray() as Float64Array,
              );
              sim.field(adjointField(x)).fromArray(by.map((g, p) => g + 2 * at[p] * of[p]));
            },
          }),
        );
        expect(value).toBeCloseTo(
          numbers.reduce((sum, v, p) => sum + 4 * v * v * (p + 1), 0),
          12,
        );
        numbers.forEach((v, p) => expect(gradient.x.get(p)).toBeCloseTo(8 * v * (p + 1), 12));

        /* What only reads is no matter of derivatives. */
        expect(codeOf(() => gradientOf(() => reads.run()))).toBe('tape/independent');
        expect(reads.outputs.sum[0]).toBeCloseTo(2 * numbers.reduce((a, v) => a + v), 12);
        /* And when nobody records, all may. */
        squares.run();
        sim.run.total();
        expect(sim.field(loss).get(0)).toBeCloseTo(value, 12);
        for (const one of [squares, doubled, reads, sim, Object.values(open)[0]]) one.dispose();
      },
    );
  },
);
