import { rare } from '#rare';
import {
  bufferMap,
  buildKernel,
  isFloat,
  type Attrs,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import {
  takesBits,
  typeOfPlace,
  type Block,
  type Instruction,
  type Local,
  type Loop,
  type Parallel,
  type Place,
  type Range,
  type Reduction,
} from '../code/code.js';
import { fits, givenKind, isReal, isWhole, literalKind } from '../code/kinds.js';
import { operatorOf } from '../code/operators.js';
import { locationOf } from '../code/origin.js';
import type { Types } from '../types/infer.js';
import {
  isFromZero,
  isShort,
  keptOf,
  knownPrefix,
  lanesOf,
  takesLanes,
  MOST_ITERATIONS,
  type Ranges,
} from './ranges.js';
import { constantOf } from './constant.js';
import type { PrivateArrays, PrivateItem } from './private-arrays.js';
import { bufferOf } from './table.js';
import { bitsOf, wholeValue } from './to-int32.js';
import { writtenIn } from '../code/written.js';
import type { Scalar, Temp } from '../code/scalar.js';

/** What a kernel is made of besides its code. */
export interface KernelFrame {
  readonly name: string;
  readonly params: readonly (readonly [name: string, value: Temp & { readonly type: ScalarType }])[];
  readonly buffers: readonly Buffer[];
  readonly dialects: readonly Dialect[];
  readonly attrs: Attrs;
  /** Attributes of parallel loops: the user's hints. */
  readonly hints: Attrs;
  /** The buffer that a returned scalar is stored to. */
  readonly result: string;
  /** The variables that are memory. */
  readonly items: PrivateArrays['items'];
  /** The buffer that a reduction accumulates in. */
  readonly reduction: (r: Reduction) => string;
}

/** Kernel IR of code without exits: mutable locals become region parameters and results, operands get their types. */
export const emitKernel = (code: Block, types: Types, frame: KernelFrame): Kernel =>
  buildKernel(
    frame.name,
    Object.fromEntries(frame.params.map(([name, { type }]) => [name, type])),
    (b, params) => {
      const emitter = new Emitter(b, types, frame);
      for (const [name, temp] of frame.params) emitter.bind(temp, params[name]);
      emitter.block(code);
    },
    frame.buffers,
    { dialects: frame.dialects, attrs: frame.attrs, share: true },
  );

class Emitter {
  private readonly temps = new Map<Temp, Value>();
  /** The current values of the locals that exist; undefined for one that was not assigned, which is zero. */
  private locals = new Map<Local, Value | undefined>();
  /** The variable that stands for the element at an index. */
  private standsFor: { readonly local: Local; readonly index: Value } | undefined;
  /** What is to be written with the next store. */
  private joint: readonly { readonly field: string; readonly value: Value }[] = [];

  constructor(
    private readonly b: Builder,
    private readonly types: Types,
    private readonly frame: KernelFrame,
  ) {}

  bind(temp: Temp, value: Value): void {
    this.temps.set(temp, value);
  }

  block(code: Block): void {
    for (const i of code) {
      this.b.loc = locationOf(i.at);
      this.instruction(i);
    }
  }

  private instruction(i: Instruction): void {
    const { b } = this;
    switch (i.do) {
      case 'declare':
        return i.locals.forEach((local) => this.declare(local));
      case 'read':
        return this.bind(i.to, this.local(i.local));
      case 'write':
        return this.write(i.local, this.given(i.value, this.types.typeOf(i.local.cell)));
      case 'one-of':
        return this.oneOf(i);
      case 'compute':
        return this.bind(i.to, this.compute(i));
      case 'load':
        return this.bind(i.to, this.load(i.place, this.types.typeOf(i.to)));
      case 'store':
        return this.store(i.place, this.stored(i.value, i.place), i.more);
      case 'atomic':
        return this.bind(i.to, this.atomic(i.place, i.kind, this.combined(i, typeOfPlace(i.place))));
      case 'fits':
      case 'bounds':
        return;
      case 'reduce': {
        const { local, kind } = i.reduction;
        const value = this.combined(i, this.types.typeOf(local.cell));
        return void b.atomic(this.frame.reduction(i.reduction), kind, value, b.i32(0));
      }
      case 'structure': {
        const [result] = b.op(`field.${i.op}`, this.indices(i.index), { node: i.node });
        return i.to ? this.bind(i.to, result) : undefined;
      }
      case 'assume': {
        const operands = this.indices([i.x, i.base]);
        return this.bind(
          i.to,
          b.value('field.assume_in_range', operands, {
            lo: i.lo,
            hi: i.hi,
            ...(i.of && { of: i.of }),
            ...(i.distinct && { distinct: true }),
          }),
        );
      }
      case 'given':
        return this.givenGradient(i);
      case 'if':
        return this.branch(this.as(i.condition, 'i1'), i.then, i.otherwise);
      case 'loop':
        return this.loop(i);
      case 'parallel':
        return this.parallel(i);
      case 'result':
        return i.values.forEach((value, k) => b.store(this.frame.result, this.as(value, this.resultType()), b.i32(k)));
      case 'block':
      case 'exit':
        throw new Error(`${i.do} is left after structuring`);
    }
  }

  private givenGradient({ to, values, near, inputs, seeds, body, yields }: Instruction & { do: 'given' }): void {
    const [of, at] = [values, near ?? []].map((list) => list.map((v, n) => this.as(v, this.types.typeOf(to[n]))));
    /* Whole numbers have no adjoints. */
    const by = inputs.map((s) => this.value(s));
    const kept = by.flatMap((v, n) => (isFloat(v.type) ? [n] : []));
    const { region } = this.b.region(
      of.map(({ type }) => ({ type })),
      (adjoints) => {
        seeds.forEach((s, n) => this.bind(s, adjoints[n]));
        this.scoped([], () => this.block(body));
        return kept.map((n) => this.as(yields[n], by[n].type as ScalarType));
      },
    );
    const results = this.b.op(
      'derivative.given',
      [...of, ...at, ...kept.map((n) => by[n])],
      near ? { near: true } : {},
      [region],
    );
    to.forEach((t, n) => this.bind(t, results[n]));
  }

  private resultType(): ScalarType {
    return bufferMap(this.frame.buffers).get(this.frame.result)!.type;
  }

  private zero(type: ScalarType): Value {
    return this.b.constant(type === 'i1' ? false : 0, type);
  }

  private declare(local: Local): void {
    if (this.frame.items.has(local)) this.write(local, this.zero(this.types.typeOf(local.cell)));
    else this.locals.set(local, undefined);
  }

  private write(local: Local, value: Value): void {
    const item = this.frame.items.get(local);
    if (item) this.b.store(item.buffer, value, this.placeOf(local, item));
    else this.locals.set(local, value);
  }

  private placeOf(local: Local, { at }: PrivateItem): Value {
    return this.standsFor?.local === local ? this.standsFor.index : this.b.i32(at);
  }

  /** What is done to one of several variables: to an element, where they are memory. */
  private oneOf(i: Instruction & { do: 'one-of' }): void {
    const item = this.frame.items.get(i.locals[0]);
    if (!item) return this.block(i.body);
    const at = this.as(i.index, 'i32');
    const onFirst = (index: Value): void => {
      const outer = this.standsFor;
      this.standsFor = { local: i.locals[0], index };
      this.block(i.first);
      this.standsFor = outer;
    };
    const { gives } = i;
    if (!gives) return this.branch(rare().isItem(this.b, item, at), i.first, [], () => onFirst(at));
    onFirst(rare().nearestItem(this.b, item, at));
    this.bind(gives.value, this.value(gives.first));
  }

  private local(local: Local): Value {
    const item = this.frame.items.get(local);
    if (item) return this.b.load(item.buffer, this.placeOf(local, item));
    if (!this.locals.has(local)) throw new Error(`local ${local.name} is read outside of its block`);
    return this.locals.get(local) ?? this.zero(this.types.typeOf(local.cell));
  }

  /** A scalar as a value of its own type. */
  private value(s: Scalar): Value {
    if (s.is === 'literal') return this.as(s, this.types.literalType(s));
    const value = this.temps.get(s);
    if (!value) throw new Error(`a value is used outside of its block`);
    return value;
  }

  /** A scalar converted to a type because the source says so. */
  private cast(s: Scalar, type: ScalarType): Value {
    return s.is === 'literal'
      ? this.b.constant(constantOf(s.value, type, isReal(givenKind(s))), type)
      : this.as(s, type);
  }

  /** A scalar converted to a type. */
  private as(s: Scalar, type: ScalarType): Value {
    if (s.is === 'literal') return this.b.constant(constantOf(s.value, type), type);
    return this.to(this.value(s), type);
  }

  /** What is combined with a variable or an element of a type. */
  private combined({ value, negated }: Instruction & { do: 'reduce' | 'atomic' }, type: ScalarType): Value {
    if (!negated) return this.as(value, type);
    return value.is === 'literal' && typeof value.value !== 'boolean'
      ? this.as({ ...value, value: -value.value }, type)
      : this.b.neg(this.as(value, type));
  }

  /** A scalar as a variable takes it: of a float its bits, where they are all that is used. */
  private given(s: Scalar, type: ScalarType): Value {
    const isOfBits = type === 'i32' && isReal(s.is === 'literal' ? givenKind(s) : this.types.kindOf(s));
    return isOfBits ? this.bits(s, type) : this.as(s, type);
  }

  /** A scalar as it is stored: of a typed array as its bits. */
  private stored(s: Scalar, place: Place): Value {
    const type = typeOfPlace(place);
    return takesBits(place) ? this.bits(s, type) : this.as(s, type);
  }

  private bits(s: Scalar, type: ScalarType): Value {
    if (s.is === 'literal') return this.b.constant(constantOf(bitsOf(s.value), type), type);
    return this.to(wholeValue(this.b, this.value(s)), type);
  }

  private to(value: Value, type: ScalarType): Value {
    return value.type === type ? value : this.b.cast(value, type);
  }

  private indices(list: readonly Scalar[]): readonly Value[] {
    return list.map((s) => this.as(s, 'i32'));
  }

  private compute(i: Instruction & { do: 'compute' }): Value {
    const { emit, operands, bits } = operatorOf(i.operator);
    const { b } = this;
    const type = this.types.typeOf(i.to);
    if (i.operator === 'cast') return this.cast(i.args[0], type);
    const own = (s: Scalar): Value => (bits ? wholeValue(b, this.value(s)) : this.value(s));
    const args = i.args.map((s, k) => {
      if (operands === 'as they are' || (operands === 'selected' && k === 0)) return own(s);
      if (bits && s.is !== 'literal') return this.to(own(s), type);
      if (bits && s.is === 'literal' && isReal(literalKind(s))) return b.constant(bitsOf(s.value), type);
      return this.as(s, operands === 'joined' ? this.types.joinedType(i.args) : type);
    });
    return emit(b, args, type);
  }

  private load(place: Place, type: ScalarType): Value {
    const index = this.indices(place.index);
    return place.of === 'field'
      ? this.b.value('field.load', index, { field: place.field.name })
      : this.b.load(bufferOf(place, type), index[0]);
  }

  private store(place: Place, value: Value, more = false): void {
    const index = this.indices(place.index);
    if (place.of !== 'field') return void this.b.store(place.buffer, value, index[0]);
    const field = place.field.name;
    const all = [...this.joint, { field, value }];
    this.joint = more ? all : [];
    if (more) return;
    if (all.length === 1) return void this.b.op('field.store', [value, ...index], { field });
    const fields = all.map((f) => f.field);
    this.b.op('field.store_word', [...all.map((f) => f.value), ...index], { field: fields[0], fields });
  }

  private atomic(place: Place, kind: Reduction['kind'], value: Value): Value {
    const index = this.indices(place.index);
    return place.of === 'field'
      ? this.b.value('field.atomic', [value, ...index], { field: place.field.name, kind })
      : this.b.atomic(place.buffer, kind, value, index[0]);
  }

  /**
   * Runs `body` with its own view of the locals and returns what it made of `carried`. The op around it is created
   * afterwards, and has the source location that was current before.
   */
  private scoped(carried: readonly Local[], body: () => void): readonly Value[] {
    const [outer, { loc }] = [this.locals, this.b];
    this.locals = new Map(outer);
    body();
    this.b.loc = loc;
    const values = carried.map((l) => this.local(l));
    this.locals = outer;
    return values;
  }

  /** Locals that exist here and change in these blocks. */
  private changed(...blocks: readonly Block[]): readonly Local[] {
    const all = new Set(blocks.flatMap((block) => [...writtenIn(block)]));
    return [...all].filter((l) => this.locals.has(l)).sort((a, b) => a.id - b.id);
  }

  private update(locals: readonly Local[], values: readonly Value[]): void {
    locals.forEach((l, k) => this.locals.set(l, values[k]));
  }

  private branch(condition: Value, then: Block, otherwise: Block, run = (): void => this.block(then)): void {
    const changed = this.changed(then, otherwise);
    const arm = (body: () => void) => (): readonly Value[] => this.scoped(changed, body);
    this.update(
      changed,
      this.b.if(
        condition,
        arm(run),
        arm(() => this.block(otherwise)),
      ),
    );
  }

  private loop(i: Loop): void {
    const { counted } = i;
    if (counted && this.isCounted(counted)) return this.count(i, counted);
    const changed = this.changed(i.test, i.body, i.update);
    const results = this.b.while(
      changed.map((l) => this.local(l)),
      (carried) => {
        let condition: Value | undefined;
        const values = this.scoped(changed, () => {
          this.update(changed, carried);
          this.block(i.test);
          condition = this.as(i.condition, 'i1');
        });
        return [condition!, ...values];
      },
      (carried) =>
        this.scoped(changed, () => {
          this.update(changed, carried);
          this.block(i.body);
          this.block(i.update);
        }),
    );
    this.update(changed, results);
  }

  /** Whether variable and bound turned out to be integers. */
  private isCounted({ local, bound }: NonNullable<Loop['counted']>): boolean {
    const type = this.types.typeOf(local.cell);
    const kind = this.types.kindOf(bound);
    return (type === 'i32' || type === 'i64') && isWhole(kind) && fits(kind, type);
  }

  /** A loop that counts to a bound needs neither test nor update. One that counts down counts its negative up: no difference of its bounds can be too large. */
  private count(i: Loop, { local, bound, inclusive, step }: NonNullable<Loop['counted']>): void {
    const type = this.types.typeOf(local.cell);
    const turned = (v: Value): Value => (step < 0 ? this.b.sub(this.b.constant(0, type), v) : v);
    const last = turned(this.as(bound, type));
    const changed = this.changed(i.body).filter((l) => l !== local);
    const results = this.for(
      turned(this.local(local)),
      inclusive ? this.b.add(last, this.b.constant(1, type)) : last,
      this.b.constant(Math.abs(step), type),
      {},
      changed.map((l) => this.local(l)),
      (iv, carried) =>
        this.scoped(changed, () => {
          this.update(changed, carried);
          this.locals.set(local, turned(iv));
          this.block(i.body);
        }),
      local.name,
    );
    this.update(changed, results);
  }

  /** A counted loop whose variable has a name for people. */
  private for(
    lb: Value,
    ub: Value,
    step: Value,
    attrs: Attrs,
    inits: readonly Value[],
    body: (iv: Value, carried: readonly Value[]) => readonly Value[] | void,
    hint = 'i',
  ): readonly Value[] {
    const params = [{ type: lb.type, hint }, ...inits.map((v) => ({ type: v.type }))];
    const { region } = this.b.region(params, ([iv, ...carried]) => body(iv, carried));
    return this.b.op('scf.for', [lb, ub, step, ...inits], attrs, [region]);
  }

  private parallel(i: Parallel): void {
    const { b } = this;
    for (const r of i.reductions) b.store(this.frame.reduction(r), this.local(r.local), b.i32(0));
    const body = (variables: readonly Value[]): void => {
      i.variables.forEach((v, k) => this.bind(v, variables[k]));
      this.scoped([], () => this.block(i.body));
    };
    if (i.space.over === 'active') this.overActive(i, i.space.node, i.space.cache, body);
    else this.overRange(i.space.bounds, i.variables, takesLanes(i.body), body);
    for (const r of i.reductions) this.locals.set(r.local, b.load(this.frame.reduction(r), b.i32(0)));
  }

  private overActive(i: Parallel, node: string, cache: readonly string[], body: (v: readonly Value[]) => void): void {
    const { region } = this.b.region(
      i.variables.map(({ hint }) => ({ type: 'i32' as const, ...(hint === undefined ? {} : { hint }) })),
      (variables) => body(variables),
    );
    const attrs = { ...this.frame.hints, node, ...(cache.length > 0 ? { cache } : {}) };
    this.b.op('field.for', [], attrs, [region]);
  }

  /** The first range is the parallel one, unless it is known to be too short to keep many threads busy. */
  private overRange(bounds: Ranges, names: readonly Temp[], lanes: boolean, body: (v: readonly Value[]) => void): void {
    if (bounds.length > 1 && isShort(bounds[0])) return this.flattened(bounds, names, lanes, body);
    const nest = (k: number, outer: readonly Value[]): void => {
      if (k === bounds.length) return body(outer);
      const [from, to, step = this.b.i32(1)] = bounds[k].map((s) => this.as(s!, 'i32'));
      /* Iterations of the innermost are independent as those of the outermost are. */
      const attrs = {
        ...(k === 0 ? { ...this.frame.hints, parallel: true } : {}),
        ...(lanes && (k > 0 || bounds.length === 1) && lanesOf(k, bounds)),
      };
      this.for(from, to, step, attrs, [], (iv) => nest(k + 1, [...outer, iv]), names[k].hint);
    };
    nest(0, []);
  }

  /**
   * One parallel loop over all combinations of the outer ranges, the last variable fastest: of those of known length, as many as have
   * together no more combinations than an i32 counts, and of one more. Within it the others are nested; so are the last (`keptOf`), where
   * they are long enough for lanes and the others for threads.
   */
  private flattened(bounds: Ranges, names: readonly Temp[], lanes: boolean, body: (v: readonly Value[]) => void): void {
    const { b } = this;
    const known = knownPrefix(bounds.slice(0, bounds.length - keptOf(bounds)));
    const combinations = known.reduce((n, x) => n * x, 1);
    const next = bounds[known.length] as Range | undefined;
    const last = next && isFromZero(next) ? this.as(next[1], 'i32') : undefined;
    const inner = bounds.slice(known.length + (last ? 1 : 0));
    const combined = (at: Value, of: readonly Value[]): void => {
      const found = this.combination(bounds, known, at);
      const nest = (k: number, outer: readonly Value[]): void => {
        if (k === inner.length) return body(outer);
        const [from, to, step = b.i32(1)] = inner[k].map((s) => this.as(s!, 'i32'));
        const attrs = lanes ? lanesOf(k, inner) : {};
        this.for(from, to, step, attrs, [], (iv) => nest(k + 1, [...outer, iv]), names[outer.length].hint);
      };
      nest(0, [...found, ...of]);
    };
    const parallel = { ...this.frame.hints, parallel: true };
    if (!last) return void this.for(b.i32(0), b.i32(combinations), b.i32(1), parallel, [], (iv) => combined(iv, []));
    /* Where an i32 does not count all, the combinations of known length follow one another. */
    const length = b.max(last, b.i32(0));
    const fits = b.cmp('le', length, b.i32(Math.floor(MOST_ITERATIONS / Math.max(1, combinations))));
    const group = b.select(fits, b.i32(Math.max(1, combinations)), b.i32(1));
    this.for(b.i32(0), b.i32(combinations), group, {}, [], (start) =>
      this.for(b.i32(0), b.mul(group, length), b.i32(1), parallel, [], (iv) =>
        combined(b.add(start, b.div(iv, length)), [b.rem(iv, length)]),
      ),
    );
  }

  /** The variables of ranges of known length in the combination of this number. */
  private combination(bounds: Ranges, lengths: readonly number[], number: Value): readonly Value[] {
    const { b } = this;
    let rest = number;
    const variables: Value[] = [];
    for (let k = lengths.length - 1; k >= 0; k--) {
      const offset = k === 0 ? rest : b.rem(rest, b.i32(lengths[k]));
      if (k > 0) rest = b.div(rest, b.i32(lengths[k]));
      const [from] = bounds[k];
      const start = from.is === 'literal' ? Number(from.value) : 0;
      variables.unshift(start === 0 ? offset : b.add(b.i32(start), offset));
    }
    return variables;
  }
}
