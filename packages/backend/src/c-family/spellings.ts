import { type Op, type ScalarType, type Value, byteSize, isFloat, lanesOf, scalarOf } from '@filigree/ir';
import {
  type Expr,
  type Truncated,
  binds,
  call,
  castTo,
  expr,
  infix,
  negative,
  plainInfix,
  sum,
  within,
} from './expr.js';
import { literal } from './literal.js';

/** What a spelling may ask about the place where its op stands. */
export interface Site {
  /** Records that a helper is called and returns its name. */
  readonly helper: (name: string) => string;
  readonly scalar: (t: ScalarType) => string;
  /** The type that a value is declared with. */
  readonly declared: (v: Value) => string;
  /** The element of a buffer, by bare name, at an index. */
  readonly element: (buffer: string, index: Expr) => Expr;
  /** A buffer, by bare name, as a pointer to its first element. */
  readonly pointer: (buffer: string) => string;
  /** The type that an element of a buffer, by bare name, is declared with. */
  readonly stored: (buffer: string) => string;
  /** The name of the flag that a trap sets; asking for it records that it is used. */
  readonly status: () => string;
  /** Whether overflow of this signed integer must wrap; in C it is undefined. */
  readonly wraps: (v: Value) => boolean;
  /** The constant that a value is, if it is one. */
  readonly constant: (v: Value) => Op['attrs'][string] | undefined;
  /**
   * Whether a value is computed in a loop that is to run on vector lanes, and does not depend on what the loop
   * accumulates.
   */
  readonly onLanes: (v: Value) => boolean;
  /** What is added to the address when a buffer is written, see `unknownZero`. */
  readonly apart: (buffer: string) => string | undefined;
  /** Whether other threads may access the same element of a buffer at this time. */
  readonly concurrent: (buffer: string) => boolean;
  /** The number of the thread that runs this, not negative; undefined where that is 0 or the language does not say. */
  readonly thread: () => string | undefined;
}

/**
 * How an op with at most one result is written as an expression. A `pure` one may be written where it is used, and so
 * may a `read` one if nothing is written in between; an `effect` stays in place, and so does a `fixed` one, which
 * writes nothing.
 */
export interface Spelling {
  readonly effect: 'pure' | 'read' | 'fixed' | 'effect' | ((op: Op, site: Site) => 'pure' | 'fixed' | 'effect');
  /** The buffers that an op uses, by bare name, if not the one named by its attribute `buffer`. */
  readonly buffers?: (op: Op) => { readonly read: readonly string[]; readonly written: readonly string[] };
  readonly write: (op: Op, args: readonly Expr[], site: Site) => Expr;
}

/** Spellings by op name. */
export type Spellings = Readonly<Record<string, Spelling>>;

const pure = (write: Spelling['write']): Spelling => ({ effect: 'pure', write });

const typeOf = (op: Op): ScalarType => scalarOf((op.results[0] ?? op.operands[0]!).type);
const operandType = (op: Op): ScalarType => scalarOf(op.operands[0]!.type);
const bufferOf = (op: Op): string => String(op.attrs['buffer']).replace(/^@/, '');

/** C computes on `int` at least; a narrower result is cut down again. */
const narrowed = (t: ScalarType, e: Expr, site: Site): Expr =>
  byteSize(t) < 4 && t !== 'i1' ? castTo(site.scalar(t), e) : e;

/* C leaves signed overflow undefined, and makes signed ints of unsigned shorts: then a helper wraps. */
const arithmetic = (helper: 'add' | 'sub' | 'mul' | 'neg', write: (a: Expr, b: Expr) => Expr): Spelling =>
  pure((op, args, site) => {
    const t = typeOf(op);
    const plain = isFloat(t) || t === 'u32' || t === 'u64' || !site.wraps(op.results[0]!);
    return plain ? write(args[0]!, args[1]!) : call(site.helper(`${helper}_${t}`), ...args);
  });

const bitwise = (operator: string, strength: number): Spelling =>
  pure((op, [a, b], site) => narrowed(typeOf(op), plainInfix(a!, operator, b!, strength), site));

/* Shift amounts count modulo the width, which C leaves undefined. */
const shift = (operator: string): Spelling =>
  pure((op, [a, b], site) => {
    const t = typeOf(op);
    const mask = 8 * byteSize(t) - 1;
    const given = site.constant(op.operands[1]!);
    const amount =
      given === undefined
        ? expr(`${within(b!, binds.unary)} & ${mask}`, binds.and)
        : expr(String(Number(given) & mask));
    return narrowed(t, plainInfix(a!, operator, amount, binds.shift), site);
  });

/* A divisor that is known not to be 0 or -1 needs no guard. */
const plainDivisor = (op: Op, site: Site): boolean => {
  const divisor = site.constant(op.operands[1]!);
  return divisor !== undefined && Number(divisor) !== 0 && Number(divisor) !== -1;
};

const division = (operator: '/' | '%', helper: 'div' | 'rem'): Spelling => ({
  effect: (op, site) => (isFloat(typeOf(op)) || plainDivisor(op, site) ? 'pure' : 'effect'),
  write: (op, [a, b], site) => {
    const t = typeOf(op);
    if (isFloat(t))
      return operator === '/'
        ? infix(a!, '/', b!, binds.product)
        : call(`__builtin_fmod${t === 'f32' ? 'f' : ''}`, a!, b!);
    if (plainDivisor(op, site)) return narrowed(t, infix(a!, operator, b!, binds.product), site);
    return call(site.helper(`${helper}_${t}`), a!, b!, expr(site.status()));
  },
});

const extreme = (what: 'min' | 'max'): Spelling =>
  pure((op, args, site) => {
    const bounded = boundedCast(what, op, args, site);
    return bounded?.lo !== undefined && bounded.hi !== undefined
      ? call(
          site.helper(`clamp_i32_${bounded.type}`),
          bounded.of,
          literal(bounded.lo, bounded.type),
          literal(bounded.hi, bounded.type),
        )
      : { ...call(site.helper(`${what}_${typeOf(op)}`), ...args), ...(bounded ? { truncated: bounded } : {}) };
  });

/**
 * A minimum or maximum of an integer that comes from a float, where the bound may as well be put on the float: it is one that
 * the float can be, and not negative, so that NaN, which becomes 0, becomes the lower bound either way.
 */
const boundedCast = (what: 'min' | 'max', op: Op, args: readonly Expr[], site: Site): Truncated | undefined => {
  const n = args.findIndex((a) => a.truncated !== undefined);
  const given = n < 0 ? undefined : site.constant(op.operands[1 - n]!);
  const before = args[n]?.truncated;
  if (given === undefined || !before || typeOf(op) !== 'i32') return undefined;
  const [side, bound] = [what === 'max' ? 'lo' : 'hi', Number(given)] as const;
  const exact = bound >= 0 && (before.type === 'f64' || Math.fround(bound) === bound);
  if (!exact || before[side] !== undefined) return undefined;
  const after: Truncated = { ...before, [side]: bound };
  return (after.lo ?? 0) <= (after.hi ?? Infinity) ? after : undefined;
};

const comparisons: Readonly<Record<string, readonly [string, number]>> = {
  lt: ['<', binds.relation],
  le: ['<=', binds.relation],
  gt: ['>', binds.relation],
  ge: ['>=', binds.relation],
  eq: ['==', binds.equality],
  ne: ['!=', binds.equality],
};

/* On lanes both sides are computed: compilers that see a branch there may make it one, and then give up the lanes. */
const select = pure((op, [c, a, b], site) =>
  isFloat(typeOf(op)) && site.onLanes(op.results[0]!)
    ? call(site.helper(`choose_${typeOf(op)}`), c!, a!, b!)
    : expr(`${within(c!, binds.equality)} ? ${within(a!, binds.or)} : ${within(b!, binds.or)}`, binds.ternary),
);

const cast = pure((op, [x], site) => {
  const [from, to] = [operandType(op), typeOf(op)];
  if (from === to) return x!;
  if (to === 'i1') return expr(`${within(x!, binds.sum)} != 0`, binds.equality);
  if (isFloat(from) && !isFloat(to)) {
    const whole = call(site.helper(`to_${to}_${from}`), x!);
    return to === 'i32' ? { ...whole, truncated: { of: x!, type: from as 'f32' | 'f64' } } : whole;
  }
  return castTo(site.declared(op.results[0]!), x!);
});

const bitcast = pure((op, [x], site) => {
  const [from, to] = [operandType(op), typeOf(op)];
  if (from === to) return x!;
  return isFloat(from) || isFloat(to) ? call(site.helper(`bits_${to}_${from}`), x!) : castTo(site.scalar(to), x!);
});

/** A function that the compiler provides, with the usual `f` at the end for f32. */
const builtin = (name: string): Spelling =>
  pure((op, args) => call(`__builtin_${name}${typeOf(op) === 'f32' ? 'f' : ''}`, ...args));

const helped = (name: string): Spelling =>
  pure((op, args, site) => call(site.helper(`${name}_${typeOf(op)}`), ...args));

const element = (op: Op, index: Expr, site: Site): Expr => site.element(bufferOf(op), index);

const address = (op: Op, index: Expr, site: Site): Expr => expr(`&${element(op, index, site).text}`, binds.unary);

/** A helper for whole vectors of the type of a value: `loadx8_f32`. */
const onVectors = (what: string, v: Value, site: Site): string =>
  site.helper(`${what}x${lanesOf(v.type)}_${scalarOf(v.type)}`);

const load: Spelling = {
  effect: 'read',
  write: (op, [index], site) => {
    const [result] = op.results as [Value];
    if (lanesOf(result.type) > 1) {
      const how = op.attrs['keep'] === true ? 'keep' : 'load';
      return call(onVectors(how, result, site), address(op, index!, site));
    }
    const at = element(op, index!, site);
    return typeOf(op) === 'i1' ? expr(`${at.text} != 0`, binds.equality) : at;
  },
};

const store: Spelling = {
  effect: 'effect',
  write: (op, [value, index], site) => {
    const apart = site.apart(bufferOf(op));
    const at = apart === undefined ? index! : sum(index!, expr(apart));
    return lanesOf(op.operands[0]!.type) > 1
      ? call(onVectors('store', op.operands[0]!, site), address(op, at, site), value!)
      : expr(`${element(op, at, site).text} = ${value!.text}`, 0);
  },
};

/* Under a mask where the processor has one: what follows in memory is not touched. */
const loadFirst: Spelling = {
  effect: 'read',
  write: (op, [index], site) =>
    call(
      onVectors('loadFirst', op.results[0]!, site),
      address(op, index!, site),
      expr(String(op.attrs['count'] as number)),
    ),
};

const storeFirst: Spelling = {
  effect: 'effect',
  write: (op, [value, index], site) =>
    call(
      onVectors('storeFirst', op.operands[0]!, site),
      address(op, index!, site),
      value!,
      expr(String(op.attrs['count'] as number)),
    ),
};

const atomic: Spelling = {
  effect: 'effect',
  write: (op, [value, index], site) =>
    call(
      site.helper(`${site.concurrent(bufferOf(op)) ? 'atomic' : 'serial'}_${String(op.attrs['kind'])}_${typeOf(op)}`),
      address(op, index!, site),
      value!,
    ),
};

const cas: Spelling = {
  effect: 'effect',
  write: (op, [expected, desired, index], site) =>
    call(
      site.helper(`${site.concurrent(bufferOf(op)) ? 'atomic' : 'serial'}_cas_${typeOf(op)}`),
      address(op, index!, site),
      expected!,
      desired!,
    ),
};

/*
 * On vectors where it stands: in a nest of many sums of products a compiler would have to keep all factors at once, and find
 * out that it need not.
 */
const fma: Spelling = {
  effect: (op) => (lanesOf(op.results[0]!.type) > 1 ? 'fixed' : 'pure'),
  write: (op, args, site) =>
    lanesOf(op.results[0]!.type) > 1
      ? call(onVectors('fma', op.results[0]!, site), ...args)
      : call(site.helper(`fma_${typeOf(op)}`), ...args),
};

/*
 * For reading, into the second-level cache: what is wanted soon is not wanted yet, and would push out of the first-level one what is
 * at work. The address may be outside of the buffer: nothing is checked.
 */
const prefetch: Spelling = {
  effect: 'fixed',
  write: (op, [index], site) =>
    call('__builtin_prefetch', sum(expr(site.pointer(bufferOf(op))), index!), expr('0'), expr('2')),
};

/* An empty instruction that may have changed the buffer, as far as the compiler knows; it takes no register. */
const reload: Spelling = {
  effect: 'fixed',
  write: (op, _args, site) => {
    const buffer = bufferOf(op);
    return expr(`__asm__ volatile("" : "+m"(*(${site.stored(buffer)} (*)[])${site.pointer(buffer)}))`);
  },
};

/* Serial code runs on one thread, and so does a part that runs alone. */
const worker: Spelling = {
  effect: 'read',
  write: (op, _args, site) => {
    const count = Number(op.attrs['count']);
    const number = site.thread();
    return number === undefined || count === 1 ? expr('0') : expr(`${number} % ${count}`, binds.product);
  },
};

/** A vector that may yet become another: it is written only if it does not, since helpers that are written are declared. */
const unfinished = (lanes: readonly Expr[], write: () => Expr): Expr => ({
  lanes,
  binds: binds.primary,
  get text() {
    return write().text;
  },
});

const splat = pure((op, [x], site) => {
  const [result] = op.results as [Value];
  const lanes = Array.from({ length: lanesOf(result.type) }, () => x!);
  return unfinished(lanes, () => call(onVectors('splat', result, site), x!));
});

/** A vector whose lanes are all given is written as a list of them: compilers do not see through one insertion after another. */
const insert = pure((op, [v, x], site) => {
  const [result] = op.results as [Value];
  const lane = Number(op.attrs['lane']);
  const inserted = (): Expr => call(onVectors('insert', result, site), v!, expr(String(lane)), x!);
  const lanes = v!.lanes?.map((l, k) => (k === lane ? x! : l));
  if (lanes === undefined) return inserted();
  if (new Set(lanes).size < lanes.length) return unfinished(lanes, inserted);
  return expr(`${site.declared(result)}{${lanes.map((l) => l.text).join(', ')}}`);
});

/** Ops that `gnuSpellings` can write for whole vectors of floats (see `splitVectors`). */
export const gnuVectorOps: ReadonlySet<string> = new Set([
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.div',
  'arith.neg',
  'math.fma',
]);

/** The core dialects for compilers that know the builtins of gcc and clang; GPU dialects replace the rows that differ. */
export const gnuSpellings: Spellings = {
  'arith.constant': pure((op, _args, site) => {
    const [result] = op.results as [Value];
    const value = literal(op.attrs['value']!, typeOf(op));
    return lanesOf(result.type) > 1 ? call(onVectors('splat', result, site), value) : value;
  }),
  'arith.splat': splat,
  'arith.extract': pure((op, [v]) => expr(`${within(v!, binds.primary)}[${Number(op.attrs['lane'])}]`)),
  'arith.insert': insert,
  'arith.add': arithmetic('add', sum),
  'arith.sub': arithmetic('sub', (a, b) => infix(a, '-', b, binds.sum)),
  'arith.mul': arithmetic('mul', (a, b) => infix(a, '*', b, binds.product)),
  'arith.div': division('/', 'div'),
  'arith.rem': division('%', 'rem'),
  'arith.neg': arithmetic('neg', negative),
  'arith.min': extreme('min'),
  'arith.max': extreme('max'),
  'arith.and': bitwise('&', binds.and),
  'arith.or': bitwise('|', binds.or),
  'arith.xor': bitwise('^', binds.xor),
  'arith.not': pure((op, [a], site) =>
    narrowed(typeOf(op), expr(`${typeOf(op) === 'i1' ? '!' : '~'}${within(a!, binds.primary)}`, binds.unary), site),
  ),
  'arith.shl': shift('<<'),
  'arith.shr': shift('>>'),
  'arith.cmp': pure((op, [a, b]) => {
    const [operator, strength] = comparisons[String(op.attrs['predicate'])]!;
    return expr(`${within(a!, binds.sum)} ${operator} ${within(b!, binds.sum)}`, strength);
  }),
  'arith.select': select,
  'arith.cast': cast,
  'arith.bitcast': bitcast,
  'math.sqrt': builtin('sqrt'),
  'math.rsqrt': pure((op, [x]) =>
    typeOf(op) === 'f32'
      ? infix(expr('1.0f'), '/', call('__builtin_sqrtf', x!), binds.product)
      : infix(expr('1.0'), '/', call('__builtin_sqrt', x!), binds.product),
  ),
  'math.cbrt': builtin('cbrt'),
  'math.abs': builtin('fabs'),
  'math.sin': builtin('sin'),
  'math.cos': builtin('cos'),
  'math.tan': builtin('tan'),
  'math.asin': builtin('asin'),
  'math.acos': builtin('acos'),
  'math.atan': builtin('atan'),
  'math.atan2': builtin('atan2'),
  'math.sinh': builtin('sinh'),
  'math.cosh': builtin('cosh'),
  'math.tanh': builtin('tanh'),
  'math.exp': builtin('exp'),
  'math.expm1': builtin('expm1'),
  'math.log': builtin('log'),
  'math.log1p': builtin('log1p'),
  'math.log2': builtin('log2'),
  'math.log10': builtin('log10'),
  'math.pow': helped('pow'),
  'math.hypot': builtin('hypot'),
  'math.floor': builtin('floor'),
  'math.ceil': builtin('ceil'),
  'math.round': helped('round'),
  'math.trunc': builtin('trunc'),
  'math.sign': helped('sign'),
  'math.fma': fma,
  'mem.load': load,
  'mem.store': store,
  'mem.loadFirst': loadFirst,
  'mem.storeFirst': storeFirst,
  'mem.atomic': atomic,
  'mem.cas': cas,
  'mem.prefetch': prefetch,
  'mem.reload': reload,
  'mem.worker': worker,
};
