import {
  controlBy,
  coreDialects,
  derivative,
  isInteger,
  isLoop,
  opTable,
  rewriteOps,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Loc,
  type Module,
  type Op,
  type Value,
} from '@filigree/ir';
import { fieldDialect, layoutOf, wordFields } from '@filigree/sparse/fields';
import type { Marks } from './marks.js';

/** What is watched, and how its ops are numbered. */
export interface WatchOptions {
  /** The fields whose elements are watched, with those of their marks. */
  readonly marks: Readonly<Record<string, Marks>>;
  /** The number of its first access: all kernels of a program are numbered together. */
  readonly first: number;
  readonly dialects?: readonly Dialect[];
}

/** A kernel that does what its primal does, and reports accesses to elements on which no derivative can rest. */
export interface Watched {
  /** It takes what its primal takes. */
  readonly kernel: Kernel;
  /** Where it reports, and is told how launches and loops are counted: i32, at the places of `REPORT`. */
  readonly buffer: Buffer;
  /** By number, from `first` on. */
  readonly accesses: readonly Access[];
}

/** An op on an element of a field. */
export interface Access {
  readonly kernel: string;
  readonly field: string;
  readonly does: 'read' | 'write' | 'add';
  readonly loc: Loc | undefined;
}

/** The words of the buffer of a watched kernel. */
export const REPORT = {
  /** 0 while nothing is wrong, else one of `BROKEN`. */
  what: 0,
  /** The numbers of the two accesses that do not go together, the later one first. */
  later: 1,
  earlier: 2,
  /** Up to six coordinates. */
  at: 3,
  /** Counts loops and what lies between them; it goes on from launch to launch. */
  epoch: 9,
  /** Set by whoever reports first. */
  taken: 10,
  words: 11,
} as const;

/** Which rule was broken. */
export const BROKEN = { twice: 1, unfinished: 2 } as const;

/** Up to which epoch marks tell one from another. */
export const LAST_EPOCH = 2 ** 19 - 1;

/**
 * A kernel that checks the access rules of differentiable programs (thesis §3.4) as it runs. In a parallel loop an element is written by one iteration, and sums into it are
 * done before another one reads it. Each element has marks: the epoch in which it was last written or read, the iteration and the op.
 */
export const watched = (module: Module, name: string, { marks, first, dialects: own = [] }: WatchOptions): Watched => {
  const layout = layoutOf(module.layout ?? { branches: [] });
  const dialects = [...coreDialects, fieldDialect(layout), derivative, ...own];
  const controlOf = controlBy(opTable(dialects));
  const primal = module.kernels.find((k) => k.name === name)!;
  const buffer: Buffer = { name: `${name}_accesses`, type: 'i32', length: REPORT.words, role: 'inout' };
  const accesses: Access[] = [];
  const isParallel = (op: Op): boolean => {
    const control = controlOf(op);
    return control !== undefined && isLoop(control) && control.parallel === true;
  };
  const body = rewriteOps(
    primal,
    dialects,
    (op, ctx) => {
      const loop = ctx.parents.find(isParallel);
      if (!loop && isParallel(op))
        return ctx.build((b) => {
          nextEpoch(b, buffer.name);
          const results = b.append(op);
          nextEpoch(b, buffer.name);
          return results;
        });
      const does = doing(op);
      if (!does) return undefined;
      /* What is stored together stays so: fields of one exponent would be rounded otherwise. */
      const all = op.name === 'field.store_word' ? wordFields(op) : [String(op.attrs.field)];
      const fields = all.filter((field) => Object.hasOwn(marks, field));
      if (fields.length === 0) return undefined;
      const numbers = fields.map((field) => first + accesses.push({ kernel: name, field, does, loc: op.loc }) - 1);
      return ctx.build((b) => {
        const results = b.append(op);
        const index = does === 'read' ? op.operands : op.operands.slice(all.length);
        const iteration = loop && iterationOf(b, loop);
        fields.forEach((field, n) =>
          note({ b, buffer: buffer.name, marks: marks[field], index, number: numbers[n], iteration }, does),
        );
        return results;
      });
    },
    [...module.buffers, buffer],
  );
  return { kernel: { ...body, name: `${name}_watched` }, buffer, accesses };
};

const doing = ({ name, attrs }: Op): Access['does'] | undefined => {
  if (name === 'field.load') return 'read';
  if (name === 'field.store' || name === 'field.store_word') return 'write';
  if (name !== 'field.atomic') return undefined;
  return attrs.kind === 'exchange' ? 'write' : 'add';
};

const nextEpoch = (b: Builder, buffer: string): void => {
  const at = b.i32(REPORT.epoch);
  b.store(buffer, b.cast(b.add(b.cast(b.load(buffer, at), 'u32'), b.constant(1, 'u32')), 'i32'), at);
};

/* A mark, from its highest bits on: epoch (19), iteration (24), whether several iterations, whether they add, and the op (18). */
const EPOCH = 44n;
const ITERATION = 20n;
const SEVERAL = 1n << 19n;
const ADDS = 1n << 18n;
const OP = ADDS - 1n;

/** The iteration of a parallel loop as a number: itself where it has one coordinate, else a hash. Unsigned, so that it may wrap. */
const iterationOf = (b: Builder, { regions: [{ params }] }: Op): Value => {
  const mixed = params
    .filter((p) => isInteger(p.type))
    .map((p) => b.cast(p, 'u32'))
    .reduce((hash, p) => b.add(b.mul(hash, b.constant(0x9e3779b1, 'u32')), p));
  return b.cast(b.and(mixed, b.constant(0xffffff, 'u32')), 'i64');
};

/** Where an access is noted. */
interface Place {
  readonly b: Builder;
  readonly buffer: string;
  readonly marks: Marks;
  readonly index: readonly Value[];
  readonly number: number;
  /** Nothing outside of parallel loops, where nothing runs at once. */
  readonly iteration: Value | undefined;
}

const note = (p: Place, does: Access['does']): void => {
  const { b, marks, iteration } = p;
  const epoch = b.cast(b.load(p.buffer, b.i32(REPORT.epoch)), 'i64');
  const base = b.or(
    b.or(b.shl(epoch, b.i64(EPOCH)), b.shl(iteration ?? b.i64(0), b.i64(ITERATION))),
    b.i64(does === 'add' ? BigInt(p.number) | ADDS : BigInt(p.number)),
  );
  const now = (mark: Value): Value => b.cmp('eq', b.shr(mark, b.i64(EPOCH)), epoch);
  const hasBit = (mark: Value, bit: bigint): Value => b.cmp('ne', b.and(mark, b.i64(bit)), b.i64(0));
  /* Whether a mark of this loop is by another iteration. */
  const foreign = (mark: Value): Value =>
    b.and(
      now(mark),
      b.or(
        hasBit(mark, SEVERAL),
        b.cmp('ne', b.and(b.shr(mark, b.i64(ITERATION)), b.i64(0xffffff)), iteration ?? b.i64(0)),
      ),
    );
  const read = (field: string): Value => b.value('field.load', p.index, { field });
  const put = (field: string, mark: Value): void =>
    void b.op('field.store', [mark, ...p.index], { field, activate: false });
  /* Each side leaves its mark before it looks for that of the other, so one of two that run at once sees it. */
  const exchange = (field: string, mark: Value): Value =>
    b.value('field.atomic', [mark, ...p.index], { field, kind: 'exchange', activate: false });

  if (does === 'read') {
    if (iteration) {
      const before = exchange(marks.read, base);
      b.if(foreign(before), () => put(marks.read, b.or(base, b.i64(SEVERAL))));
      const written = read(marks.written);
      broken(p, foreign(written), BROKEN.unfinished, written);
    }
    return;
  }
  const before = exchange(marks.written, base);
  if (iteration) {
    const others = foreign(before);
    if (does === 'write') broken(p, others, BROKEN.twice, before);
    else {
      broken(p, b.and(others, b.not(hasBit(before, ADDS))), BROKEN.twice, before);
      b.if(others, () => put(marks.written, b.or(base, b.i64(SEVERAL))));
      /* What an iteration has stored and then adds to is still its own alone. */
      b.if(b.and(now(before), b.not(b.or(others, hasBit(before, ADDS)))), () => put(marks.written, before));
    }
    const seen = read(marks.read);
    broken(p, foreign(seen), BROKEN.unfinished, seen);
  }
};

/** Reports where a condition holds, unless something has been reported. */
const broken = ({ b, buffer, index, number }: Place, when: Value, what: number, mark: Value): void =>
  void b.if(when, () => {
    const first = b.cmp('eq', b.atomic(buffer, 'exchange', b.i32(1), b.i32(REPORT.taken)), b.i32(0));
    b.if(first, () => {
      b.store(buffer, b.i32(what), b.i32(REPORT.what));
      b.store(buffer, b.i32(number), b.i32(REPORT.later));
      b.store(buffer, b.cast(b.and(mark, b.i64(OP)), 'i32'), b.i32(REPORT.earlier));
      index.slice(0, 6).forEach((v, n) => b.store(buffer, v, b.i32(REPORT.at + n)));
    });
  });
