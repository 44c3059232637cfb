import {
  type Buffer,
  type Kernel,
  type Module,
  type Op,
  type Region,
  type Scalar,
  type Value,
  bufferMap,
  byteSize,
  isVector,
  scalarFromAttr,
  scalarOf,
} from '@filigree/ir';
import { exactValues, timesRun, workOf } from '@filigree/opt';
import { accumulations } from './accumulation.js';
import { type CFamilyDialect, type StartedPart, declareArrays } from './dialect.js';
import { nearBuffers } from './apart.js';
import { type Expr, binds, expr, infix, within } from './expr.js';
import { names, reserved } from './names.js';
import { type Place, noPlaces, placesOf } from './places.js';
import type { Spelling } from './spellings.js';
import { type BufferUse, affineValues, bufferUse, freeValues, indexValues, usageOf } from './usage.js';
import {
  type Shared,
  type Writer,
  block,
  line,
  named,
  pointer,
  scalarName,
  storedName,
  valueOf,
  writer,
} from './writer.js';

/** A kernel as C text, with what its callers must know. */
export interface EmittedKernel {
  readonly name: string;
  /** The function and the parts of its parallel loops, which stand before it. */
  readonly text: string;
  /** The same text, function by function, the kernel itself last. */
  readonly functions: readonly EmittedFunction[];
  /** The function's arguments: buffers as pointers in this order, then as the flags say `int threads`, `int* status`, then the kernel's scalars. */
  readonly buffers: readonly Buffer[];
  readonly takesThreads: boolean;
  readonly takesStatus: boolean;
  /** Helpers that the text calls. */
  readonly helpers: ReadonlySet<string>;
}

/** A function as text. */
export interface EmittedFunction {
  /** Result, name and parameters, as in a declaration. */
  readonly head: string;
  /** The definition, with a comment before it. */
  readonly text: string;
}

/** How kernels are written. */
export interface EmitOptions {
  /**
   * Checks every index at run time and reports one that is out of bounds; this costs time, and makes buffer lengths
   * part of the text.
   */
  readonly checked?: boolean;
}

/**
 * Writes one kernel. Every parallel loop that is not inside another becomes a function of its own, so that each thread
 * sees buffers that do not overlap (compilers lose that fact on entry to an OpenMP region), and so that GPU dialects
 * can make it a device kernel. Pure ops used once are written where they are used; everything else is a named constant.
 * Linear in the number of ops.
 */
export const emitKernel = (
  module: Module,
  kernel: Kernel,
  name: string,
  dialect: CFamilyDialect,
  options: EmitOptions = {},
): EmittedKernel => {
  const taken = names([name, ...reserved]);
  const use = bufferUse(kernel.body.ops, dialect.spellings);
  /* The text depends on nothing of the module but the buffers that it uses. */
  const used = module.buffers.filter((b) => use.read.has(b.name) || use.written.has(b.name));
  const pointers = new Map(used.map((b) => [b.name, taken.take(b.name)]));
  const exact = exactValues(kernel, bufferMap(module.buffers));
  const indices = options.checked ? { has: () => false } : indexValues(kernel);
  const places =
    options.checked || dialect.place === undefined
      ? noPlaces
      : placesOf(kernel, { isPart: isParallel, unbounded: (v) => indices.has(v.id) || exact.has(v.id) });
  const shared: Shared = {
    module,
    dialect,
    kernelName: name,
    names: taken,
    pointers,
    usage: usageOf(kernel, places),
    places,
    placed: new Map(),
    indices,
    checked: options.checked === true,
    values: new Map(),
    constants: new Map(),
    helpers: new Set(),
    parts: [],
    partCount: 0,
    lanes: undefined,
    apart: new Map(),
    accumulated: new Set(),
    exact,
  };
  const params = kernel.params.map((p) => `${scalarName(shared, p)} ${named(shared, p)}`);
  const body = writer(shared, 'kernel');
  declareScratch(body, serialOps(kernel.body.ops));
  emitRegion(body, kernel.body);
  const buffers = passedBuffers(shared, use);
  const takesThreads = shared.parts.length > 0;
  const head = [
    ...buffers.map((b) => pointer(shared, b, !use.written.has(b.name))),
    ...(takesThreads ? ['int threads'] : []),
    ...(body.flags.status ? ['int* status'] : []),
    ...params,
  ];
  const what = `Kernel ${kernel.name.replace(/[^\w.$-]/g, '_')}${effectText(shared, buffers, use)}`;
  const own = defined(what, `${dialect.local} void ${name}(${head.join(', ')})`, body);
  const functions = [...shared.parts, own];
  const text = functions.map((f) => f.text).join('\n');
  return { name, text, functions, buffers, takesThreads, takesStatus: body.flags.status, helpers: shared.helpers };
};

const defined = (what: string, head: string, { lines }: Writer): EmittedFunction => ({
  head,
  text: [`// ${what}`, `${head} {`, ...lines, '}', ''].join('\n'),
});

/** The buffers that a function takes as pointers: those it uses, but for scratch, which it declares. */
const passedBuffers = (s: Shared, use: BufferUse): readonly Buffer[] =>
  s.module.buffers.filter((b) => b.role !== 'scratch' && (use.read.has(b.name) || use.written.has(b.name)));

/** Declares the scratch buffers that these ops use. */
const declareScratch = (w: Writer, ops: readonly Op[]): void => {
  const { module, dialect, pointers } = w.shared;
  const use = bufferUse(ops, dialect.spellings);
  const own = module.buffers.filter((b) => b.role === 'scratch' && (use.read.has(b.name) || use.written.has(b.name)));
  const arrays = own.map((b) => ({
    name: pointers.get(b.name)!,
    stored: dialect.stored[b.type] ?? dialect.scalar[b.type]!,
    length: b.length,
    bytes: b.length * byteSize(b.type),
  }));
  if (arrays.length === 0) return;
  for (const l of dialect.scratch?.(arrays) ?? declareArrays(arrays)) line(w, l);
};

/** Ops of a kernel that are not in a parallel loop. */
const serialOps = (ops: readonly Op[]): readonly Op[] =>
  ops.flatMap((op) =>
    op.regions.length === 0 ? [op] : isParallel(op) ? [] : op.regions.flatMap((r) => serialOps(r.ops)),
  );

const isParallel = (op: Op): boolean => op.name === 'scf.for' && op.attrs['parallel'] === true;

/* Longer expressions are broken up: for people, and because compilers nest as deep as the source does. */
const longestInline = 96;

/** Writes the ops of a region and returns its terminator. */
const emitRegion = (w: Writer, region: Region): Op | undefined => {
  const { usage, values, constants, dialect } = w.shared;
  for (const op of region.ops) if (op.name === 'arith.constant') constants.set(op.results[0]!.id, op.attrs['value']!);
  const points = inlinePoints(w, region);
  const last = region.ops.at(-1);
  const terminator = last && terminators.has(last.name) ? last : undefined;
  const count = terminator ? region.ops.length - 1 : region.ops.length;
  for (let k = 0; k < count; k++) {
    const op = region.ops[k]!;
    for (const place of w.shared.places.before(region, k)) declarePlace(w, place);
    const structured = structures[op.name];
    if (structured) {
      structured(w, op);
      continue;
    }
    const spelling = dialect.spellings[op.name]!;
    const result = op.results[0];
    if (result && usage.count(result.id) === 0 && effectOf(w, spelling, op) !== 'effect') continue;
    const text = spelling.write(op, argumentsOf(w, op), w.site);
    if (op.name === 'arith.constant') values.set(result!.id, text);
    else if (!result || usage.count(result.id) === 0) line(w, `${text.text};`);
    else if (points[k] !== k && (text.lanes !== undefined || text.text.length <= longestInline))
      values.set(result.id, text);
    else line(w, `const ${scalarName(w.shared, result)} ${named(w.shared, result)} = ${text.text};`);
  }
  return terminator;
};

/** The pointer to a place, in the function being written. */
const declarePlace = (w: Writer, place: Place): void => {
  const { module, dialect, names, pointers, placed } = w.shared;
  const buffer = pointers.get(place.buffer)!;
  const base = valueOf(w, place.base).text;
  const name = names.take(`${buffer}_${base}`);
  placed.set(place, name);
  const stored = storedName(
    w.shared,
    module.buffers.find((b) => b.name === place.buffer)!,
  );
  line(w, `${dialect.place!(stored, !place.written)}${name} = ${buffer} + ${base};`);
};

const argumentsOf = (w: Writer, op: Op): readonly Expr[] => {
  const at = w.shared.places.of(op);
  if (!at) return op.operands.map((v) => valueOf(w, v));
  const { place, plus } = at;
  const index = infix(valueOf(w, place.base), '+', expr(String(plus)), binds.sum);
  const from = { pointer: w.shared.placed.get(place)!, plus };
  return [...op.operands.slice(0, -1).map((v) => valueOf(w, v)), { ...index, from }];
};

const terminators = new Set(['scf.yield', 'scf.condition']);

const effectOf = (w: Writer, spelling: Spelling, op: Op): 'pure' | 'read' | 'fixed' | 'effect' =>
  typeof spelling.effect === 'string' ? spelling.effect : spelling.effect(op, w.site);

/**
 * For each op of a region, where it will be evaluated: at its own position, or at that of the op into whose text it may go.
 * An op may move down to its only use; a load only if nothing writes its buffer on the way.
 */
const inlinePoints = (w: Writer, region: Region): Int32Array => {
  const { ops } = region;
  const points = new Int32Array(ops.length);
  const nextWrite = new Map<string, number>();
  for (let k = ops.length - 1; k >= 0; k--) {
    const op = ops[k]!;
    points[k] = k;
    const spelling = w.shared.dialect.spellings[op.name];
    const effect = spelling ? effectOf(w, spelling, op) : 'effect';
    if (effect === 'effect') for (const b of bufferUse([op], w.shared.dialect.spellings).written) nextWrite.set(b, k);
    if (effect === 'effect' || effect === 'fixed' || op.results.length !== 1) continue;
    const use = w.shared.usage.onlyUseIn(op.results[0]!.id, region);
    if (use < 0) continue;
    const point = points[use]!;
    const buffer = String(op.attrs['buffer']).replace(/^@/, '');
    if (effect === 'pure' || (nextWrite.get(buffer) ?? ops.length) >= point) points[k] = point;
  }
  return points;
};

const emitFor = (w: Writer, op: Op): void => {
  if (isParallel(op) && w.role === 'kernel') emitPart(w, op);
  else emitLoop(w, op);
};

/** A loop in this function. Carried values are variables, which its results then name. */
const emitLoop = (w: Writer, op: Op): void => {
  const body = op.regions[0]!;
  const [iv, ...carried] = body.params;
  const variables = op.operands
    .slice(3)
    .map((init, k) => declare(w, carried[k]!, op.results[k]!, valueOf(w, init).text));
  const pragmas = hints(w, op, variables);
  onLanes(w, pragmas.length > 0 ? op : undefined, () => {
    const header = loopHeader(w, op, iv!);
    for (const l of pragmas) line(w, l);
    block(w, header.open, () => {
      for (const l of header.first) line(w, l);
      assign(w, variables, emitRegion(w, body)!);
    });
  });
};

/** Writes what is in a loop that is to run on lanes, or in any other. */
const onLanes = (w: Writer, loop: Op | undefined, write: () => void): void => {
  const { lanes, apart, accumulated } = w.shared;
  if (loop) {
    w.shared.lanes = affineValues(loop);
    w.shared.apart = apartIn(w, loop);
    w.shared.accumulated = accumulatedIn(loop);
  }
  write();
  w.shared.lanes = lanes;
  w.shared.apart = apart;
  w.shared.accumulated = accumulated;
};

/** Values of a loop that are made of what it carries. */
const accumulatedIn = (loop: Op): ReadonlySet<number> => {
  const [body] = loop.regions as readonly [Region];
  const found = new Set(body.params.slice(1).map((p) => p.id));
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(visit);
      const last = op.regions.flatMap((r) => r.ops.at(-1)?.operands ?? []);
      if ([...op.operands, ...last].some((v) => found.has(v.id))) for (const r of op.results) found.add(r.id);
    }
  };
  if (found.size > 0) visit(body);
  return found;
};

const apartIn = (w: Writer, loop: Op): Writer['shared']['apart'] => {
  const { unknownZero } = w.shared.dialect;
  const near = unknownZero === undefined ? [] : [...nearBuffers(loop, (v) => constantNumber(w, v))];
  if (near.length === 0) return new Map();
  const name = w.shared.names.take('apart');
  line(w, `const long long ${name} = ${w.site.helper(unknownZero!)}();`);
  return new Map(near.map((buffer) => [buffer, name]));
};

/** Pragmas for a loop that says its iterations are independent: an innermost one without atomics, which do depend on each other. */
const hints = (w: Writer, op: Op, variables: readonly string[] = []): readonly string[] => {
  const [simd, independent] = [op.attrs['simd'] === true, op.attrs['independent'] === true];
  const said = simd || independent || op.attrs['parallel'] === true;
  if (!said || contains(op.regions[0]!, (o) => !takesLanes(w, o) || usesVectors(o))) return [];
  const { dialect, usage, helpers } = w.shared;
  const kinds = variables.length === 0 ? [] : independent ? accumulations(op, usage.count) : undefined;
  if (kinds === undefined) return [];
  const accumulated = variables.map((variable, k) => ({
    variable,
    helper: `reduction_${kinds[k]!}_${scalarOf(op.results[k]!.type)}`,
  }));
  if (simd) for (const a of accumulated) helpers.add(a.helper);
  return dialect.independent(simd, accumulated);
};

const takesLanes = (w: Writer, op: Op): boolean => {
  const spelling = w.shared.dialect.spellings[op.name];
  if (!spelling) return op.name === 'scf.if' || terminators.has(op.name);
  const effect = effectOf(w, spelling, op);
  return op.name === 'mem.store' || effect === 'pure' || effect === 'read';
};

/** Whether an op is on lanes already. */
const usesVectors = (op: Op): boolean => [...op.operands, ...op.results].some((v) => isVector(v.type));

const contains = (region: Region, test: (op: Op) => boolean): boolean =>
  region.ops.some((op) => test(op) || op.regions.some((r) => contains(r, test)));

const declare = (w: Writer, param: Value, result: Value, init: string): string => {
  const name = named(w.shared, param, param.hint ?? result.hint);
  w.shared.values.set(result.id, expr(name));
  line(w, `${scalarName(w.shared, param)} ${name} = ${init};`);
  return name;
};

/** Variables take the operands of a terminator, all at once: an operand that mentions a variable already set is saved first. */
const assign = (w: Writer, variables: readonly string[], terminator: Op, from = 0): void => {
  const moves = variables
    .map((name, k) => ({ name, value: terminator.operands[from + k]! }))
    .map(({ name, value }) => ({ name, type: scalarName(w.shared, value), text: valueOf(w, value).text }))
    .filter((m) => m.text !== m.name);
  const set = new Set<string>();
  const ready = moves.map((m) => {
    const stale = (m.text.match(/[A-Za-z_]\w*/g) ?? []).some((word) => set.has(word));
    set.add(m.name);
    if (!stale) return m;
    const saved = w.shared.names.take(`next_${m.name}`);
    line(w, `const ${m.type} ${saved} = ${m.text};`);
    return { ...m, text: saved };
  });
  for (const m of ready) line(w, `${m.name} = ${m.text};`);
};

interface LoopHeader {
  readonly open: string;
  /** Lines at the top of the body. */
  readonly first: readonly string[];
}

const loopHeader = (w: Writer, op: Op, iv: Value): LoopHeader => {
  const [lb, ub, step] = op.operands as [Value, Value, Value];
  const by = constantNumber(w, step);
  const i = (): string => named(w.shared, iv, iv.hint ?? 'i');
  const type = scalarName(w.shared, iv);
  if (by !== undefined && by >= 1 && cannotOverflow(w, ub, by)) {
    const [from, to] = [valueOf(w, lb).text, atom(w, ub)];
    const name = i();
    return {
      open: `for (${type} ${name} = ${from}; ${name} < ${to}; ${by === 1 ? `++${name}` : `${name} += ${by}`}) {`,
      first: [],
    };
  }
  const [from, stride] = [atom(w, lb), atom(w, step)];
  const [trips, trip] = [w.shared.names.take('trips'), w.shared.names.take('trip')];
  line(w, `const long long ${trips} = ${tripCount(w, from, atom(w, ub), stride)};`);
  return {
    open: `for (long long ${trip} = 0; ${trip} < ${trips}; ++${trip}) {`,
    first: [`const ${type} ${i()} = ${from} + (${type})${trip} * ${stride};`],
  };
};

/** Whether `i += by` stays within the index type on the way out of the loop. */
const cannotOverflow = (w: Writer, ub: Value, by: number): boolean => {
  if (by === 1) return true;
  const to = constantNumber(w, ub);
  return to !== undefined && to + by <= 2 ** 31 - 1;
};

const constantNumber = (w: Writer, v: Value): number | undefined => {
  const c = w.shared.constants.get(v.id);
  return c === undefined ? undefined : Number(c);
};

/** The number of iterations; a step that is not positive is reported, and runs none. */
const tripCount = (w: Writer, lb: string, ub: string, step: string): string =>
  `${w.site.helper('trip_count')}(${lb}, ${ub}, ${step}, ${w.site.status()})`;

/** The text of a value as a name or literal, for where it is evaluated more than once. */
const atom = (w: Writer, v: Value): string => {
  const e = valueOf(w, v);
  if (/^(-?[\w.]+|\(-[\w.]+ - 1\))$/.test(e.text)) return e.text;
  const name = named(w.shared, v);
  line(w, `const ${scalarName(w.shared, v)} ${name} = ${e.text};`);
  return name;
};

/**
 * A parallel loop as a function that runs a share of its iterations, and the statement that starts all shares. Where it
 * spends its time on atomic updates there is a second function, for one thread alone.
 */
const emitPart = (w: Writer, op: Op): void => {
  const s = w.shared;
  const { part } = s.dialect;
  const [lb, ub, step] = op.operands as [Value, Value, Value];
  const loop: PartLoop = {
    op,
    from: atom(w, lb),
    stride: atom(w, step),
    use: bufferUse(op.regions[0]!.ops, s.dialect.spellings),
  };
  const to = atom(w, ub);
  const captured = [...new Map([...freeValues(op.regions[0]!), lb, step].map((v) => [v.id, v])).values()]
    .filter((v) => !s.constants.has(v.id))
    .map((v) => ({ type: scalarName(s, v), name: valueOf(w, v).text }));
  const buffers = passedBuffers(s, loop.use);
  const name = s.names.take(`part${s.partCount++}_of_${s.kernelName}`);
  const inner = writer(s, 'beside others');
  emitShare(inner, loop);
  const constantOf = (v: Value): Scalar | undefined => scalarConstant(w, v);
  const work = workOf(op.regions[0]!, constantOf);
  const alone =
    inner.flags.atomic && timesRun(op.regions[0]!, constantOf, atomicWork) > work / 16
      ? { name: s.names.take(`${name}_alone`), inner: writer(s, 'alone') }
      : undefined;
  if (alone) emitShare(alone.inner, loop);
  const status = inner.flags.status ? [w.site.status()] : [];
  const params = [
    ...buffers.map((b) => pointer(s, b, !loop.use.written.has(b.name))),
    ...captured.map(({ type, name }) => `${type} ${name}`),
    ...status.map(() => 'int* status'),
    ...part.rangeParams,
  ];
  const define = (name: string, what: string, inner: Writer): void =>
    void s.parts.push(defined(what + effectText(s, buffers, loop.use), part.head(name, params), inner));
  define(name, `A share of the parallel loop over ${op.regions[0]!.params[0]!.hint ?? 'i'}`, inner);
  if (alone) define(alone.name, 'The same for one thread alone, without atomics', alone.inner);
  for (const h of part.helpers) s.helpers.add(h);
  const args = [...buffers.map((b) => s.pointers.get(b.name)!), ...captured.map((v) => v.name), ...status];
  const unit = constantNumber(w, lb) === 0 && constantNumber(w, step) === 1;
  const trips = unit ? to : tripCount(w, loop.from, to, loop.stride);
  const started: StartedPart = {
    name,
    alone: alone?.name ?? name,
    args,
    trips,
    worth: Math.ceil(worthForking / work),
    dynamic: op.attrs['schedule'] === 'dynamic',
    ...(typeof op.attrs['threads'] === 'number' ? { threads: op.attrs['threads'] } : {}),
  };
  for (const l of part.start(started)) line(w, l);
};

/** What an atomic update costs more than a plain one, in ops. */
const atomicWork = (op: Op): number => (op.name === 'mem.atomic' || op.name === 'mem.cas' ? 16 : 0);

/** Ops that are not worth another thread: to start one takes some microseconds. */
const worthForking = 65_536;

const scalarConstant = (w: Writer, v: Value): Scalar | undefined => {
  const c = w.shared.constants.get(v.id);
  return c === undefined ? undefined : scalarFromAttr(c, scalarOf(v.type));
};

interface PartLoop {
  readonly op: Op;
  /** Texts of lower bound and step. */
  readonly from: string;
  readonly stride: string;
  readonly use: BufferUse;
}

/** The body of a part: the iterations from the `begin`th to before the `end`th. */
const emitShare = (inner: Writer, { op, from, stride, use }: PartLoop): void => {
  const s = inner.shared;
  const body = op.regions[0]!;
  const iv = body.params[0]!;
  const [lb, ub, step] = op.operands as [Value, Value, Value];
  const by = constantNumber(inner, step);
  const i = named(s, iv, iv.hint ?? 'i');
  const counted = by !== undefined && by >= 1 && cannotOverflow(inner, ub, by);
  const ownsScratch = s.module.buffers.some(
    (b) => b.role === 'scratch' && (use.read.has(b.name) || use.written.has(b.name)),
  );
  /* Vector lanes would share what each iteration has for itself. */
  const pragmas = ownsScratch ? [] : hints(inner, op);
  for (const l of s.dialect.part.prologue) line(inner, l);
  onLanes(inner, pragmas.length > 0 ? op : undefined, () => {
    const type = scalarName(s, iv);
    const at = (trip: string): string =>
      `${constantNumber(inner, lb) === 0 ? '' : `${from} + `}(${type})${trip}${by === 1 ? '' : ` * ${stride}`}`;
    const inside = (): void => {
      declareScratch(inner, body.ops);
      emitRegion(inner, body);
    };
    if (counted) line(inner, `const ${type} last = ${at('end')};`);
    for (const l of pragmas) line(inner, l);
    if (counted)
      block(
        inner,
        `for (${type} ${i} = ${at('begin')}; ${i} < last; ${by === 1 ? `++${i}` : `${i} += ${stride}`}) {`,
        inside,
      );
    else
      block(inner, 'for (long long trip = begin; trip < end; ++trip) {', () => {
        line(inner, `const ${type} ${i} = ${at('trip')};`);
        inside();
      });
  });
};

const emitIf = (w: Writer, op: Op): void => {
  const variables = op.results.map((r) => {
    const name = named(w.shared, r);
    line(w, `${scalarName(w.shared, r)} ${name};`);
    return name;
  });
  const [then, otherwise] = op.regions as readonly [Region, Region];
  const condition = valueOf(w, op.operands[0]!).text;
  const arm = (region: Region) => (): void => assign(w, variables, emitRegion(w, region)!);
  if (otherwise.ops.length <= 1 && op.results.length === 0) block(w, `if (${condition}) {`, arm(then));
  else {
    block(w, `if (${condition}) {`, arm(then), '} else {');
    w.flags.depth++;
    arm(otherwise)();
    w.flags.depth--;
    line(w, '}');
  }
};

/** The carried values are variables, and the results are variables that take the operands of each `scf.condition`. */
const emitWhile = (w: Writer, op: Op): void => {
  const [before, after] = op.regions as readonly [Region, Region];
  const carried = before.params.map((p, k) => {
    const name = named(w.shared, p);
    line(w, `${scalarName(w.shared, p)} ${name} = ${valueOf(w, op.operands[k]!).text};`);
    return name;
  });
  const results = op.results.map((r, k) => {
    const name = named(w.shared, r);
    w.shared.values.set(after.params[k]!.id, expr(name));
    line(w, `${scalarName(w.shared, r)} ${name};`);
    return name;
  });
  block(w, 'for (;;) {', () => {
    const condition = emitRegion(w, before)!;
    const goOn = within(valueOf(w, condition.operands[0]!), binds.primary);
    assign(w, results, condition, 1);
    line(w, `if (!${goOn}) break;`);
    assign(w, carried, emitRegion(w, after)!);
  });
};

const structures: Readonly<Record<string, (w: Writer, op: Op) => void>> = {
  'scf.for': emitFor,
  'scf.if': emitIf,
  'scf.while': emitWhile,
};

/** The ops that the emitter itself writes, beside the rows of a dialect. */
export const structuredOps: ReadonlySet<string> = new Set([...Object.keys(structures), ...terminators]);

const effectText = (
  s: Shared,
  buffers: readonly Buffer[],
  use: { readonly read: ReadonlySet<string>; readonly written: ReadonlySet<string> },
): string => {
  const list = (set: ReadonlySet<string>): string =>
    buffers
      .filter((b) => set.has(b.name))
      .map((b) => s.pointers.get(b.name)!)
      .join(', ');
  const [reads, changes] = [list(use.read), list(use.written)];
  const clauses = [reads && `reads ${reads}`, changes && `changes ${changes}`].filter(Boolean);
  return clauses.length > 0 ? `: ${clauses.join('; ')}.` : '.';
};
