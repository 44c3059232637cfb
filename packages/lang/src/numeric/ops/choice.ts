import { DiagnosticError } from '@filigree/ir';
import { failAt, placed, type Site } from '../../source/place.js';
import { describe } from './describe.js';
import { isOwn } from './own-method.js';
import { parted } from './parted.js';
import { answer, type Question } from './questions.js';
import type { Symbols, Value } from './symbols.js';

type Thunk = () => Value;

/** What to write where a choice is not between numbers. */
const insteadOf = (x: unknown): string | undefined =>
  typeof x === 'function'
    ? 'call both functions, and choose between their results'
    : Array.isArray(x)
      ? 'choose between the elements, as in a.map((v, i) => (c ? v : b[i]))'
      : typeof x === 'object' && x !== null
        ? 'choose between what the objects hold, as in { x: c ? a.x : b.x }'
        : undefined;

/** Nested symbolic ternaries deeper than this are taken for a recursion that never ends. */
const MAX_ARMS = 1000;

/** What decides which code runs: branches, which must be known, and choices, of which both arms are evaluated. */
export const bindChoice = ({
  ops,
  source,
  isSymbolic,
  isPredicate,
  truthOf,
  at,
  requireNumber,
  nonNumeric,
}: Symbols) => {
  const branch = (what: string, site: Site): never =>
    failAt(
      source,
      site,
      'lang/symbolic-branch',
      `${what} depends on a symbolic value`,
      'one trace takes one path: use a ternary or symbolicMath.select(condition, a, b), which evaluate both sides',
    );
  /** The condition of `if`, `while`, `for`, `do`. */
  const truth = (c: unknown, site: Site): boolean => {
    if (typeof c === 'boolean') return c;
    if (isSymbolic(c)) branch('a branch', site);
    requireNumber(c, site);
    return Boolean(c);
  };
  /** A value that decides what happens next in some other way: `switch`, `Number.isSafeInteger`, an array's length. */
  const known = (x: unknown, what: string, site: Site): Value => {
    if (isSymbolic(x)) branch(what, site);
    requireNumber(x, site);
    return x;
  };
  /** `isNaN(x)` and the like, a condition where x is symbolic. */
  const asked = (plain: (x: never) => boolean, name: Question, x: Value, site: Site): Value =>
    isSymbolic(x) ? at(site, () => answer(ops, name, x)) : plain(x as never);
  /** The callback of `filter`, `find`, `some`, …, whose answer decides where the method is JavaScript's. */
  const callback = (f: unknown, what: string, site: Site, method?: unknown): unknown =>
    typeof f !== 'function' || isOwn(method)
      ? f
      : function (this: unknown, ...args: unknown[]): unknown {
          return known(Reflect.apply(f as (...a: unknown[]) => unknown, this, args), what, site);
        };

  let arms = 0;
  /** Evaluates the arms of a choice that is made when the code runs for real. */
  const inArms = <T>(effect: Site, site: Site, f: () => T): T => {
    if (effect) {
      failAt(
        source,
        effect,
        'lang/symbolic-effect',
        'an assignment stands where a symbolic condition decides whether it happens',
        'both sides are evaluated: compute values in the arms, and assign the result of the whole expression',
      );
    }
    if (arms >= MAX_ARMS) {
      failAt(
        source,
        site,
        'lang/symbolic-recursion',
        `symbolic conditions nest ${MAX_ARMS} deep: a recursion that ends on a symbolic value never ends`,
        'end the recursion on a plain number, such as a fixed count of steps',
      );
    }
    arms++;
    try {
      return f();
    } catch (e) {
      throw placed(source, site, e);
    } finally {
      arms--;
    }
  };
  /** Arrays and objects that nobody has but the choice, of which an arm made them. */
  const own = new WeakSet<object>();
  const made = <T extends object>(x: T): T => {
    if (arms > 0) own.add(x);
    return x;
  };
  const selectOf = (condition: Value, a: Value, b: Value, site: Site): Value => {
    if (Object.is(a, b) && !isSymbolic(a)) return a;
    const whole = parted(a, b, own, (x, y) => selectOf(condition, x, y, site));
    if (whole !== undefined) return made(whole);
    for (const x of [a, b]) {
      if (typeof x === 'number' || typeof x === 'boolean' || isSymbolic(x)) continue;
      const instead = insteadOf(x);
      if (instead === undefined) nonNumeric('a choice by a symbolic condition', x, site);
      else
        failAt(
          source,
          site,
          'lang/non-numeric',
          `a choice by a symbolic condition gives ${describe(x)}`,
          `which one it is is not known while tracing: ${instead}`,
        );
    }
    return ops.select(condition, a, b);
  };
  const symbolicCond = (c: Value, a: Thunk, b: Thunk, site: Site, effect: Site): Value =>
    isSymbolic(c) ? inArms(effect, site, () => selectOf(truthOf(c), a(), b(), site)) : truth(c, site) ? a() : b();
  /** `c ? a : b`: one arm for a plain condition, both for a symbolic one. */
  const cond = (c: Value, a: Thunk, b: Thunk, site: Site, effect: Site = 0): Value =>
    typeof c === 'boolean' ? (c ? a() : b()) : symbolicCond(c, a, b, site, effect);
  /** `a && b`: short-circuits on a plain left side; with a symbolic one both are evaluated. */
  const and = (a: Value, b: Thunk, site: Site, effect: Site = 0): Value =>
    !isSymbolic(a)
      ? truth(a, site)
        ? b()
        : a
      : inArms(effect, site, () => {
          const right = b();
          return isPredicate(a) && (typeof right === 'boolean' || isPredicate(right))
            ? ops.and(a, right)
            : selectOf(truthOf(a), right, a, site);
        });
  const or = (a: Value, b: Thunk, site: Site, effect: Site = 0): Value =>
    !isSymbolic(a)
      ? truth(a, site)
        ? a
        : b()
      : inArms(effect, site, () => {
          const right = b();
          return isPredicate(a) && (typeof right === 'boolean' || isPredicate(right))
            ? ops.or(a, right)
            : selectOf(truthOf(a), a, right, site);
        });

  /** First statement of a rewritten `catch`: a diagnostic is not an error of the program, so the program must not catch it. */
  const rethrow = (e: unknown): void => {
    if (e instanceof DiagnosticError) throw e;
  };

  return { truth, known, asked, callback, cond, made, and, or, rethrow };
};
