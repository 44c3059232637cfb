import { adjoint, withGradients } from '@filigree/autodiff';
import { DiagnosticError, parseModule } from '@filigree/ir';
import { dense, field, i, layout, layoutTree } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const x = field('x', 'f64');
const { layout: tree, adjoints } = withGradients(layout(dense(i, 4096).place(x)), [x]);

/** How the counter `%k` is divided, and what by in JavaScript. */
interface Way {
  readonly ops: string;
  readonly divisor: (h: number) => number;
}
const ways: readonly Way[] = [
  {
    ops: `%r = arith.rem %k, %h : i32
      %q = arith.div %k, %h : i32
      %w = arith.add %h, %zero : i32`,
    divisor: (h) => h,
  },
  {
    ops: `%r = arith.rem %k, %h : i32
      %b = arith.sub %k, %r : i32
      %q = arith.div %b, %h : i32
      %w = arith.add %h, %zero : i32`,
    divisor: (h) => h,
  },
  {
    ops: `%w = arith.shl %one, %h : i32
      %m = arith.sub %w, %one : i32
      %r = arith.and %k, %m : i32
      %q = arith.shr %k, %h : i32`,
    divisor: (h) => 2 ** h,
  },
  {
    ops: `%w = arith.constant {value = 4} : i32
      %r = arith.rem %k, %w : i32
      %q = arith.div %k, %w : i32`,
    divisor: () => 4,
  },
];

/** Of two elements: `blocks * w * q + low * r + multiple * w + plus`. */
interface Index {
  readonly blocks: number;
  readonly low: number;
  readonly multiple: number;
  readonly plus: number;
}

const textOf = (n: number, { blocks, low, multiple, plus }: Index): string => `
      %c${n} = arith.constant {value = ${blocks}} : i32
      %d${n} = arith.mul %w, %c${n} : i32
      %e${n} = arith.mul %d${n}, %q : i32
      %f${n} = arith.constant {value = ${low}} : i32
      %g${n} = arith.mul %r, %f${n} : i32
      %i${n} = arith.add %e${n}, %g${n} : i32
      %j${n} = arith.constant {value = ${multiple}} : i32
      %l${n} = arith.mul %j${n}, %w : i32
      %m${n} = arith.add %i${n}, %l${n} : i32
      %n${n} = arith.constant {value = ${plus}} : i32
      %at${n} = arith.add %m${n}, %n${n} : i32`;

const isTaken = (way: Way, indices: readonly Index[]): boolean =>
  isText(`module @m {
  kernel @f(%h: i32) {
    %zero = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %n = arith.constant {value = 24} : i32
    scf.for %zero, %n, %one {parallel = true} {
    ^(%k: i32):
      ${way.ops}${indices.map((index, n) => textOf(n, index)).join('')}
      %a = field.load %at0 {field = x} : f64
      %z = field.load %at1 {field = x} : f64
      %s = arith.mul %a, %z : f64
      field.store %s, %at0 {field = x}
      field.store %a, %at1 {field = x}
      scf.yield
    }
    scf.yield
  }
}
`);

/** Whether the kernel of a text is reversed. */
const isText = (text: string): boolean => {
  const parsed = parseModule(text);
  if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
  try {
    adjoint({ ...parsed.right, layout: layoutTree(tree) }, 'f', { adjoints });
    return true;
  } catch (e) {
    if (e instanceof DiagnosticError && e.diagnostics[0].code === 'adjoint/overwritten') return false;
    throw e;
  }
};

/** Whether no two iterations touch one element. */
const areApart = (way: Way, indices: readonly Index[], h: number): boolean => {
  const w = way.divisor(h);
  const owners = new Map<number, number>();
  for (let k = 0; k < 24; k++)
    for (const { blocks, low, multiple, plus } of indices) {
      const at = blocks * w * Math.floor(k / w) + low * (k % w) + multiple * w + plus;
      if ((owners.get(at) ?? k) !== k) return false;
      owners.set(at, k);
    }
  return true;
};

const anyWay = fc.integer({ min: 0, max: ways.length - 1 }).map((n) => ways[n]);
const anyIndex = fc.record({
  blocks: fc.integer({ min: 1, max: 6 }),
  low: fc.integer({ min: 1, max: 2 }),
  multiple: fc.integer({ min: 0, max: 4 }),
  plus: fc.integer({ min: 0, max: 4 }),
});

const anyPair = fc
  .tuple(anyWay, anyIndex, anyIndex, fc.constantFrom(true, true, true, false))
  .map(([way, a, other, alike]) => [way, a, alike ? { ...other, blocks: a.blocks, low: a.low } : other] as const)
  .filter(([, a, b]) => a.multiple !== b.multiple || a.plus !== b.plus);

describe('iterations that change pairs of elements in place', () => {
  it('are reversed only where no two have an element in common', () => {
    fc.assert(
      fc.property(anyPair, ([way, a, b]) => {
        if (!isTaken(way, [a, b])) return;
        for (const h of [1, 2, 3, 4, 5]) expect([h, areApart(way, [a, b], h)]).toEqual([h, true]);
      }),
      { numRuns: 400 },
    );
  });

  it('are reversed in some of these pairs, however few of them are tried', () => {
    const taken = fc.sample(anyPair, { numRuns: 100, seed: 1 }).filter(([way, a, b]) => isTaken(way, [a, b]));
    expect(taken.length).toBeGreaterThan(2);
  });

  it.each(ways.map((way, n) => [n, way] as const))('are reversed: butterflies, way %i', (_, way) => {
    const [a, b] = [
      { blocks: 2, low: 1, multiple: 0, plus: 0 },
      { blocks: 2, low: 1, multiple: 1, plus: 0 },
    ];
    expect(isTaken(way, [a, b])).toBe(true);
    /* Real and imaginary parts side by side, and four at a time. */
    const parts = { blocks: 8, low: 2, multiple: 0, plus: 3 };
    expect(isTaken(way, [parts, { ...parts, multiple: 6, plus: 4 }])).toBe(true);
    expect(isTaken(way, [a, { ...b, multiple: 2 }])).toBe(false);
    expect(isTaken(way, [a, { ...b, plus: 1 }])).toBe(false);
    expect(isTaken(way, [{ ...a, blocks: 1 }, { ...b, blocks: 1 }])).toBe(false); // prettier-ignore
  });
});

/* `for (c of range(from, 24, times * h + plus))`, or by a number alone: `x[c + multiple * h + plus]` for two of these. */
interface Stride {
  readonly isMultiple: boolean;
  readonly times: number;
  readonly indices: readonly { readonly multiple: number; readonly plus: number }[];
}

const anyStride: fc.Arbitrary<Stride> = fc.record({
  isMultiple: fc.boolean(),
  times: fc.integer({ min: 1, max: 4 }),
  indices: fc.tuple(...[0, 1].map(() => fc.record({ multiple: fc.integer({ min: 0, max: 4 }), plus: fc.integer({ min: 0, max: 2 }) }))), // prettier-ignore
});

const isStrideTaken = ({ isMultiple, times, indices }: Stride): boolean =>
  isText(`module @m {
  kernel @f(%h: i32, %from: i32) {
    %n = arith.constant {value = 24} : i32
    %times = arith.constant {value = ${times}} : i32
    ${isMultiple ? '%step = arith.mul %times, %h : i32' : `%step = arith.constant {value = ${times}} : i32`}
    scf.for %from, %n, %step {parallel = true} {
    ^(%c: i32):${indices
      .map(
        ({ multiple, plus }, n) => `
      %j${n} = arith.constant {value = ${multiple}} : i32
      %l${n} = arith.mul %j${n}, %h : i32
      %m${n} = arith.add %c, %l${n} : i32
      %n${n} = arith.constant {value = ${plus}} : i32
      %at${n} = arith.add %m${n}, %n${n} : i32`,
      )
      .join('')}
      %a = field.load %at0 {field = x} : f64
      %z = field.load %at1 {field = x} : f64
      %s = arith.mul %a, %z : f64
      field.store %s, %at0 {field = x}
      field.store %a, %at1 {field = x}
      scf.yield
    }
    scf.yield
  }
}
`);

const isStrideApart = ({ isMultiple, times, indices }: Stride, h: number, from: number): boolean => {
  const owners = new Map<number, number>();
  for (let c = from; c < 24; c += isMultiple ? times * h : times)
    for (const { multiple, plus } of indices) {
      const at = c + multiple * h + plus;
      if ((owners.get(at) ?? c) !== c) return false;
      owners.set(at, c);
    }
  return true;
};

describe('iterations by more than one that change elements in place', () => {
  it('are reversed only where no two have an element in common', () => {
    fc.assert(
      fc.property(anyStride, (stride) => {
        if (!isStrideTaken(stride)) return;
        for (const h of [1, 2, 3, 4, 5])
          for (const from of [0, 1, 2]) expect([h, from, isStrideApart(stride, h, from)]).toEqual([h, from, true]);
      }),
      { numRuns: 300 },
    );
  });

  it('are reversed: neighbours, and what lies at multiples of a distance', () => {
    const neighbours = [0, 1].map((plus) => ({ multiple: 0, plus }));
    const distant = [0, 1].map((multiple) => ({ multiple, plus: 0 }));
    expect(isStrideTaken({ isMultiple: false, times: 2, indices: neighbours })).toBe(true);
    expect(isStrideTaken({ isMultiple: true, times: 2, indices: distant })).toBe(true);
    expect(isStrideTaken({ isMultiple: false, times: 1, indices: neighbours })).toBe(false);
    expect(isStrideTaken({ isMultiple: true, times: 1, indices: distant })).toBe(false);
  });
});

/* `x[k]` and `x[k PARTNER w]` in an arm of `if (k MASK w PREDICATE against)`. */
interface Choice {
  readonly isShifted: boolean;
  readonly mask: 'and' | 'xor';
  readonly against: 'zero' | 'w' | 'k';
  readonly predicate: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';
  readonly holds: boolean;
  readonly partner: 'xor' | 'or' | 'add' | 'sub';
}

const choices = (['and', 'xor'] as const).flatMap((mask) =>
  (['zero', 'w', 'k'] as const).flatMap((against) =>
    (['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const).flatMap((predicate) =>
      (['xor', 'or', 'add', 'sub'] as const).flatMap((partner) =>
        [true, false].flatMap((holds) =>
          [true, false].map((isShifted): Choice => ({ isShifted, mask, against, predicate, holds, partner })),
        ),
      ),
    ),
  ),
);

const isChoiceTaken = ({ isShifted, mask, against, predicate, holds, partner }: Choice): boolean => {
  const change = `
        %a = field.load %k {field = x} : f64
        %z = field.load %l {field = x} : f64
        %s = arith.mul %a, %z : f64
        field.store %s, %k {field = x}
        field.store %a, %l {field = x}`;
  return isText(`module @m {
  kernel @f(%h: i32) {
    %zero = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %n = arith.constant {value = 24} : i32
    %w = ${isShifted ? 'arith.shl %one, %h' : 'arith.add %h, %zero'} : i32
    scf.for %zero, %n, %one {parallel = true} {
    ^(%k: i32):
      %m = arith.${mask} %k, %w : i32
      %l = arith.${partner} %k, %w : i32
      %c = arith.cmp %m, %${against} {predicate = ${predicate}} : i1
      scf.if %c {${holds ? change : ''}
        scf.yield
      } {${holds ? '' : change}
        scf.yield
      }
      scf.yield
    }
    scf.yield
  }
}
`);
};

const compared: Readonly<Record<Choice['predicate'], (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

const isChoiceApart = ({ isShifted, mask, against, predicate, holds, partner }: Choice, h: number): boolean => {
  const w = isShifted ? 1 << h : h;
  const owners = new Map<number, number>();
  for (let k = 0; k < 24; k++) {
    const masked = mask === 'and' ? k & w : k ^ w;
    if (compared[predicate](masked, { zero: 0, w, k }[against]) !== holds) continue;
    for (const at of [k, { xor: k ^ w, or: k | w, add: k + w, sub: k - w }[partner]]) {
      if ((owners.get(at) ?? k) !== k) return false;
      owners.set(at, k);
    }
  }
  return true;
};

describe('iterations that change partners in place', () => {
  const taken = choices.filter(isChoiceTaken);

  it('are reversed only where one of two alone does', () => {
    for (const choice of taken)
      for (const h of [0, 1, 2, 3, 4, 5]) expect([choice, h, isChoiceApart(choice, h)]).toEqual([choice, h, true]);
  });

  it('are reversed by a bit that is off or on, and by which is greater', () => {
    const named = taken.map((c) => `${c.mask} ${c.predicate} ${c.against} ${c.partner} ${c.holds} ${c.isShifted}`);
    expect(named).toContain('and eq zero xor true false');
    expect(named).toContain('and eq w sub true false');
    expect(named).toContain('and ne zero xor true true');
    expect(named).not.toContain('and ne zero xor true false');
    expect(named).toContain('xor le k xor false false');
  });
});
