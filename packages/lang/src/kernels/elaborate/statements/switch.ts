import type { AnyNode, SwitchCase, SwitchStatement } from 'acorn';
import { leaves, type Block, type Local } from '../../code/code.js';
import { intervalOf } from '../../code/interval.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { equalTerms } from '../expressions/binary-operation.js';
import { apart, compute, originOf, type Context } from '../context/context.js';
import { Env } from '../context/env.js';
import { compared, value } from '../expressions/evaluate.js';
import { run } from '../context/run.js';
import { shortCircuit } from '../expressions/short-circuit.js';
import { isLiteral, isOfTexts, isScalar, type Term } from '../context/term.js';

/** `switch`: the cases are compared in order, and run from the one that is equal up to a `break`. What is known now is decided now. */
export const switchStatement = (cx: Context, s: SwitchStatement): void => {
  const on = compared(cx, s.discriminant);
  const label = { name: 'switched' };
  const loop = { break: label, continue: cx.exits.loop?.continue };
  const inner = apart({ ...cx, exits: { ...cx.exits, loop } });
  const body = cx.session.record(() => new Cases(inner, s).run(on));
  cx.session.emit(originOf(cx, s), { do: 'block', label, body });
};

/** A comparison that is made when the kernel runs, and the case at which it enters. */
interface Test {
  readonly node: AnyNode;
  readonly code: Block;
  readonly holds: Scalar;
  readonly enters: number;
}

class Cases {
  private readonly cases: readonly SwitchCase[];
  private readonly bodies = new Map<number, Block>();

  constructor(
    private readonly cx: Context,
    private readonly s: SwitchStatement,
  ) {
    this.cases = s.cases;
  }

  run(on: Term): void {
    const { tests, otherwise } = this.tests(on);
    const entries = [...new Set([...tests.map((t) => t.enters), otherwise])].sort((a, b) => a - b);
    const apart = entries.every((entry, k) => this.endOf(entry) <= (entries[k + 1] ?? Infinity));
    if (apart && isOrdered(tests, otherwise)) this.chain(tests, otherwise);
    else this.entered(tests, otherwise, entries);
  }

  /** The comparisons that are left to the kernel, and the case that is entered where none holds. */
  private tests(on: Term): { readonly tests: readonly Test[]; readonly otherwise: number } {
    const tests: Test[] = [];
    const left = possible(this.cx, on);
    for (const [k, { test }] of this.cases.entries()) {
      if (!test) continue;
      let holds: boolean | Scalar = false;
      const code = this.cx.session.record(() => {
        const term = value(this.cx, test);
        holds = equalTerms(this.cx, test, '===', [this.s.discriminant, on], [test, term]);
        if (isLiteral(term) || term.is === 'host') left?.delete(term.value);
      });
      holds = holds as boolean | Scalar;
      /* What is none of the cases before is this one. */
      if (holds === true || left?.size === 0) return { tests, otherwise: this.entry(k) };
      if (holds !== false) tests.push({ node: test, code, holds, enters: this.entry(k) });
    }
    const preset = this.cases.findIndex((c) => !c.test);
    return { tests, otherwise: preset < 0 ? this.cases.length : this.entry(preset) };
  }

  /** The first case from this one on that does something. */
  private entry(k: number): number {
    while (k < this.cases.length && this.cases[k].consequent.length === 0) k++;
    return k;
  }

  /** The code of a case, which has names of its own. */
  private body(k: number): Block {
    const known = this.bodies.get(k);
    if (known) return known;
    const { consequent } = this.cases[k];
    const inner = { ...this.cx, env: new Env(this.cx.env) };
    const made = this.cx.session.record(() => run(inner, consequent, consequent));
    this.bodies.set(k, made);
    return made;
  }

  /** Where what runs from a case on ends: behind the first case that leaves. */
  private endOf(entry: number): number {
    for (let k = entry; k < this.cases.length; k++) if (leaves(this.body(k))) return k + 1;
    return Math.max(entry, this.cases.length);
  }

  private from(entry: number): Block {
    return Array.from({ length: this.endOf(entry) - entry }, (_, k) => entry + k)
      .filter((k) => k < this.cases.length)
      .flatMap((k) => this.body(k));
  }

  /** `if … else if … else …`, where no case runs on into another that is entered. */
  private chain(tests: readonly Test[], otherwise: number): void {
    const { cx } = this;
    const at = originOf(cx, this.s);
    const last = tests.findLastIndex((t) => t.enters !== otherwise);
    const arms: Test[][] = [];
    for (const test of tests.slice(0, last + 1)) {
      const arm = arms.at(-1);
      if (arm?.[0].enters === test.enters) arm.push(test);
      else arms.push([test]);
    }
    const next = (k: number): Block => {
      if (k === arms.length) return this.from(otherwise);
      const [first, ...more] = arms[k];
      return cx.session.record(() => {
        cx.session.append(first.code);
        const condition = more.reduce<Scalar>(
          (any, test) =>
            shortCircuit(cx, test.node, any, false, () => {
              cx.session.append(test.code);
              return test.holds;
            }),
          first.holds,
        );
        cx.session.emit(at, { do: 'if', condition, then: this.from(first.enters), otherwise: next(k + 1) });
      });
    };
    cx.session.append(next(0));
  }

  /** Where cases run on into others: which is entered is a number, and from it on all run. */
  private entered(tests: readonly Test[], otherwise: number, entries: readonly number[]): void {
    const { cx } = this;
    const at = originOf(cx, this.s);
    const local: Local = cx.session.local('entry', { name: 'entry', type: 'i32' });
    const enter = (k: number): Block => [{ do: 'write', local, value: literal(k), at }];
    cx.session.emit(at, { do: 'declare', locals: [local] });
    const next = (k: number): Block =>
      k === tests.length
        ? enter(otherwise)
        : cx.session.record(() => {
            cx.session.append(tests[k].code);
            const [then, rest] = [enter(tests[k].enters), next(k + 1)];
            cx.session.emit(at, { do: 'if', condition: tests[k].holds, then, otherwise: rest });
          });
    cx.session.append(next(0));
    const last = entries[entries.length - 1];
    for (let k = entries[0]; k < last; k++) {
      const entry: Temp = { is: 'temp', type: 'i32' };
      cx.session.emit(at, { do: 'read', to: entry, local });
      const condition = compute(cx, this.s, 'le', entry, literal(k));
      cx.session.emit(at, { do: 'if', condition, then: this.body(k), otherwise: [] });
    }
    /* Who comes to where the last enter, runs what follows, whatever the number: a variable is given a value there on every way. */
    cx.session.append(this.from(last));
  }
}

/** All that the discriminant may be, where that is known: texts, or whole numbers that lie in a short interval. */
const possible = (cx: Context, on: Term): Set<unknown> | undefined => {
  if (cx.session.missing.has(on)) return undefined;
  if (on.is === 'one-of') return isOfTexts(on) ? new Set(on.values) : undefined;
  const within = isScalar(on) ? intervalOf(on) : undefined;
  if (!within || within[1] - within[0] >= MOST) return undefined;
  return new Set(Array.from({ length: within[1] - within[0] + 1 }, (_, k) => within[0] + k));
};

const MOST = 256;

/** Whether all comparisons that enter a case stand together, so that its code need not be there twice; those of `otherwise` last. */
const isOrdered = (tests: readonly Test[], otherwise: number): boolean => {
  const runs = tests.map((t) => t.enters).filter((enters, k, all) => enters !== all[k - 1]);
  const kept = runs.at(-1) === otherwise ? runs.slice(0, -1) : runs;
  return new Set(kept).size === kept.length && !kept.includes(otherwise);
};
