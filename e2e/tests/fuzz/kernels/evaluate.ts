import type { Expr, FieldCode, KernelCode, Outer, Statement, Truth, Vector } from './code.js';
import { binary, cast, compare, isFloat, unary, type Binary, type Scalar, type ScalarType } from './scalars.js';
import { addsCodes, rounded } from './rounded.js';
import { box, placesOf, TreeState } from './state.js';

/** What a launch leaves behind: a line for each element that is not as it was made, and what the kernel returns. */
export interface Outcome {
  readonly fields: ReadonlyMap<string, readonly ElementState[]>;
  readonly result?: Scalar;
  /** The most cells of a level of some layout that are active at once. */
  readonly cells: number;
  /** Whether some operation on floats was rounded. */
  readonly rounded: boolean;
  /** Whether what was added to an element was rounded: then the order of sums, which is not said, shows. */
  readonly sumsRounded: boolean;
}

export interface ElementState {
  readonly at: readonly number[];
  readonly value: Scalar;
  readonly active: boolean;
}

/** Runs a kernel by the rules of `docs/numbers.md`, one iteration after the other. */
export const evaluate = (k: KernelCode): Outcome => {
  const run = new Run(k);
  k.body.forEach((o) => run.outer(o));
  return {
    fields: new Map(
      k.trees.flatMap((t, n) =>
        t.fields.map((f) => [
          f.name,
          placesOf(t).map((at) => ({ at, value: run.states[n].read(f, at), active: run.states[n].isActive(at) })),
        ]),
      ),
    ),
    ...(k.result === undefined ? {} : { result: run.sums.get(k.result)! }),
    cells: Math.max(0, ...run.states.map((s) => s.most)),
    rounded: run.rounded,
    sumsRounded: run.sumsRounded,
  };
};

type Jump = 'break' | 'continue' | undefined;

class Run {
  readonly states: readonly TreeState[];
  readonly sums: Map<string, Scalar>;
  rounded = false;
  sumsRounded = false;
  private readonly fields = new Map<string, readonly [FieldCode, TreeState]>();
  private readonly locals = new Map<string, Scalar>();
  private readonly vectors = new Map<string, readonly Scalar[]>();
  private readonly vectorTypes = new Map<string, ScalarType>();
  private readonly lists = new Map<string, Scalar[]>();
  private readonly truths = new Map<string, boolean>();

  constructor(private readonly k: KernelCode) {
    this.states = k.trees.map((t) => new TreeState(t));
    k.trees.forEach((t, n) => t.fields.forEach((f) => this.fields.set(f.name, [f, this.states[n]])));
    this.sums = new Map(k.sums.map((s) => [s.name, cast(s.type, 0n)]));
    for (const p of k.params) this.locals.set(p.name, p.value);
  }

  outer(o: Outer): void {
    if (o.do === 'clear') return this.fields.get(o.field)![1].clear();
    const places = o.form === 'active' ? this.fields.get(o.field!)![1].active() : box(o.bounds);
    for (const at of places) {
      o.names.forEach((name, a) => this.locals.set(name, BigInt(at[a])));
      this.block(o.body);
    }
  }

  private block(body: readonly Statement[]): Jump {
    for (const s of body) {
      const jump = this.statement(s);
      if (jump) return jump;
    }
    return undefined;
  }

  private statement(s: Statement): Jump {
    switch (s.do) {
      case 'let':
        return void this.locals.set(s.name, this.expr(s.value));
      case 'set': {
        const value = this.expr(s.value);
        const before = this.locals.get(s.name)!;
        return void this.locals.set(s.name, s.op === '' ? value : this.binary(s.value.type, s.op, before, value));
      }
      case 'let-vector':
      case 'set-vector':
        this.vectorTypes.set(s.name, this.typeOf(s.value));
        return void this.vectors.set(s.name, this.vector(s.value));
      case 'let-truth':
        return void this.truths.set(s.name, this.truth(s.value));
      case 'set-truth': {
        const value = this.truth(s.value);
        const before = this.truths.get(s.name)!;
        const after = s.op === '' ? value : s.op === '&&' ? before && value : before || value;
        return void this.truths.set(s.name, after);
      }
      case 'let-list':
        return void this.lists.set(
          s.name,
          s.items.map((e) => this.expr(e)),
        );
      case 'set-item': {
        const at = Number(this.expr(s.at));
        this.lists.get(s.list)![at] = this.expr(s.value);
        return undefined;
      }
      case 'if':
        return this.block(this.truth(s.c) ? s.then : s.otherwise);
      case 'loop':
        return this.loop(s);
      case 'jump':
        return this.truth(s.c) ? s.to : undefined;
      case 'put':
      case 'atomic': {
        const [f, state] = this.fields.get(s.field)!;
        const at = this.place(s.at);
        const value = this.expr(s.value);
        const op = s.do === 'put' ? s.op : ATOMICS[s.kind];
        const before = state.read(f, at);
        if (addsCodes(f) && (op === '+' || op === '-'))
          state.add(f, at, op === '+' ? value : unary(f.type, '-', value));
        else state.write(f, at, op === '' ? value : this.update(f, op, before, value, s.shared === true));
        if (s.do === 'atomic' && s.into !== undefined) this.locals.set(s.into, before);
        return undefined;
      }
      case 'activate':
        return void this.fields.get(s.field)![1].activate(this.place(s.at));
      case 'deactivate':
        return void this.fields.get(s.field)![1].deactivate(this.place(s.at));
      case 'append': {
        const [f, state] = this.fields.get(s.field)!;
        const outer = this.place(s.at);
        const value = this.expr(s.value);
        return void state.write(f, [...outer, state.length(outer)], value);
      }
      case 'reduce': {
        const { type } = this.k.sums.find((x) => x.name === s.name)!;
        this.sums.set(s.name, this.binary(type, '+', this.sums.get(s.name)!, this.expr(s.value)));
        return undefined;
      }
    }
  }

  private update(f: FieldCode, op: Binary, before: Scalar, value: Scalar, shared: boolean): Scalar {
    const sofar = this.rounded;
    this.rounded = false;
    const result = this.binary(f.type, op, before, value);
    /* The order of sums in few bits shows where they do not fit, and that of one thread is that of the program. */
    if (!f.stored) this.sumsRounded ||= this.rounded;
    else if (shared && isFloat(f.type))
      this.sumsRounded ||=
        this.rounded || (op === '+' || op === '-' ? rounded(f, result) !== result : Number.isNaN(result));
    this.rounded ||= sofar;
    return result;
  }

  private loop({ form, name, times, body }: Statement & { do: 'loop' }): Jump {
    for (let x = 0; x < times; x++) {
      this.locals.set(name, BigInt(form === 'down' ? times - 1 - x : x));
      if (this.block(body) === 'break') break;
    }
    return undefined;
  }

  private place(at: readonly Expr[]): readonly number[] {
    return at.map((e) => Number(this.expr(e)));
  }

  private expr(e: Expr): Scalar {
    switch (e.is) {
      case 'literal':
        return e.value;
      case 'local':
        return this.locals.get(e.name)!;
      case 'read': {
        const [f, state] = this.fields.get(e.field)!;
        return state.read(f, this.place(e.at));
      }
      case 'table':
        return this.k.tables.find((t) => t.name === e.table)!.values[Number(this.expr(e.at))];
      case 'item':
        return this.lists.get(e.list)![Number(this.expr(e.at))];
      case 'component':
        return this.vector(e.of)[e.at];
      case 'dot': {
        const [a, b] = [this.vector(e.a), this.vector(e.b)];
        const products = a.map((x, k) => this.binary(e.type, '*', x, b[k]));
        return this.binary(e.type, '+', products[0], products[1]);
      }
      case 'binary': {
        const a = cast(e.type, this.expr(e.a));
        const shift = e.op === '<<' || e.op === '>>' || e.op === '>>>';
        return this.binary(e.type, e.op, a, shift ? this.expr(e.b) : cast(e.type, this.expr(e.b)));
      }
      case 'unary':
        return this.noted(e.type, unary(e.type, e.op, cast(e.type, this.expr(e.a))), e.op === 'sqrt');
      case 'select':
        return cast(e.type, this.truth(e.c) ? this.expr(e.a) : this.expr(e.b));
      case 'cast': {
        const x = this.expr(e.a);
        const to = cast(e.type, x);
        return this.noted(e.type, to, typeof x === 'bigint' && typeof to === 'number' && BigInt(to) !== x);
      }
      case 'truth':
        return cast(e.type, this.truth(e.a) ? 1n : 0n);
      case 'logic': {
        const a = this.expr(e.a);
        return isTrue(a) === (e.op === '&&') ? this.expr(e.b) : a;
      }
    }
  }

  private binary(type: ScalarType, op: Binary, a: Scalar, b: Scalar): Scalar {
    const result = binary(type, op, a, b);
    const exact =
      typeof result !== 'number' || (op !== '/' && op !== '%' && isExact(type, op, a as number, b as number));
    return this.noted(type, result, !exact);
  }

  private noted(type: ScalarType, x: Scalar, rounded: boolean): Scalar {
    /* Sums and products of small multiples of a power of two are exact in any order; zeros and others are not sure to be. */
    if (isFloat(type) && (rounded || !Number.isFinite(x) || Math.abs(x as number) > 2 ** 18 || Object.is(x, -0)))
      this.rounded = true;
    return x;
  }

  private truth(c: Truth): boolean {
    switch (c.is) {
      case 'compare':
        return compare(c.op, cast(c.on, this.expr(c.a)), cast(c.on, this.expr(c.b)));
      case 'both':
        return this.truth(c.a) && this.truth(c.b);
      case 'either':
        return this.truth(c.a) || this.truth(c.b);
      case 'not':
        return !this.truth(c.a);
      case 'known':
        return this.truths.get(c.name)!;
      case 'number':
        return isTrue(this.expr(c.a));
      case 'active':
        return this.fields.get(c.field)![1].isActive(this.place(c.at));
    }
  }

  private vector(v: Vector): readonly Scalar[] {
    const type = this.typeOf(v);
    switch (v.is) {
      case 'vec':
        return v.items.map((e) => this.expr(e));
      case 'local':
        return this.vectors.get(v.name)!;
      case 'scaled': {
        const by = this.expr(v.by);
        return this.vector(v.a).map((x) => this.binary(type, '*', x, by));
      }
      default: {
        const b = this.vector(v.b);
        return this.vector(v.a).map((x, n) => this.binary(type, v.is === 'add' ? '+' : '-', x, b[n]));
      }
    }
  }

  private typeOf(v: Vector): ScalarType {
    return v.is === 'vec' ? v.items[0].type : v.is === 'local' ? this.vectorTypes.get(v.name)! : this.typeOf(v.a);
  }
}

/* Neither 0 nor NaN. */
const isTrue = (x: Scalar): boolean => Boolean(x);

const ATOMICS = { Add: '+', Min: 'min', Max: 'max', And: '&', Or: '|', Xor: '^' } as const;

const isExact = (type: ScalarType, op: Binary, a: number, b: number): boolean => {
  const x = op === '+' ? a + b : op === '-' ? a - b : op === '*' ? a * b : a;
  const steps = 2 ** (type === 'f32' ? 5 : 16);
  return Number.isInteger(x * steps);
};
