import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { expandSpellings } from '@filigree/backend';
import {
  algebraOf,
  coreDialects,
  defineElementwise,
  dialect,
  parseModule,
  verifyModule,
  type Extension,
  type Module,
} from '@filigree/ir';

const right = <A>(e: E.Either<unknown, A>): A => {
  if (E.isLeft(e)) throw new Error(JSON.stringify(e.left));
  return e.right;
};

const halves: Extension = {
  name: 'halves',
  dialects: [
    dialect('halves', [
      defineElementwise(
        {
          name: 'halves.sum',
          summary: 'half of the sum of two floats',
          verify: () => [],
          resultTypes: ([a]) => [a!.type],
        },
        () => (a, b) => ((a as number) + (b as number)) / 2,
      ),
    ]),
  ],
  spellings: {
    'halves.sum': {
      core: (b, { operands: [x, y] }) => {
        const s = algebraOf(b, x!.type);
        return [s.select(s.gt(x!, y!), s.mul(s.add(x!, y!), 0.5), s.div(s.sub(x!, s.neg(y!)), 2))];
      },
    },
  },
};

const module: Module = right(
  parseModule(`module @m {
  buffer @x : f32[8] inout
  kernel @k() {
    %0 = arith.constant {value = 0} : i32
    %x = mem.load %0 {buffer = @x, lanes = 4} : vec<4 x f32>
    %y = halves.sum %x, %x : vec<4 x f32>
    mem.store %y, %0 {buffer = @x}
    scf.yield
  }
}`),
);

describe('ops that are made of others', () => {
  test('are written so, lane by lane, and what has no such op is the module that it was', () => {
    const expanded = right(expandSpellings([halves], () => false).run(module));
    expect(verifyModule(expanded, coreDialects)).toEqual([]);
    const ops = expanded.kernels[0]!.body.ops.map((op) => op.name.split('.')[1]);
    expect(ops.filter((name) => name !== 'constant')).toEqual([
      'load',
      'cmp',
      'add',
      'mul',
      'neg',
      'sub',
      'div',
      'select',
      'store',
      'yield',
    ]);
    expect(right(expandSpellings([halves], () => false).run(expanded))).toBe(expanded);
  });

  test('stay whole where a backend writes them itself', () => {
    expect(right(expandSpellings([halves], (op) => op === 'halves.sum').run(module))).toBe(module);
  });
});
