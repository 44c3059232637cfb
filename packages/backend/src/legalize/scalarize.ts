import {
  type Module,
  type Op,
  type Pass,
  type Region,
  type Type,
  type Value,
  fail,
  lanesOf,
  pass,
  scalarOf,
} from '@filigree/ir';

/**
 * Takes short vectors apart, for targets that have none or whose compiler makes its own: a value of n lanes becomes n
 * scalars, an element-wise op n ops, a vector load n loads. The order of memory effects is kept. A module without vectors
 * is returned as it is. Error: `scalarize/op` on an op of vectors that is not in a core dialect.
 */
export const scalarizeVectors: Pass<Module> = pass('scalarize-vectors', (module) => {
  if (!module.kernels.some((k) => hasVectors(k.body))) return module;
  return {
    ...module,
    kernels: module.kernels.map((k) => {
      const s = new Scalarizer(1 + maxId(k.body, Math.max(-1, ...k.params.map((p) => p.id))));
      for (const p of k.params) s.keep(p);
      return { ...k, body: s.region(k.body) };
    }),
  };
});

const isVector = (v: Value): boolean => lanesOf(v.type) > 1 || typeof v.type !== 'string';

const hasVectors = (r: Region): boolean =>
  r.params.some(isVector) ||
  r.ops.some((op) => op.results.some(isVector) || op.operands.some(isVector) || op.regions.some(hasVectors));

const maxId = (r: Region, least: number): number => {
  let max = least;
  for (const p of r.params) max = Math.max(max, p.id);
  for (const op of r.ops) {
    for (const v of op.results) max = Math.max(max, v.id);
    for (const inner of op.regions) max = maxId(inner, max);
  }
  return max;
};

/** Rewrites one kernel; holds the lanes that each value has become. */
class Scalarizer {
  private readonly lanes = new Map<number, readonly Value[]>();
  private ops: Op[] = [];

  constructor(private nextId: number) {}

  keep(v: Value): Value {
    this.lanes.set(v.id, [v]);
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
      this.ops.push({ ...op, operands: op.operands.map((v) => this.of(v)[0]!) });
      for (const r of op.results) this.keep(r);
      return;
    }
    const special = specials[op.name];
    if (special) special(this, op);
    else if (op.name.startsWith('scf.')) this.structured(op);
    else if (op.name.startsWith('arith.') || op.name.startsWith('math.')) this.elementwise(op);
    else
      fail('scalarize/op', `there is no scalar form of ${op.name} on vectors`, {
        loc: op.loc,
        remedy: 'lower it to core ops first',
      });
  }

  /** Loops, branches and terminators: each vector that they carry becomes several scalars. */
  private structured(op: Op): void {
    const operands = op.operands.flatMap((v) => this.of(v));
    const regions = op.regions.map((r) => this.region(r));
    this.ops.push({ ...op, operands, results: op.results.flatMap((r) => this.split(r)), regions });
  }

  private elementwise(op: Op): void {
    const count = lanesOf(op.results[0]!.type);
    const operands = op.operands.map((v) => this.of(v));
    const attrs = op.attrs;
    this.define(
      op.results[0]!,
      Array.from({ length: count }, (_, k) =>
        this.add(
          op,
          op.name,
          operands.map((l) => l[k]!),
          scalarOf(op.results[0]!.type),
          attrs,
        ),
      ),
    );
  }

  /** The lanes of a value. */
  of(v: Value): readonly Value[] {
    return this.lanes.get(v.id)!;
  }

  define(v: Value, lanes: readonly Value[]): void {
    this.lanes.set(v.id, lanes);
  }

  /** Appends an op of one result in place of `from`. */
  add(from: Op, name: string, operands: readonly Value[], type: Type, attrs: Op['attrs'] = {}): Value {
    const result: Value = { id: this.nextId++, type };
    this.ops.push({ name, operands, results: [result], attrs, regions: [], ...(from.loc ? { loc: from.loc } : {}) });
    return result;
  }

  /** Appends an op without results in place of `from`. */
  effect(from: Op, name: string, operands: readonly Value[], attrs: Op['attrs']): void {
    this.ops.push({ name, operands, results: [], attrs, regions: [], ...(from.loc ? { loc: from.loc } : {}) });
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
    const lanes = isVector(v)
      ? Array.from({ length: lanesOf(v.type) }, (_, k): Value => ({
          id: this.nextId++,
          type: scalarOf(v.type),
          ...(v.hint ? { hint: `${v.hint}_${k}` } : {}),
        }))
      : [v];
    this.lanes.set(v.id, lanes);
    return lanes;
  }
}

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, k) => k);

const scalarAttrs = ({ lanes: _lanes, ...attrs }: Op['attrs']): Op['attrs'] => attrs;

const specials: Readonly<Record<string, (s: Scalarizer, op: Op) => void>> = {
  'arith.splat': (s, op) =>
    s.define(
      op.results[0]!,
      range(lanesOf(op.results[0]!.type)).map(() => s.of(op.operands[0]!)[0]!),
    ),
  'arith.iota': (s, op) =>
    s.define(
      op.results[0]!,
      range(lanesOf(op.results[0]!.type)).map((k) => s.plus(op, s.of(op.operands[0]!)[0]!, k)),
    ),
  'arith.extract': (s, op) => s.define(op.results[0]!, [s.of(op.operands[0]!)[op.attrs['lane'] as number]!]),
  'arith.insert': (s, op) =>
    s.define(
      op.results[0]!,
      s.of(op.operands[0]!).map((v, k) => (k === op.attrs['lane'] ? s.of(op.operands[1]!)[0]! : v)),
    ),
  'arith.reduce': (s, op) =>
    s.define(op.results[0]!, [
      s
        .of(op.operands[0]!)
        .reduce((a, b) => s.add(op, `arith.${String(op.attrs['kind'])}`, [a, b], op.results[0]!.type)),
    ]),
  'mem.load': (s, op) => {
    const at = s.of(op.operands[0]!)[0]!;
    const type = scalarOf(op.results[0]!.type);
    s.define(
      op.results[0]!,
      range(lanesOf(op.results[0]!.type)).map((k) =>
        s.add(op, 'mem.load', [s.plus(op, at, k)], type, scalarAttrs(op.attrs)),
      ),
    );
  },
  'mem.store': (s, op) => {
    const at = s.of(op.operands[1]!)[0]!;
    s.of(op.operands[0]!).forEach((v, k) => s.effect(op, 'mem.store', [v, s.plus(op, at, k)], op.attrs));
  },
  'mem.gather': (s, op) =>
    s.define(
      op.results[0]!,
      s.of(op.operands[0]!).map((i) => s.add(op, 'mem.load', [i], scalarOf(op.results[0]!.type), op.attrs)),
    ),
  'mem.scatter': (s, op) => {
    const at = s.of(op.operands[1]!);
    s.of(op.operands[0]!).forEach((v, k) => s.effect(op, 'mem.store', [v, at[k]!], op.attrs));
  },
};
