import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { Local, Use } from '../../code/code.js';
import type { Absence, Absent, Flag, Missing } from '../context/absence.js';
import { literal, type Scalar, type Temp } from '../../code/scalar.js';
import { compute, isPromised, originOf, takenAsThere, type Context } from '../context/context.js';
import { nothing, type Slot, type Term } from '../context/term.js';

/*
 * What may be undefined or null when the kernel runs: the result of a function that returns nothing on some ways, one arm of a choice, a
 * variable that begins as null. It is a value like any other, and beside it a truth value says whether it is missing; `??`, `?.`,
 * comparisons with undefined and null, and conditions ask that. What was never asked is no number and has no members; behind that the value is taken to
 * be there, as TypeScript makes sure.
 */

/** What stands for nothing. */
export const absent = (of: Absence): Term => (of === 'null' ? { is: 'host', name: 'null', value: null } : nothing);

/** Which nothing a term is, if it is. */
export const absence = (term: Term): Absence | undefined =>
  term.is === 'nothing' ? 'undefined' : term.is === 'host' && term.value === null ? 'null' : undefined;

/** What says of a variable whether it is missing; nothing of one that always has a value. */
export const missingOf = (cx: Context, slot: Slot): Missing | undefined => {
  if (slot.is === 'pending' || slot.is === 'variable') return slot.missing;
  if (slot.is === 'picked') return slot.at.missing;
  const known = slot.is === 'constant' ? cx.session.missing.get(slot.term) : undefined;
  return known && 'locals' in known ? known : undefined;
};

/** Which nothing a value is, or may be when the kernel runs. */
export const mayBe = (cx: Context, term: Term): Absent | undefined => {
  const known = cx.session.missing.get(term);
  const missing = known && ('from' in known ? known.from : known);
  const nothing = absence(term);
  if (nothing) return { of: nothing, promised: false };
  return known && missing?.local ? { of: known.of, promised: isPromised(missing) } : undefined;
};

/** Begins a variable with a value that is there, and may be nothing later. */
export const setOptional = (cx: Context, node: AnyNode, missing: Missing, of: Absence): void =>
  setFlag(cx, node, missing, of, literal(false));

/** Gives a variable nothing. */
export const setAbsent = (cx: Context, node: AnyNode, missing: Missing, of: Absence): void => {
  missing.givenPromised = false;
  setFlag(cx, node, missing, of, literal(true));
};

/** A variable is given a value, which may be missing itself. */
export const setThere = (cx: Context, node: AnyNode, missing: Missing | undefined, term: Term): void => {
  if (!missing) return void takenAsThere(cx, node, term);
  const flag = flagOf(cx, node, term);
  if (flag) {
    setFlag(cx, node, missing, flag.of, flag.is, flag.isNull);
    missing.asked ||= flag.from.asked;
    missing.givenPromised = isPromised(flag.from) && missing.givenPromised !== false;
  } else if (missing.local) setFlag(cx, node, missing, missing.of, literal(false));
};

const setFlag = (
  cx: Context,
  node: AnyNode,
  missing: Missing,
  of: Absence,
  value: Scalar,
  isNull: Scalar = literal(of === 'null'),
): void => {
  const { session } = cx;
  if (missing.local && missing.of !== of) {
    missing.mixed = true;
    if (!missing.isNull) session.isMixed = true;
  }
  if (!missing.local) {
    missing.of = of;
    missing.local = ownFlag(cx, missing);
    if (session.known.mixed) missing.isNull = ownFlag(cx, missing);
  }
  session.emit(originOf(cx, node), { do: 'write', local: missing.local, value });
  if (missing.isNull) session.emit(originOf(cx, node), { do: 'write', local: missing.isNull, value: isNull });
};

const ownFlag = (cx: Context, missing: Missing): Local => {
  const local = cx.session.local('missing', { name: 'missing', type: 'i1', unnamed: true });
  missing.locals.push(local);
  return local;
};

/** What was read of a variable is missing where that is now. */
export const noteMissing = (cx: Context, node: AnyNode, missing: Missing | undefined, term: Term, use?: Use): void => {
  if (missing?.local && term.is !== 'literal')
    cx.session.missing.set(term, { ...flagNow(cx, node, missing, missing.local), use });
};

/** Who does not ask takes this to be there. */
export const promised = (cx: Context, term: Term): Term => {
  const { missing } = cx.session;
  const known = missing.get(term);
  if (known && 'is' in known && !known.use)
    missing.set(term, { ...known, from: { ...known.from, promised: true as const } });
  else if (known && !('is' in known)) missing.set(term, { ...known, promised: true as const });
  return term;
};

/** What is undefined or null, which of the two is known when the kernel runs: a number that is never there. */
export const eitherNothing = (cx: Context, node: AnyNode, missing: Missing): Term => {
  const term: Term = { ...literal(0) };
  cx.session.missing.set(term, { ...flagNow(cx, node, missing, missing.local!), is: literal(true) });
  return term;
};

/** Whether a value is nothing on every way. */
export const isNeverThere = (cx: Context, term: Term): boolean => {
  const known = cx.session.missing.get(term);
  const flag = known && 'is' in known ? known.is : undefined;
  return absence(term) !== undefined || (flag?.is === 'literal' && flag.value === true);
};

const flagNow = (cx: Context, node: AnyNode, from: Missing, local: Local): Flag => ({
  of: from.of,
  is: read(cx, node, local),
  isNull: from.isNull && read(cx, node, from.isNull),
  from,
});

/** Asks whether a value is missing; nothing where it is always there. */
export const isMissing = (cx: Context, node: AnyNode, term: Term): Flag | undefined => {
  const flag = flagOf(cx, node, term);
  if (flag) flag.from.asked = true;
  return flag;
};

/** The same for who treats it as any other value where it is there, and refuses it later where nobody asked. */
export const flagOf = (cx: Context, node: AnyNode, term: Term): Flag | undefined => {
  const known = cx.session.missing.get(term);
  if (!known && term.is === 'element') return rare().flagOfRow(cx, node, term);
  if (!known || 'is' in known) return known;
  return known.local && flagNow(cx, node, known, known.local);
};

/** A part of what may be missing, as `?.` gives it: undefined where that is. */
export const partOf = (cx: Context, node: AnyNode, whole: Term, part: Term): Term => {
  const flag = flagOf(cx, node, whole);
  if (!flag || absence(part)) return part;
  const inner = flagOf(cx, node, part);
  const own = part.is === 'literal' ? { ...part } : part;
  const mayBeNull = inner && (inner.isNull ?? (inner.of === 'null' ? inner.is : undefined));
  cx.session.missing.set(own, {
    of: 'undefined',
    is: inner ? compute(cx, node, 'or', flag.is, inner.is) : flag.is,
    isNull: mayBeNull
      ? compute(cx, node, 'and', compute(cx, node, 'not', flag.is), mayBeNull)
      : (flag.isNull ?? inner?.isNull) && literal(false),
    from: { ...flag.from, asked: false },
  });
  return own;
};

/**
 * Runs what takes a value that is there.
 *
 * @param run is given what runs again what knows that the value may be missing
 */
export const withoutFlag = <T>(cx: Context, term: Term, run: (mayBeMissing: (inside: () => Term) => Term) => T): T => {
  const { missing } = cx.session;
  const known = missing.get(term);
  missing.delete(term);
  const made = run((inside) => {
    if (known) missing.set(term, known);
    const found = inside();
    missing.delete(term);
    return found;
  });
  if (known) missing.set(term, known);
  return made;
};

const read = (cx: Context, node: AnyNode, local: Local): Temp => {
  const to: Temp = { is: 'temp', type: 'i1' };
  cx.session.emit(originOf(cx, node), { do: 'read', to, local });
  return to;
};

/** Whether an object is known to have no such member. */
export const lacks = (cx: Context, of: Term, name: string): boolean => {
  if (of.is === 'members') {
    const none = !of.members.has(name) && !(of.of && rare().hasMethod(of.of, name));
    if (none) cx.session.lacking.add(name);
    return none;
  }
  const values = of.is === 'host' ? [of.value] : of.is === 'one-of' ? of.values : [];
  return values.length > 0 && values.every((x) => typeof x === 'object' && x !== null && !(name in x));
};
