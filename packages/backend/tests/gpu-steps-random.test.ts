import { dialectsOf } from '@filigree/backend';
import { type Stage, type Step, cutIntoSteps } from '@filigree/backend/gpu';
import {
  type Builder,
  type Module,
  type Scalar,
  type TypedArray,
  type Value,
  allocateBuffers,
  buildKernel,
  declareBuffer,
  interpret,
  makeModule,
  printModule,
  verifyModule,
} from '@filigree/ir';
import fc from 'fast-check';
import { expect, it } from 'vitest';

/** What a kernel does, as plain data. */
type Act =
  | { readonly is: 'store'; readonly at: number; readonly from: number }
  | { readonly is: 'all'; readonly at: number; readonly by: number }
  | { readonly is: 'if'; readonly on: number; readonly then: readonly Act[]; readonly otherwise: readonly Act[] }
  | { readonly is: 'for'; readonly bound: Bound; readonly by: number; readonly body: readonly Act[] }
  | { readonly is: 'while'; readonly at: number; readonly body: readonly Act[] };

type Bound = 'constant' | 'argument' | 'memory' | 'few';

const SIZE = 9;
const place = fc.nat({ max: SIZE - 1 });

const { acts } = fc.letrec<{ acts: readonly Act[]; act: Act }>((tie) => ({
  acts: fc.array(tie('act'), { minLength: 1, maxLength: 4 }),
  act: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ is: fc.constant('store' as const), at: place, from: place }),
    fc.record({ is: fc.constant('all' as const), at: place, by: place }),
    fc.record({ is: fc.constant('if' as const), on: place, then: tie('acts'), otherwise: tie('acts') }),
    fc.record({
      is: fc.constant('for' as const),
      bound: fc.constantFrom<Bound>('constant', 'argument', 'memory', 'few'),
      by: fc.integer({ min: 1, max: 2 }),
      body: tie('acts'),
    }),
    fc.record({ is: fc.constant('while' as const), at: place, body: tie('acts') }),
  ),
}));

const buffers = [declareBuffer('x', 'i32', SIZE, 'inout'), declareBuffer('y', 'i32', SIZE, 'inout')];

const moduleOf = (list: readonly Act[]): Module => {
  const kernel = buildKernel('k', { n: 'i32' }, (b, { n }) => void all(b, list, n, b.i32(1)), buffers);
  return makeModule('random', buffers, [kernel]);
};

/** Small, so that loops are short: a rest that is not negative. */
const small = (b: Builder, v: Value, of: number): Value => b.and(v, b.i32(of - 1));

/** What the acts make of a value that goes through them. */
const all = (b: Builder, list: readonly Act[], n: Value, start: Value): Value =>
  list.reduce((state, act) => one(b, act, n, state), start);

const one = (b: Builder, act: Act, n: Value, state: Value): Value => {
  switch (act.is) {
    case 'store':
      b.store('x', b.add(b.load('y', b.i32(act.from)), state), b.i32(act.at));
      return b.add(state, b.load('x', b.i32(act.from)));
    case 'all':
      b.for(b.i32(0), b.sub(b.i32(SIZE), small(b, state, 4)), b.i32(1), { parallel: true }, [], (i) => {
        b.store('y', b.add(b.mul(b.load('y', i), b.i32(3)), b.add(i, state)), i);
        b.store('x', b.xor(b.load('x', i), b.i32(act.by)), i);
      });
      return state;
    case 'if': {
      const arm = (list: readonly Act[]) => (): Value => all(b, list, n, state);
      const c = b.cmp('gt', small(b, b.load('y', b.i32(act.on)), 8), b.i32(3));
      return b.if(c, arm(act.then), arm(act.otherwise))[0]!;
    }
    case 'for': {
      const bounds: Readonly<Record<Bound, () => Value>> = {
        constant: () => b.i32(3),
        argument: () => b.add(b.mul(n, b.i32(2)), b.i32(-1)),
        memory: () => b.add(b.i32(-1), b.div(b.load('x', b.i32(act.by)), b.add(b.i32(1 << 29), b.load('y', b.i32(0))))),
        few: () => small(b, b.load('x', b.i32(act.by)), 4),
      };
      return b.for(b.i32(0), bounds[act.bound](), b.i32(act.by), {}, [state], (i, [s]) =>
        b.add(all(b, act.body, n, b.add(s!, i)), b.i32(1)),
      )[0]!;
    }
    case 'while':
      return b.while(
        [state, b.i32(0)],
        ([s, k]) => [
          b.and(b.cmp('lt', k!, b.i32(3)), b.cmp('ne', small(b, b.load('x', b.i32(act.at)), 4), b.i32(0))),
          s!,
          k!,
        ],
        ([s, k]) => [all(b, act.body, n, s!), b.add(k!, b.i32(1))],
      )[0]!;
  }
};

const launchesOf = (stages: readonly Stage[], args: readonly Scalar[]): readonly Step[] =>
  stages.flatMap((s) =>
    'stages' in s ? Array.from({ length: s.times(args) }, () => launchesOf(s.stages, args)).flat() : [s],
  );

it('kernels of any shape mean the same, cut into steps', () => {
  let repeated = 0;
  fc.assert(
    fc.property(acts, fc.nat({ max: 2 }), (list, n) => {
      const module = moduleOf(list);
      const { module: cut, of } = cutIntoSteps(module);
      expect(verifyModule(cut, dialectsOf([]))).toEqual([]);
      const memory = (m: Module): Record<string, TypedArray> => {
        const made = allocateBuffers(m.buffers);
        for (let k = 0; k < SIZE; k++) [made['x']![k], made['y']![k]] = [k * 5 - 7, 11 - k * k];
        return made;
      };
      const [want, got] = [memory(module), memory(cut)];
      const ran = interpret(module, dialectsOf([]), want, { kernel: 'k', args: [n], maxSteps: 1e6 });
      fc.pre(ran._tag === 'Right');
      const steps = launchesOf(of.get('k')!, [n]);
      fc.pre(steps.length < 2000);
      repeated += of.get('k')!.some((s) => 'stages' in s) ? 1 : 0;
      for (const { kernel } of steps) {
        const result = interpret(cut, dialectsOf([]), got, { kernel: kernel.name, args: [n], trusted: true });
        if (result._tag === 'Left') throw new Error(`${result.left[0]!.message}\n${printModule(cut)}`);
      }
      expect([...got['x']!]).toEqual([...want['x']!]);
      expect([...got['y']!]).toEqual([...want['y']!]);
    }),
    { numRuns: 150 },
  );
  expect(repeated).toBeGreaterThan(0);
});
