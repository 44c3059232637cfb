import type { Op, Value } from '@filigree/ir';
import { type Expr, type Local, apply, i32 } from './expr.js';
import type { Cell, FunctionBuilder } from './function-builder.js';
import type { Held } from './held.js';
import type { ModuleContext } from './module-context.js';
import type { Multiple, Plan } from './plan.js';
import { toLanes } from './vector-form.js';

interface Bound {
  readonly form: Held['form'];
  readonly width: number;
  readonly places: readonly (Local | Cell | Expr)[];
}

/** Who writes what stands in a function: handed down, since ops with regions are written by way of the ops in them. */
export interface Writers {
  readonly op: (c: Context, op: Op) => void;
  /** The call of a parallel loop. */
  readonly fork: (c: Context, op: Op) => void;
}

/** What the writers of ops share while one function is written: its text, its plan, and where its values are. */
export class Context {
  private readonly bound = new Map<number, Bound>();
  private readonly multiples = new Map<string, readonly Local[]>();

  constructor(
    readonly b: FunctionBuilder,
    readonly plan: Plan,
    readonly module: ModuleContext,
    private readonly writers: Writers,
  ) {}

  /** Writes ops in order, without the terminator, which belongs to whoever owns the region. */
  write(ops: readonly Op[]): void {
    for (const op of ops) this.writers.op(this, op);
  }

  /** Writes the call of a parallel loop that stands in this function. */
  fork(op: Op): void {
    this.writers.fork(this, op);
  }

  /** Keeps the result of an op until it is used: in place if that is once and here, else in locals. */
  bind(v: Value, held: Held): void {
    const uses = this.plan.uses(v);
    const multiples = this.plan.multiples(v);
    if (uses.count === 0) {
      for (const e of held.exprs) this.b.release(e);
      return;
    }
    const places = held.exprs.map((e): Local | Cell | Expr => {
      if (isFixed(e)) return e;
      if (uses.count === 1 && uses.here && multiples.length === 0) return this.b.cell(e);
      if (e.type === 'v128') this.b.settleVectors();
      const local = this.b.local(e.type, uses.count, held.exprs.length === 1 ? v.hint : undefined);
      this.b.set(local, e);
      return local;
    });
    this.bound.set(v.id, { form: held.form, width: held.width, places });
    this.bindMultiples(v, multiples);
  }

  /** Binds a value to locals that are assigned elsewhere: parameters, induction variables, carried values, results. */
  bindLocals(v: Value, form: Held['form'], width: number, locals: readonly Local[]): void {
    this.bound.set(v.id, { form, width, places: locals });
    this.bindMultiples(v, this.plan.multiples(v));
  }

  /** A read of a value. Every use that the plan counted is read once. */
  use(v: Value): Held {
    const bound = this.bound.get(v.id);
    if (!bound) throw new Error(`value %${v.id} is used before it is defined`);
    const exprs = bound.places.map((p) => ('text' in p ? p : 'name' in p ? this.b.get(p) : this.b.take(p)));
    return { form: bound.form, width: bound.width, exprs };
  }

  /** `value · scale` as 32-bit integers, one for each lane that differs. */
  multiple(v: Value, scale: number): readonly Expr[] {
    const locals = this.multiples.get(`${v.id}:${scale}`);
    if (locals) return locals.map((l) => this.b.get(l));
    return this.integers(v).map((e) => times(e, scale));
  }

  private bindMultiples(v: Value, multiples: readonly Multiple[]): void {
    for (const { scale, count } of multiples) {
      const exprs = this.integers(v).map((e) => times(e, scale));
      const locals = exprs.map((e) => {
        const local = this.b.local('i32', count, v.hint === undefined ? undefined : `${v.hint}.x${scale}`);
        this.b.set(local, e);
        return local;
      });
      this.multiples.set(`${v.id}:${scale}`, locals);
    }
  }

  private integers(v: Value): readonly Expr[] {
    const held = this.use(v);
    const exprs = held.form === 'packed' ? toLanes(this.b, held, v.type) : held.exprs;
    return exprs.map((e) => (e.type === 'i64' ? apply('i32', 'i32.wrap_i64', e) : e));
  }
}

/** Constants are repeated wherever they are used. */
const isFixed = (e: Expr): boolean => e.size === 1 && e.locals.length === 0 && !e.loads;

const times = (e: Expr, scale: number): Expr => {
  if (typeof e.constant === 'number') return i32(Math.imul(e.constant, scale));
  if (scale === 1) return e;
  const shift = Math.log2(scale);
  return Number.isInteger(shift) ? apply('i32', 'i32.shl', e, i32(shift)) : apply('i32', 'i32.mul', e, i32(scale));
};
