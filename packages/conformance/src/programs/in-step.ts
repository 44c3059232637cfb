import { gpuDialect } from '@filigree/backend/gpu';
import {
  type Buffer,
  type Builder,
  type ScalarType,
  type TypedArray,
  type Value,
  buildKernel,
  coreDialects,
  declareBuffer,
  makeModule,
} from '@filigree/ir';
import type { Program } from '../program.js';

/** Programs whose threads tell each other what they have. Which iterations go in step is open, and all of these come to the same. */
export const inStepPrograms = (): readonly Program[] => [
  counted(),
  ...(['i32', 'u32', 'i64', 'u64', 'f32', 'f64'] as const).map(handed),
  ownLane(),
  inTeam(),
  sets(),
];

const COUNT = 700;

const program = (
  name: string,
  outputs: readonly Buffer[],
  body: (b: Builder, x: Value, k: Value) => void,
  inputs: Readonly<Record<string, TypedArray>> = {},
): Program => {
  const buffers = [declareBuffer('x', 'i32', COUNT, 'input'), ...outputs];
  const all = (b: Builder): void =>
    void b.for(b.i32(0), b.i32(COUNT), b.i32(1), { parallel: true }, [], (k) => body(b, b.load('x', k), k));
  const kernel = buildKernel('all', {}, all, buffers, { dialects: [...coreDialects, gpuDialect] });
  const x = Int32Array.from({ length: COUNT }, (_, k) => (k * 37) % 101);
  return { name, module: makeModule(name.replace(/\W+/g, '_'), buffers, [kernel]), inputs: { x, ...inputs } };
};

const here = (b: Builder): Value => b.value('gpu.here');
const ballot = (b: Builder, holds: Value, set: Value): Value => b.value('gpu.ballot', [holds, set]);
const first = (b: Builder, set: Value): Value => b.value('gpu.first', [set]);
const count = (b: Builder, set: Value): Value => b.value('gpu.count', [set]);
const lane = (b: Builder): Value => b.value('gpu.lane');

/** The first of a set does something. */
const byFirst = (b: Builder, set: Value, body: () => void): void =>
  void b.if(b.cmp('eq', lane(b), first(b, set)), () => body());

/** What holds for how many, and how many come to a branch that others do not take. */
const counted = (): Program =>
  program('threads in step count those for which something holds', [declareBuffer('n', 'i32', 2, 'inout')], (b, x) => {
    const holds = b.cmp('lt', x, b.i32(40));
    const isOdd = b.cmp('ne', b.and(x, b.i32(1)), b.i32(0));
    const all = here(b);
    const odd = ballot(b, isOdd, all);
    byFirst(b, all, () => void b.atomic('n', 'add', count(b, odd), b.i32(0)));
    b.if(holds, () => {
      const few = here(b);
      byFirst(b, few, () => void b.atomic('n', 'add', count(b, few), b.i32(1)));
    });
  });

/** Numbers of some, one after the other, as the first of them sees them. */
const handed = (type: ScalarType): Program =>
  program(`threads in step hand each other ${type}`, [declareBuffer('sum', 'i32', 1, 'inout')], (b, x) => {
    const some = b.cmp('ne', b.rem(x, b.i32(3)), b.i32(0));
    b.if(some, () => {
      const set = here(b);
      /* Beyond 32 bits where the type has them. */
      const wide = type === 'i64' || type === 'u64' || type === 'f64' ? 2 ** 36 : 1;
      const scale = b.constant(wide, type);
      const value = b.mul(b.cast(x, type), scale);
      const [, sum] = b.while(
        [set, b.constant(0, type)],
        ([rest, sum]) => [b.cmp('ne', rest!, b.constant(0, 'u64')), rest!, sum!],
        ([rest, sum]) => [
          b.and(rest!, b.sub(rest!, b.constant(1, 'u64'))),
          b.add(sum!, b.value('gpu.shuffle', [value, set, first(b, rest!)])),
        ],
      );
      byFirst(b, set, () => void b.atomic('sum', 'add', b.cast(b.div(sum!, scale), 'i32'), b.i32(0)));
    });
  });

/** Each is among those that are here, and has its own number. */
const ownLane = (): Program => {
  const outputs = [declareBuffer('here', 'i32', COUNT, 'output'), declareBuffer('own', 'i32', COUNT, 'output')];
  return program('each thread in step is one of those that are here', outputs, (b, x, k) => {
    const set = here(b);
    const bit = b.and(b.shr(set, b.cast(lane(b), 'u64')), b.constant(1, 'u64'));
    b.store('here', b.cast(bit, 'i32'), k);
    b.store('own', b.value('gpu.shuffle', [x, set, lane(b)]), k);
  });
};

/** Threads of a team, some of which have nothing to do in the last round. */
const inTeam = (): Program => {
  const buffers = [declareBuffer('counts', 'i32', 3, 'output'), declareBuffer('part', 'i32', 1, 'scratch')];
  const kernel = buildKernel(
    'teams',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(3), b.i32(1), { parallel: true }, [], (team) => {
        b.for(b.i32(0), b.i32(1), b.i32(1), { team: true }, [], () => b.store('part', b.i32(0), b.i32(0)));
        b.for(b.i32(0), b.add(b.i32(300), team), b.i32(1), { team: true }, [], (k) => {
          const isEven = b.cmp('eq', b.and(k, b.i32(1)), b.i32(0));
          const even = ballot(b, isEven, here(b));
          b.if(isEven, () => byFirst(b, even, () => void b.atomic('part', 'add', count(b, even), b.i32(0))));
        });
        b.store('counts', b.load('part', b.i32(0)), team);
      }),
    buffers,
    { dialects: [...coreDialects, gpuDialect] },
  );
  return { name: 'threads of a team are in step', module: makeModule('in_team', buffers, [kernel]), inputs: {} };
};

/** How many are in a set, and which is the first: of any 32 lanes. */
const sets = (): Program => {
  const outputs = [declareBuffer('many', 'i32', COUNT, 'output'), declareBuffer('least', 'i32', COUNT, 'output')];
  return program('sets of threads in step', outputs, (b, x, k) => {
    const set = b.cast(b.add(b.mul(b.cast(x, 'u32'), b.constant(0x9e3779b1, 'u32')), b.constant(1, 'u32')), 'u64');
    b.store('many', count(b, set), k);
    b.store('least', first(b, b.or(set, b.shl(b.constant(1, 'u64'), b.constant(31, 'u64')))), k);
  });
};
