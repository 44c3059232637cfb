import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
  walk,
  type Buffer,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import { canonicalize, carryLoads } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';

const buffers: readonly Buffer[] = [
  declareBuffer('x', 'i32', 32, 'inout'),
  declareBuffer('y', 'i32', 32, 'inout'),
  declareBuffer('o', 'i32', 4, 'inout'),
];

/** A loop that carries two indices, chooses them anew by what it reads at them and elsewhere, and writes now and again. */
const randomChoices = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const loop = (b: Builder, m: Value): void => {
    const [zero, one, two, three] = [0, 1, 2, 3].map(b.i32) as [Value, Value, Value, Value];
    const first = pick([zero, m, one]);
    const [scale, more] = [pick([one, two, m]), pick([zero, three])];
    const place = (v: Value): Value => b.add(b.mul(v, scale), more);
    const buffer = pick(['x', 'x', 'y']);
    const together = choose(3) === 0;
    const results = b.for(pick([zero, one]), pick([m, three, b.i32(5)]), one, {}, [first, one], (j, [c, d]) => {
      const indices = [j, c!, d!, b.add(j, one), b.add(c!, one)];
      const values = [...indices.slice(0, 3).map((v) => b.load(buffer, place(v)))];
      if (together) values.push(b.load(buffer, b.add(place(c!), d!)), b.load(buffer, b.add(place(j), j)));
      for (let n = choose(3); n > 0; n--) values.push(b.load(pick(['x', 'y']), place(pick(indices))));
      if (choose(3) === 0) b.store(pick(['x', 'y']), pick(values), pick(indices));
      const compare = (): Value => b.cmp(pick(['lt', 'gt', 'ne']), pick(values), pick(values));
      const conditions = [compare(), compare()];
      const chosen = (depth: number): Value =>
        depth === 0 || choose(4) === 0
          ? pick([...indices.slice(0, 3), c!, d!, ...(choose(4) === 0 ? indices : [])])
          : b.select(pick(conditions), chosen(depth - 1), chosen(depth - 1));
      if (!together) return [chosen(2), chosen(1)];
      const condition = pick(conditions);
      return [b.select(condition, j, c!), b.select(condition, pick([j, j, d!]), d!)];
    });
    results.forEach((v, k) => void b.store('o', v, [zero, one][k]!));
  };
  const kernel = buildKernel('choices', { m: 'i32' }, (b, { m }) => loop(b, m), buffers);
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, m: number): readonly Int32Array[] | undefined => {
  const x = Int32Array.from({ length: 32 }, (_, k) => (k * 7 + m) % 5);
  const y = Int32Array.from({ length: 32 }, (_, k) => (k * k + 3) % 11);
  const o = new Int32Array(4);
  return E.isRight(interpret(module, coreDialects, { x, y, o }, { kernel: 'choices', args: [m] }))
    ? [x, y, o]
    : undefined;
};

const loadsIn = (module: Module): number => {
  let loads = 0;
  walk(module.kernels[0]!.body, ({ name, regions }) => {
    if (name === 'scf.for') for (const { ops } of regions) loads += ops.filter((op) => op.name === 'mem.load').length;
  });
  return loads;
};

it('what is carried is what would be read at the indices that a loop chooses', () => {
  let [fewer, same] = [0, 0];
  fc.assert(
    fc.property(fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 80 }), fc.nat(6), (choices, m) => {
      const before = randomChoices(choices);
      expect(verifyModule(before, coreDialects)).toEqual([]);
      const expected = after(before, m);
      fc.pre(expected !== undefined);
      for (const start of [before, applied(canonicalize(), before)]) {
        const made = applied(carryLoads(), start);
        expect(verifyModule(made, coreDialects)).toEqual([]);
        if (loadsIn(made) < loadsIn(start)) fewer++;
        else same++;
        expect(after(made, m)).toEqual(expected);
      }
    }),
    { numRuns: 600 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(fewer).toBeGreaterThan(20);
  expect(same).toBeGreaterThan(20);
});
