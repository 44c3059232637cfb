import {
  makeValue,
  makeOp,
  opWith,
  freshIds,
  type Dialect,
  type IdSource,
  type Module,
  type Op,
  type OpTable,
  type Pass,
  type Region,
  type Type,
  type Value,
  byteSize,
  controlBy,
  coreDialects,
  fail,
  isFloat,
  isVector as isVectorType,
  lanesOf,
  opTable,
  pass,
  scalarOf,
} from '@filigree/ir';
import { onWords, wholeWords, type WholeWords } from './whole-words.js';

/** The vectors that a target has. */
export interface Registers {
  /** Bytes of a register: a longer vector becomes several. */
  readonly bytes: number;
  /** Ops that work on a whole register of floats; everything else is done lane by lane. */
  readonly ops: ReadonlySet<string>;
  /** Ops that do where lanes are words of 32 bits, integers or floats, or truth values beside them; none by default. */
  readonly words?: ReadonlySet<string>;
}

/**
 * Replaces short vectors by scalars, for targets that have none or whose compiler makes its own: a value of n lanes
 * becomes n scalars, an element-wise op n ops, a vector load n loads. The order of memory effects is kept. A module
 * without vectors is returned as it is. Error: `scalarize/op` for an op on vectors that is none of the core ones, and not element-wise.
 */
export const scalarizeVectors: Pass<Module> = pass('scalarize-vectors', (module) =>
  split(module, undefined, coreDialects),
);

/** The same for modules with ops of these dialects. */
export const scalarizeVectorsOver = (dialects: readonly Dialect[]): Pass<Module> =>
  pass('scalarize-vectors', (module) => split(module, undefined, dialects));

/**
 * Splits vectors that are longer than a register or not of floats, and ops that registers do not support, which then
 * access the lanes by `arith.extract` and assemble them by `arith.insert`. Otherwise like `scalarizeVectors`.
 */
export const splitVectors = (registers: Registers, dialects: readonly Dialect[] = coreDialects): Pass<Module> =>
  pass('split-vectors', (module) => split(module, registers, dialects));

const split = (module: Module, registers: Registers | undefined, dialects: readonly Dialect[]): Module => {
  if (!module.kernels.some((k) => hasVectors(k.body))) return module;
  const table = opTable(dialects);
  const controlOf = controlBy(table);
  return {
    ...module,
    kernels: module.kernels.map((k) => {
      const s = new Scalarizer(freshIds(k), registers, table, wholeWords(k.body, controlOf, registers?.words));
      for (const p of k.params) s.keep(p);
      return { ...k, body: s.region(k.body) };
    }),
  };
};

const isVector = (v: Value): boolean => isVectorType(v.type);

const hasVectors = (r: Region): boolean =>
  r.params.some(isVector) ||
  r.ops.some((op) => op.results.some(isVector) || op.operands.some(isVector) || op.regions.some(hasVectors));

/** Rewrites one kernel; holds what each value has become: its lanes, or registers of several lanes each. */
class Scalarizer {
  private readonly parts = new Map<number, readonly Value[]>();
  private ops: Op[] = [];

  constructor(
    private readonly ids: IdSource,
    private readonly registers: Registers | undefined,
    private readonly table: OpTable,
    /** Vectors of integers and truth values that stay whole, by id. */
    private readonly words: WholeWords,
  ) {}

  keep(v: Value): Value {
    this.parts.set(v.id, [v]);
    return v;
  }

  region(r: Region): Region {
    const outer = this.ops;
    this.ops = [];
    const params = r.params.flatMap((p) => this.split(p));
    for (const op of r.ops) this.op(op);
    const ops = this.ops;
    this.ops = outer;
    return { params, ops };
  }

  private op(op: Op): void {
    if (!op.results.some(isVector) && !op.operands.some(isVector) && op.regions.length === 0) {
      this.ops.push(opWith(op, { operands: op.operands.map((v) => this.parts.get(v.id)![0]!) }));
      for (const r of op.results) this.keep(r);
      return;
    }
    const special = specials[op.name];
    if (special) special(this, op);
    else if (op.name.startsWith('scf.')) this.structured(op);
    else if (this.byLanes(op)) this.elementwise(op);
    else
      fail('scalarize/op', `there is no scalar form of ${op.name} on vectors`, {
        loc: op.loc,
        remedy: 'lower it to core ops first',
      });
  }

  /** Whether what an op does to a vector is what it does to each lane. */
  private byLanes(op: Op): boolean {
    const traits = this.table.get(op.name)?.traits;
    return traits?.elementwise === true || traits?.constant === true;
  }

  /** Loops, branches and terminators: each vector that they carry becomes its parts. */
  private structured(op: Op): void {
    const operands = op.operands.flatMap((v) => this.parts.get(v.id)!);
    const regions = op.regions.map((r) => this.region(r));
    this.ops.push(opWith(op, { operands, results: op.results.flatMap((r) => this.split(r)), regions }));
  }

  private elementwise(op: Op): void {
    const result = op.results[0]!;
    const type = scalarOf(result.type);
    const width = this.widthOf(result);
    const floats = [result, ...op.operands].every((v) => isFloat(v.type)) ? this.registers?.ops : undefined;
    const ops = onWords(op, this.registers?.words) ? this.registers?.words : floats;
    const whole = ops?.has(op.name) === true && op.operands.every((v) => this.widthOf(v) === width) && width > 1;
    const operands = op.operands.map((v) => (whole ? this.parts.get(v.id)! : this.of(v)));
    const parts = range(lanesOf(result.type) / (whole ? width : 1)).map((k) =>
      this.add(
        op,
        op.name,
        operands.map((l) => l[k]!),
        whole ? { lanes: width, of: type } : type,
        op.attrs,
      ),
    );
    if (whole) this.parts.set(result.id, parts);
    else this.define(op, result, parts);
  }

  /** Lanes of the parts of a value: 1 where they are scalars. */
  widthOf({ id, type }: Value): number {
    const lanes = lanesOf(type);
    if (!this.registers || lanes === 1) return 1;
    const bytes = isFloat(type) ? byteSize(scalarOf(type)) : this.words.bytes(id);
    if (bytes === undefined) return 1;
    const most = Math.max(1, Math.floor(this.registers.bytes / bytes));
    const width = Math.min(lanes, most);
    return lanes % width === 0 && Number.isInteger(Math.log2(width)) ? width : 1;
  }

  /** What a value has become. */
  partsOf(v: Value): readonly Value[] {
    return this.parts.get(v.id)!;
  }

  setParts(v: Value, parts: readonly Value[]): void {
    this.parts.set(v.id, parts);
  }

  /** The lanes of a value. */
  of(v: Value): readonly Value[] {
    const parts = this.parts.get(v.id)!;
    const width = this.widthOf(v);
    if (width === 1) return parts;
    const type = scalarOf(v.type);
    return range(lanesOf(v.type)).map((k) =>
      this.add(undefined, 'arith.extract', [parts[Math.floor(k / width)]!], type, { lane: k % width }),
    );
  }

  /** Says which lanes a value has become. */
  define(from: Op, v: Value, lanes: readonly Value[]): void {
    const width = this.widthOf(v);
    if (width === 1) return void this.parts.set(v.id, lanes);
    const type: Type = { lanes: width, of: scalarOf(v.type) };
    const parts = range(lanes.length / width).map((k) =>
      range(width - 1).reduce(
        (whole, n) => this.add(from, 'arith.insert', [whole, lanes[k * width + n + 1]!], type, { lane: n + 1 }),
        this.add(from, 'arith.splat', [lanes[k * width]!], type, { lanes: width }),
      ),
    );
    this.parts.set(v.id, parts);
  }

  /** Appends an op of one result in place of `from`. */
  add(from: Op | undefined, name: string, operands: readonly Value[], type: Type, attrs: Op['attrs'] = {}): Value {
    const result = makeValue(this.ids.next(), type, undefined);
    this.ops.push(makeOp(name, operands, [result], attrs, [], from?.loc));
    return result;
  }

  /** Appends an op without results in place of `from`. */
  effect(from: Op, name: string, operands: readonly Value[], attrs: Op['attrs']): void {
    this.ops.push(makeOp(name, operands, [], attrs, [], from.loc));
  }

  /** `base + k`, for the lanes of an access or a count. */
  plus(from: Op, base: Value, k: number): Value {
    if (k === 0) return base;
    const type = scalarOf(base.type);
    const offset = this.add(from, 'arith.constant', [], type, {
      value: type === 'i64' || type === 'u64' ? String(k) : k,
    });
    return this.add(from, 'arith.add', [base, offset], type);
  }

  private split(v: Value): readonly Value[] {
    const width = this.widthOf(v);
    const type: Type = width === 1 ? scalarOf(v.type) : { lanes: width, of: scalarOf(v.type) };
    const parts = isVector(v)
      ? range(lanesOf(v.type) / width).map((k) => makeValue(this.ids.next(), type, v.hint && `${v.hint}_${k}`))
      : [v];
    this.parts.set(v.id, parts);
    return parts;
  }
}

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, k) => k);

const isTruth = (v: Value): boolean => scalarOf(v.type) === 'i1';

const scalarAttrs = ({ lanes: _lanes, ...attrs }: Op['attrs']): Op['attrs'] => attrs;

const specials: Readonly<Record<string, (s: Scalarizer, op: Op) => void>> = {
  'arith.splat': (s, op) => {
    const result = op.results[0]!;
    const value = s.of(op.operands[0]!)[0]!;
    const width = s.widthOf(result);
    const part =
      width === 1 ? value : s.add(op, op.name, [value], { lanes: width, of: scalarOf(result.type) }, { lanes: width });
    s.setParts(
      result,
      range(lanesOf(result.type) / width).map(() => part),
    );
  },
  'arith.iota': (s, op) => {
    const [result] = op.results as [Value];
    const [first, width] = [s.of(op.operands[0]!)[0]!, s.widthOf(result)];
    const type: Type = { lanes: width, of: scalarOf(result.type) };
    s.setParts(
      result,
      range(lanesOf(result.type) / width).map((k) => {
        const from = s.plus(op, first, k * width);
        return width === 1 ? from : s.add(op, op.name, [from], type, { lanes: width });
      }),
    );
  },
  'arith.extract': (s, op) => {
    const [vector] = op.operands as [Value];
    const width = s.widthOf(vector);
    const lane = op.attrs['lane'] as number;
    const part = s.partsOf(vector)[Math.floor(lane / width)]!;
    const type = scalarOf(vector.type);
    s.setParts(op.results[0]!, [width === 1 ? part : s.add(op, op.name, [part], type, { lane: lane % width })]);
  },
  'arith.insert': (s, op) => {
    const [vector, value] = op.operands as [Value, Value];
    const width = s.widthOf(vector);
    const lane = op.attrs['lane'] as number;
    const scalar = s.of(value)[0]!;
    s.setParts(
      op.results[0]!,
      s
        .partsOf(vector)
        .map((part, k) =>
          k !== Math.floor(lane / width)
            ? part
            : width === 1
              ? scalar
              : s.add(op, op.name, [part, scalar], part.type, { lane: lane % width }),
        ),
    );
  },
  'arith.reduce': (s, op) => {
    const [vector] = op.operands as [Value];
    const whole = scalarOf(vector.type) === 'i1' && s.widthOf(vector) > 1;
    const parts = whole ? s.partsOf(vector) : s.of(vector);
    const folded = parts.reduce((a, b) => s.add(op, `arith.${String(op.attrs['kind'])}`, [a, b], a.type));
    s.define(op, op.results[0]!, [whole ? s.add(op, op.name, [folded], 'i1', op.attrs) : folded]);
  },
  'mem.load': (s, op) => {
    const at = s.of(op.operands[0]!)[0]!;
    const result = op.results[0]!;
    const type = scalarOf(result.type);
    const width = isTruth(result) ? 1 : s.widthOf(result);
    const attrs = { ...scalarAttrs(op.attrs), ...(width === 1 ? {} : { lanes: width }) };
    const parts = range(lanesOf(result.type) / width).map((k) =>
      s.add(op, 'mem.load', [s.plus(op, at, k * width)], width === 1 ? type : { lanes: width, of: type }, attrs),
    );
    if (isTruth(result)) s.define(op, result, parts);
    else s.setParts(result, parts);
  },
  'mem.store': (s, op) => {
    const at = s.of(op.operands[1]!)[0]!;
    const [value] = op.operands as [Value];
    /* Truth values are bytes in memory, and words in registers. */
    const [parts, width] = isTruth(value) ? [s.of(value), 1] : [s.partsOf(value), s.widthOf(value)];
    parts.forEach((v, k) => s.effect(op, 'mem.store', [v, s.plus(op, at, k * width)], op.attrs));
  },
  'mem.loadFirst': (s, op) => {
    const at = s.of(op.operands[0]!)[0]!;
    const result = op.results[0]!;
    const [type, lanes] = [scalarOf(result.type), lanesOf(result.type)];
    if (s.widthOf(result) === lanes && !isTruth(result))
      return s.setParts(result, [s.add(op, op.name, [at], result.type, op.attrs)]);
    const zero = type === 'i1' ? false : type === 'i64' || type === 'u64' ? '0' : 0;
    const attrs = { buffer: op.attrs['buffer']! };
    s.define(
      op,
      result,
      range(lanes).map((k) =>
        k < (op.attrs['count'] as number)
          ? s.add(op, 'mem.load', [s.plus(op, at, k)], type, attrs)
          : s.add(op, 'arith.constant', [], type, { value: zero }),
      ),
    );
  },
  'mem.storeFirst': (s, op) => {
    const [value] = op.operands as [Value];
    const at = s.of(op.operands[1]!)[0]!;
    if (s.widthOf(value) === lanesOf(value.type) && !isTruth(value))
      return s.effect(op, op.name, [s.partsOf(value)[0]!, at], op.attrs);
    const attrs = { buffer: op.attrs['buffer']! };
    s.of(value)
      .slice(0, op.attrs['count'] as number)
      .forEach((v, k) => s.effect(op, 'mem.store', [v, s.plus(op, at, k)], attrs));
  },
  'mem.gather': (s, op) =>
    s.define(
      op,
      op.results[0]!,
      s.of(op.operands[0]!).map((i) => s.add(op, 'mem.load', [i], scalarOf(op.results[0]!.type), op.attrs)),
    ),
  'mem.scatter': (s, op) => {
    const at = s.of(op.operands[1]!);
    s.of(op.operands[0]!).forEach((v, k) => s.effect(op, 'mem.store', [v, at[k]!], op.attrs));
  },
};
