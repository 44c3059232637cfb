import { byteSize, isFloat, type Op, type ScalarType, type Value } from '@filigree/ir';
import { isScalarFloat, isWord, type Block, type Use } from './block.js';
import { firstLanes, isNumber, laneKey, lanesKey, members, type LaneValue, type Pack } from './pack.js';

/** What is known of a block's surroundings. */
export interface Setting {
  /** Bytes of a vector register. */
  readonly bytes: number;
  readonly isConstant: (v: Value) => boolean;
  /** Whether so many elements from where a load is may be read. */
  readonly mayRead: (load: Op, lanes: number) => boolean;
  /** Whether words of 32 bits are packed too, and not only floats. */
  readonly words: boolean;
}

/**
 * Packs of a block (Larsen & Amarasinghe 2000): loads and stores of neighbours and, following definitions and uses from
 * there, ops that do the same; then numbers that are made of bits in the same way, or bits of numbers, as where several are stored in a word. An op is
 * in at most one pack. Whether a pack pays is decided elsewhere.
 */
export const findPacks = (block: Block, setting: Setting): readonly Pack[] => new Finder(block, setting).run();

/** How ops are packed beside loads and stores. */
interface Rule {
  readonly commutes?: true;
  /** The second operand that leaves the first as it is, of floats. */
  readonly neutral?: number;
}

/** Ops on floats that are. */
const onFloats: Readonly<Record<string, Rule>> = {
  'arith.add': { commutes: true, neutral: -0 },
  'arith.sub': { neutral: 0 },
  'arith.mul': { commutes: true, neutral: 1 },
  'arith.div': {},
  'arith.neg': {},
};

/** Ops that are where all lanes are words of 32 bits, integers or floats, or truth values. */
const onWords: Readonly<Record<string, Rule>> = {
  'arith.add': { commutes: true },
  'arith.sub': {},
  'arith.mul': { commutes: true },
  'arith.neg': {},
  'arith.min': { commutes: true },
  'arith.max': { commutes: true },
  'arith.and': { commutes: true },
  'arith.or': { commutes: true },
  'arith.xor': { commutes: true },
  'arith.not': {},
  'arith.shl': {},
  'arith.shr': {},
  'arith.cmp': {},
  'arith.select': {},
  'arith.cast': {},
  'arith.bitcast': {},
};

/** Whether a cast is an instruction on lanes: between integers, to floats, or of floats that are said to fit. */
const isConversion = ({ attrs, operands, results }: Op): boolean => {
  const [from, to] = [operands[0]!.type, results[0]!.type];
  if (from === 'i1' || to === 'i1') return false;
  return !isFloat(from) || (to === 'i32' && attrs['fits'] === true);
};

/** Whether ops do the same: they may differ in operands alone. */
const isLike = (a: Op, b: Op): boolean =>
  a.name === b.name && Object.keys({ ...a.attrs, ...b.attrs }).every((key) => a.attrs[key] === b.attrs[key]);

/** Ops back to which numbers that are packed must have been computed in the same way. */
const SHAPE = 3;

/** Elements that a loop goes on by while what it stored is on its way to memory. */
const JUST_STORED = 64n;

class Finder {
  private readonly packs: Pack[] = [];
  private readonly packed = new Map<number, Pack>();
  private readonly byResults = new Set<string>();
  private readonly waiting: Pack[] = [];
  /** Whether words are packed by now. */
  private words = false;

  constructor(
    private readonly block: Block,
    private readonly setting: Setting,
  ) {}

  run(): readonly Pack[] {
    this.seeds();
    this.follow();
    /* Only from bits on: indices and choices of a program on floats are better off as they are. */
    this.words = this.setting.words;
    if (this.words) {
      this.seedsOfBits();
      this.follow();
    }
    return this.packs;
  }

  /** The rule by which an op is packed, if it is. */
  private ruleOf(op: Op): Rule | undefined {
    const [result] = op.results;
    if (!result) return undefined;
    if (isScalarFloat(result) && onFloats[op.name]) return onFloats[op.name];
    if (!this.words || !isWord(result) || !op.operands.every(isWord)) return undefined;
    return op.name === 'arith.cast' && !isConversion(op) ? undefined : onWords[op.name];
  }

  private follow(): void {
    for (let p = this.waiting.shift(); p; p = this.waiting.shift()) {
      for (const lanes of p.operands) this.packOperands(lanes, p.width);
      this.packUses(p);
    }
  }

  private add(pack: Pack): void {
    this.packs.push(pack);
    this.waiting.push(pack);
    for (const at of members(pack)) this.packed.set(at, pack);
    for (const lanes of firstLanes(pack)) this.byResults.add(lanesKey(lanes));
  }

  /** Loads and stores of neighbouring elements. */
  private seeds(): void {
    const runs = new Map<string, Map<bigint, number>>();
    const generations = new Map<string, number>();
    this.block.ops.forEach((op, at) => {
      const place = this.block.place(at);
      const element = op.name === 'mem.load' ? op.results[0]! : op.operands[0];
      if (!place || !isScalarFloat(element!)) return;
      const base = `${op.name} ${place.buffer} ${place.bits} ${place.terms}`;
      const key = (): string => `${base} ${generations.get(base) ?? 0}`;
      /* The same element again: it may have changed in between. */
      if (runs.get(key())?.has(place.offset)) generations.set(base, (generations.get(base) ?? 0) + 1);
      const run = runs.get(key()) ?? new Map<bigint, number>();
      runs.set(key(), run.set(place.offset, at));
    });
    for (const run of runs.values()) this.seedsOf([...run].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private seedsOf(run: readonly (readonly [offset: bigint, op: number])[]): void {
    for (let from = 0; from < run.length;) {
      const op = this.block.ops[run[from]![1]]!;
      const element = op.name === 'mem.load' ? op.results[0]! : op.operands[0]!;
      const width = Math.floor(this.setting.bytes / byteSize(element.type as 'f32' | 'f64'));
      if (width < 2) return;
      let count = 1;
      while (count < width && run[from + count]?.[0] === run[from]![0] + BigInt(count)) count++;
      const whole = count === width;
      const readable =
        op.name === 'mem.load' &&
        count > 1 &&
        2 * count >= width &&
        this.setting.mayRead(op, width) &&
        !this.waitsForStore(run[from]![1], count, width);
      if (whole || readable) {
        this.seed(
          run.slice(from, from + count).map(([, at]) => at),
          width,
        );
        from += count;
      } else from++;
    }
  }

  /**
   * Whether what a load would read beside what is asked for was just stored, an iteration or a few before: a processor hands a load what
   * waits to be stored only where one store has all of it, else the load waits until memory has it.
   */
  private waitsForStore(load: number, count: number, width: number): boolean {
    const place = this.block.place(load)!;
    return this.block.ops.some((op, at) => {
      const other = op.name === 'mem.store' ? this.block.place(at) : undefined;
      if (!other || other.buffer !== place.buffer || other.terms !== place.terms || other.bits !== place.bits)
        return false;
      const ahead = BigInt.asIntN(place.bits, other.offset - place.offset);
      return ahead > BigInt(count) && ahead < BigInt(width) + JUST_STORED;
    });
  }

  private seed(ops: readonly number[], width: number): void {
    const all = ops.map((at) => this.block.ops[at]!);
    const store = all[0]!.name === 'mem.store';
    const elements = all.map((op) => (store ? op.operands[0]! : op.results[0]!));
    this.add({
      name: all[0]!.name,
      ops,
      results: store ? [] : elements,
      operands: store ? [elements] : [],
      type: elements[0]!.type as 'f32' | 'f64',
      width,
    });
  }

  /** Where floats become integers, or bits, or are made of them, one after the other and in the same way: as many as a register holds. */
  private seedsOfBits(): void {
    const open = new Map<string, number[]>();
    const width = Math.floor(this.setting.bytes / 4);
    const close = (key: string): void => {
      const ops = open.get(key) ?? [];
      open.delete(key);
      if (ops.length < 2) return;
      this.packOps(
        ops,
        ops.map((at) => this.block.ops[at]!.results[0]!),
        width,
      );
    };
    this.block.ops.forEach((op, at) => {
      if (op.name !== 'arith.cast' && op.name !== 'arith.bitcast') return;
      if (this.packed.has(at) || !this.isOfBits(op)) return;
      const key = this.shapeOf(at, SHAPE);
      const ops = open.get(key) ?? [];
      /* What follows from one of them is no lane beside it. */
      if (ops.some((other) => this.follows(at, other))) close(key);
      open.set(key, [...(open.get(key) ?? []), at]);
      if (open.get(key)!.length === width) close(key);
    });
    for (const key of [...open.keys()]) close(key);
  }

  /** Whether an op makes an integer of a float, or a float of an integer that is computed here: not of an index, say. */
  private isOfBits(op: Op): boolean {
    const [from] = op.operands as [Value];
    if (!this.ruleOf(op) || isFloat(from.type) === isFloat(op.results[0]!.type)) return false;
    const definition = this.block.definition(from);
    return isFloat(from.type) || (definition !== undefined && this.ruleOf(this.block.ops[definition]!) !== undefined);
  }

  /** How a value was computed, as far as so many ops back. */
  private shapeOf(at: number, depth: number): string {
    const op = this.block.ops[at]!;
    if (depth === 0) return op.name;
    const operands = op.operands.map((v) => {
      if (this.setting.isConstant(v)) return `=${v.id}`;
      const from = this.block.definition(v);
      return from === undefined || !this.ruleOf(this.block.ops[from]!) ? '' : this.shapeOf(from, depth - 1);
    });
    return `${op.name}:${String(op.attrs['to'] ?? '')}(${operands.join()})`;
  }

  /** Whether an op depends on an earlier one of the block, by values alone. */
  private follows(at: number, earlier: number): boolean {
    const seen = new Set<number>();
    const path = [at];
    for (let now = path.pop(); now !== undefined; now = path.pop()) {
      if (now === earlier) return true;
      for (const v of this.block.ops[now]!.operands) {
        const from = this.block.definition(v);
        if (from === undefined || from < earlier || seen.has(from)) continue;
        seen.add(from);
        path.push(from);
      }
    }
    return false;
  }

  /** Packs what lanes of an operand are, if that is ops of one kind, or half of them. */
  private packOperands(lanes: readonly LaneValue[], width: number): void {
    if (this.byResults.has(lanesKey(lanes)) || this.isUniform(lanes)) return;
    const at = lanes.map((x) => (isNumber(x) ? undefined : this.block.definition(x)));
    const ruled = at.filter((n) => n !== undefined && this.ruleOf(this.block.ops[n]!) !== undefined);
    const first = ruled.find((n) => this.ruleOf(this.block.ops[n!]!)!.neutral !== undefined) ?? ruled[0];
    if (first === undefined) return;
    const model = this.block.ops[first]!;
    const ops = at.map((n) =>
      n !== undefined && isLike(this.block.ops[n]!, model) && !this.packed.has(n) ? n : undefined,
    );
    const found = ops.filter((n) => n !== undefined);
    if (new Set(found).size < found.length || found.length < 2) return;
    /* The others are let through. */
    if (found.length < ops.length && (this.ruleOf(model)!.neutral === undefined || 2 * found.length < ops.length))
      return;
    this.packOps(ops, lanes, width);
  }

  /** Packs ops that use the lanes of a pack in the same way. */
  private packUses(pack: Pack): void {
    const [first, ...others] = pack.results;
    if (first === undefined || pack.results.some(isNumber)) return;
    for (const use of this.block.uses(first as Value)) {
      if (!this.isFree(use)) continue;
      const ops = [use.op];
      for (const x of others) {
        const like = this.likest(use, x as Value, ops);
        if (like === undefined) break;
        ops.push(like);
      }
      if (ops.length < Math.max(2, this.lanesInUse(pack))) continue;
      this.packOps(
        ops,
        ops.map((at) => this.block.ops[at]!.results[0]!),
        pack.width,
      );
    }
  }

  /** Lanes of a pack up to the last that anything uses. */
  private lanesInUse({ results }: Pack): number {
    const isUsed = (x: LaneValue): boolean => {
      const v = x as Value;
      return this.block.escapes(v) || this.block.uses(v).length > 0;
    };
    return results.findLastIndex(isUsed) + 1;
  }

  private isFree({ op }: Use): boolean {
    return !this.packed.has(op) && this.ruleOf(this.block.ops[op]!) !== undefined;
  }

  /** The use of `x` that is most like a use of the first lane. */
  private likest(first: Use, x: Value, taken: readonly number[]): number | undefined {
    const model = this.block.ops[first.op]!;
    let best: { readonly op: number; readonly score: number } | undefined;
    for (const use of this.block.uses(x)) {
      const op = this.block.ops[use.op]!;
      const same = isLike(op, model) && this.isFree(use) && !taken.includes(use.op);
      if (!same || (use.operand !== first.operand && !this.ruleOf(model)!.commutes)) continue;
      const [rest, others] = [
        model.operands.filter((_, k) => k !== first.operand),
        op.operands.filter((_, k) => k !== use.operand),
      ];
      const score = rest.length === 0 ? 1 : rest.reduce((sum, a, k) => sum + this.likeness(a, others[k]!), 0);
      if (!best || score > best.score) best = { op: use.op, score };
    }
    return best?.op;
  }

  /** How well two values go together in one operand. */
  private likeness(a: LaneValue, b: LaneValue): number {
    if (laneKey(a) === laneKey(b)) return 4;
    if (isNumber(a) || isNumber(b)) return 0;
    if (this.setting.isConstant(a) && this.setting.isConstant(b)) return 3;
    const [x, y] = [this.block.definition(a), this.block.definition(b)];
    if (x === undefined || y === undefined) return x === y ? 1 : 0;
    const [p, q] = [this.packed.get(x), this.packed.get(y)];
    if (p || q) return p === q ? 3 : 0;
    return this.block.ops[x]!.name === this.block.ops[y]!.name ? 2 : 0;
  }

  private isUniform(lanes: readonly LaneValue[]): boolean {
    return (
      lanes.every((x) => laneKey(x) === laneKey(lanes[0]!)) ||
      lanes.every((x) => isNumber(x) || this.setting.isConstant(x))
    );
  }

  private packOps(ops: readonly (number | undefined)[], results: readonly LaneValue[], width: number): void {
    const all = ops.map((at) => (at === undefined ? undefined : this.block.ops[at]!));
    const model = all.find((op) => op !== undefined)!;
    const type = model.results[0]!.type as ScalarType;
    const typesOf = (op: Op): string => [...op.results, ...op.operands].map((v) => v.type).join();
    if (all.some((op) => op && typesOf(op) !== typesOf(model))) return;
    const rule = this.ruleOf(model)!;
    const aligned = all.map((op) => {
      if (!op || !rule.commutes) return op?.operands;
      const [a, b] = op.operands as [Value, Value];
      const [x, y] = model.operands as [Value, Value];
      const straight = this.likeness(x, a) + this.likeness(y, b);
      return straight >= this.likeness(x, b) + this.likeness(y, a) ? [a, b] : [b, a];
    });
    /* What is let through goes where the others have no op of one kind in common. */
    const through = model.operands.length < 2 || !rule.commutes || !this.areAlike(aligned, 0) ? 0 : 1;
    const operands = model.operands.map((_, k) =>
      aligned.map((list, lane) => list?.[k] ?? (k === through ? results[lane]! : rule.neutral!)),
    );
    this.add({ name: model.name, ops, results, operands, type, width });
  }

  private areAlike(aligned: readonly (readonly Value[] | undefined)[], operand: number): boolean {
    const names = aligned.flatMap((list) => {
      if (!list) return [];
      const at = this.block.definition(list[operand]!);
      return [at === undefined ? undefined : this.block.ops[at]!.name];
    });
    return names[0] !== undefined && onFloats[names[0]] !== undefined && names.every((n) => n === names[0]);
  }
}
