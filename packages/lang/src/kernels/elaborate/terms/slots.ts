import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import type { Binding } from '../../../source/scope.js';
import { isBits, type Local } from '../../code/code.js';
import { shapeText, type Shape } from '../../vocabulary/algebra.js';
import { compute, originOf, refuse, type Context } from '../context/context.js';
import { hold, holdRead, holdWritten } from './holds.js';
import { hasItems, heldBy, keptBy, noteOrigin, partsOf, refuseHeld, refuseWritten, slotsOf } from './sharing.js';
import {
  absence,
  absent,
  eitherNothing,
  mayBe,
  missingOf,
  noteMissing,
  setAbsent,
  setOptional,
  setThere,
} from './missing.js';
import type { Absent, Missing } from '../context/absence.js';
import { Refused } from '../context/session.js';
import { writtenItems } from './written-items.js';
import {
  isLiteral,
  isScalar,
  isWholeData,
  termText,
  unshaped,
  type Alias,
  type List,
  type Members,
  type Owner,
  type Pending,
  type Shaped,
  type Slot,
  type Term,
  type Variable,
} from '../context/term.js';
import { literal, type Interval, type Scalar, type Temp } from '../../code/scalar.js';

/**
 * A variable without a value: it is declared here, and gets its shape from the first value assigned. One without a name of its own is assigned once on each
 * way, and may be undefined or null; of others `maybe` says so.
 */
export const pending = (
  cx: Context,
  node: AnyNode,
  name: string,
  unset = false,
  owner?: Owner,
  maybe = !unset && !owner,
): Pending => {
  const locals: Local[] = [];
  cx.session.emit(originOf(cx, node), { do: 'declare', locals });
  const missing = maybe ? unasked(locals) : undefined;
  const { parallel: loop, stretch } = cx;
  const site = `${cx.unit.name}:${node.start}-${node.end}:${name}`;
  return { is: 'pending', name, locals, loop, stretch, site, unset, slot: undefined, owner, missing };
};

/** What is known of a name that the source declares: since when it is there, and how deep parts of it are assigned to. */
export const ownerOf = (cx: Context, binding: Binding): Owner => ({
  since: cx.session.age(),
  writes: writtenItems(cx.unit).get(binding) ?? 0,
});

/** A variable that starts with a value. */
export const variable = (
  cx: Context,
  node: AnyNode,
  name: string,
  start: Term,
  owner?: Owner,
  optional?: Absent,
): Slot => {
  const maybe = !owner || optional !== undefined || absence(start) !== undefined || cx.session.missing.has(start);
  const made = pending(cx, node, name, false, owner, maybe);
  const slot: Pending = optional?.promised ? { ...made, missing: { ...made.missing!, promised: true } } : made;
  if (optional) setOptional(cx, node, slot.missing!, optional.of);
  assignSlot(cx, node, slot, start);
  return slot.slot ?? slot;
};

const unasked = (locals: Local[]): Missing => ({ local: undefined, of: 'undefined', asked: false, locals });

/**
 * What a variable begins with that was given nothing but that up to here. In a loop it may hold more, which the next attempt knows by what it is
 * given later.
 */
export const beginning = (cx: Context, node: AnyNode, slot: Slot): Term | undefined => {
  if (slot.is !== 'pending' || slot.slot || !slot.missing?.local) return undefined;
  const { missing } = slot;
  const isElsewhere = slot.stretch !== cx.stretch;
  if (missing.key !== undefined && isElsewhere) cx.session.guessed.add(missing.key);
  return missing.mixed || (isElsewhere && cx.session.known.mixed)
    ? eitherNothing(cx, node, missing)
    : absent(missing.of);
};

/** A value like this, of zeros. */
const zerosLike = (cx: Context, node: AnyNode, term: Term): Term => {
  const zero = (item: Slot): Slot => fixed(zerosLike(cx, node, readSlot(cx, node, item)));
  if (isScalar(term)) return literal(0);
  if (term.is === 'shaped') return { ...term, elements: term.elements.map(() => literal(0)) };
  if (term.is === 'one-of') return { ...term, index: literal(0) };
  if (term.is === 'list') return { ...term, items: term.items.map(zero) };
  if (term.is !== 'members') return term;
  return { ...term, members: new Map([...term.members].map(([name, item]) => [name, zero(item)])) };
};

/** The current value of what a name is bound to; `within` is what it is known to lie in, `maybe` says that whoever reads it asks whether it is there. */
export const readSlot = (cx: Context, node: AnyNode, slot: Slot, within?: Interval, maybe = false): Term => {
  if (slot.is === 'constant' || slot.is === 'alias') return slot.term;
  const begins = beginning(cx, node, slot);
  if (begins) return begins;
  if (slot.is === 'pending')
    return slot.slot
      ? readSlot(cx, node, slot.slot, within, maybe)
      : refuse(cx, node, 'lang/unassigned', `\`${slot.name}\` has no value yet`, 'give it one where it is declared');
  if (slot.is === 'picked') return rare().readPicked(cx, node, slot, maybe);
  if (slot.is === 'chosen') return rare().readChosen(cx, node, slot);
  const at = originOf(cx, node);
  const use = maybe ? { isValue: false } : undefined;
  const elements = slot.locals.map((local): Temp => {
    if (isOuter(cx, slot)) cx.parallel?.reads.set(local, at);
    const to: Temp = { is: 'temp', ...(within ? { within } : {}) };
    cx.session.emit(at, { do: 'read', to, local, ...(use && { maybe: use }) });
    return to;
  });
  const term = unshaped(slot.shape, elements);
  holdRead(cx, slot, term);
  if (maybe || !slot.missing?.compared) noteMissing(cx, node, slot.missing, term, use);
  return term;
};

/** Gives a variable a value; of arrays and objects each item, and of a few numbers of the surroundings each. */
export const assignSlot = (cx: Context, node: AnyNode, slot: Slot, given: Term): void => {
  const term = held(cx, node, slot, given);
  const missing = missingOf(cx, slot);
  const nothing = missing && absence(term);
  const may = missing ? undefined : mayBe(cx, term);
  if (may) cx.session.givenNothing(slot, may);
  if (missing?.key !== undefined && !nothing) cx.session.found.set(missing.key, zerosLike(cx, node, term));
  if (slot.is === 'pending' && !nothing) {
    if (!slot.slot) {
      slot.slot = madeLike(cx, node, slot, term);
      if (slot.slot.is === 'constant' && !hasItems(term)) return setThere(cx, node, missing, term);
    }
    return assignSlot(cx, node, slot.slot, term);
  }
  if (slot.is === 'picked') return rare().givePicked(cx, node, slot, term);
  if (slot.is === 'constant' && !nothing) {
    assignItems(cx, node, slot.term, term);
    return setThere(cx, node, missing, term);
  }
  if (slot.is === 'alias') return rename(cx, node, slot, term);
  if (slot.is !== 'constant' && slot.is !== 'chosen' && isOuter(cx, slot))
    refuse(
      cx,
      node,
      'lang/parallel-write',
      `\`${slot.name}\` lives outside of the parallel loop, whose iterations all write it`,
      'accumulate with += or -=, of conditions with ||= and &&=; or declare it inside of the loop; or use serially(…)',
    );
  if (missing && nothing) return setAbsent(cx, node, missing, nothing);
  if (slot.is !== 'variable') return;
  const at = originOf(cx, node);
  const wanted = elementsFor(cx, node, slot, term);
  /* A typed array rounds floats, and takes the last bits of what is stored as an integer. */
  const { type } = slot;
  const rounded = (x: Scalar): Scalar => (type && isBits(type) ? compute(cx, node, 'bitor', x, literal(0)) : x);
  const elements = type ? wanted.map((x) => cx.session.cast(at, rounded(x), type)) : wanted;
  holdWritten(cx, slot, term);
  slot.locals.forEach((local, k) => cx.session.emit(at, { do: 'write', local, value: elements[k] }));
  setThere(cx, node, missing, term);
};

/** What a variable is given, as it holds it: a few numbers of the surroundings each, and an object beside such as the kernel makes by its members. */
const held = (cx: Context, node: AnyNode, slot: Slot, given: Term): Term => {
  if (given.is === 'table') return rare().rowOf(cx, node, given);
  if (given.is !== 'host' && given.is !== 'one-of') return given;
  const at = slot.is === 'pending' && slot.slot ? slot.slot : slot;
  const isOpen =
    at.is === 'pending' ? cx.session.known.opened.has(at.site) : at.is === 'constant' && at.term.is === 'members';
  return isOpen ? rare().openedObject(cx, node, given) : given;
};

/** From here on the name stands for another field or array. */
const rename = (cx: Context, node: AnyNode, slot: Alias, term: Term): void => {
  if (slot.key !== undefined) {
    const isKnown = isLiteral(term) && Number.isInteger(term.value) && slot.stretch === cx.stretch;
    if (isKnown) return void (slot.term = term);
    cx.session.stepsNot(slot.key);
    throw new Refused();
  }
  if (!isWholeData(term))
    return refuse(
      cx,
      node,
      'lang/shape',
      `\`${slot.name}\` stands for ${termText(slot.term)}, here it is given ${termText(term)}`,
      'give it a field or an array as a whole, or use another name',
    );
  if (slot.stretch !== cx.stretch)
    refuse(
      cx,
      node,
      'lang/renamed-field',
      `which field or array \`${slot.name}\` stands for would be known only when the kernel runs`,
      'swap names outside of branches, loops and calls that run, or in unrolled(…); between launches use two kernels, of [a, b] and of [b, a]',
    );
  slot.term = term;
};

/** Whether a variable is shared by the iterations of the parallel loop around. */
export const isOuter = (cx: Context, slot: Variable | Pending): boolean =>
  cx.parallel !== undefined && slot.loop !== cx.parallel;

/** The elements of a value that a variable is given; shapes must agree. */
export const elementsFor = (cx: Context, node: AnyNode, slot: Variable, term: Term): readonly Scalar[] => {
  const [shape, elements] = isScalar(term)
    ? [[], [term]]
    : term.is === 'shaped'
      ? [term.shape, term.elements]
      : refuse(
          cx,
          node,
          'lang/shape',
          `\`${slot.name}\` cannot hold ${termText(term)}`,
          'variables hold numbers, vectors and matrices',
        );
  if (!sameShape(shape, slot.shape))
    refuse(
      cx,
      node,
      'lang/shape',
      `\`${slot.name}\` is a ${shapeText(slot.shape)}, here it is given a ${shapeText(shape)}`,
      'use two variables',
    );
  return elements;
};

/** A place for values like this one. The components of a vector share one type. */
export const madeLike = (cx: Context, node: AnyNode, slot: Pending, term: Term): Slot => {
  /* A part that is nothing as yet. */
  if (slot.missing && absence(term)) return slot;
  if (isNumeric(term)) {
    const { type } = slot;
    const cell = { name: slot.name, ...(type ? { type } : !slot.owner && { unnamed: true as const }) };
    const shape = isScalar(term) ? [] : term.shape;
    const locals = Array.from({ length: isScalar(term) ? 1 : term.elements.length }, () =>
      cx.session.local(slot.name, cell, slot.unset),
    );
    slot.locals.push(...locals);
    const { loop, owner, missing } = slot;
    return { is: 'variable', name: slot.name, shape, locals, type, loop, owner, missing };
  }
  if (term.is === 'host' || term.is === 'one-of' || (term.is === 'element' && term.index.length > 0))
    return rare().pickedLike(cx, slot, term);
  const owner = slot.owner && { ...slot.owner, writes: slot.owner.writes - 1 };
  const type = term.is === 'list' ? term.element : undefined;
  const inner = (item: Slot, name: string): Slot => {
    const own: Pending = { ...slot, name, site: `${slot.site}>${name}`, slot: undefined, owner, type };
    const begin = held(cx, node, own, readSlot(cx, node, item));
    const missing = slot.missing || absence(begin) ? unasked(slot.locals) : undefined;
    return madeLike(cx, node, { ...own, missing }, begin);
  };
  const made: Term =
    term.is === 'list'
      ? { ...term, items: term.items.map((item, k) => inner(item, `${slot.name}[${k}]`)) }
      : term.is === 'members'
        ? ownClosures(term, {
            ...term,
            members: new Map([...term.members].map(([name, item]) => [name, inner(item, memberName(slot.name, name))])),
          })
        : slot.missing && ['closure', 'table', 'mixed'].includes(term.is)
          ? { ...term }
          : term;
  if (slot.missing && !slot.missing.compared && made !== term) cx.session.missing.set(made, slot.missing);
  noteCopy(cx, term, made);
  keptBy(cx, made);
  const own = cx.session.made.get(term);
  if (own) cx.session.made.set(made, { ...own, written: true });
  return fixed(made);
};

/** An object made from another, whose arrow functions mean the new one by `this` where they meant the other. */
const ownClosures = (from: Members, made: Members): Members => {
  const members = made.members as Map<string, Slot>;
  for (const [name, slot] of members)
    if (slot.is === 'constant' && slot.term.is === 'closure' && slot.term.self === from)
      members.set(name, fixed({ ...slot.term, self: made }));
  return made;
};

/** A member as the program names it. */
const memberName = (of: string, name: string): string =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`;

const fixed = (term: Term): Slot => ({ is: 'constant', term, what: 'constant' });

/** A number, truth value, vector or matrix. */
export const isNumeric = (term: Term): term is Scalar | Shaped => isScalar(term) || term.is === 'shaped';

/**
 * An array or object that already has a name gets no second one: the variable holds a copy, where JavaScript would hold
 * the original. That makes no difference as long as neither is written, which is recorded here. A copy of a copy is one too: of what is found or chosen.
 */
const noteCopy = (cx: Context, from: Term, made: Term): void => {
  const { copies, copied, named, snapshots } = cx.session;
  if (!hasItems(from) || from === made) return;
  if (copies.has(from)) copies.add(made);
  if (named.has(from)) {
    copies.add(made);
    copied.add(from);
  }
  if (snapshots.has(from) || (named.has(from) && hasVariables(from))) noteOrigin(cx, made, from);
};

/** Refuses to keep a copy of an array that changes, or a second name for a variable that is assigned other arrays. */
export const refuseSecondName = (cx: Context, node: AnyNode, from: Term, to: Slot): void => {
  const held = heldBy(to);
  if (!held || !(hasSnapshots(cx, held) || cx.session.rebound.has(from))) return;
  cx.session.changesCopied();
  refuse(cx, node, 'lang/array-alias', 'an array that changes would get a second name', 'make a copy: [...a]');
};

const hasSnapshots = (cx: Context, term: Term): boolean =>
  cx.session.snapshots.has(term) || partsOf(term).some((part) => hasSnapshots(cx, part));

/** Records that a variable holds an array or object and will be assigned another. */
export const setRebound = (cx: Context, slot: Slot): void => {
  const held = heldBy(slot);
  if (!held) return;
  setNamed(cx, held);
  cx.session.rebound.add(held);
};

/** Whether parts of an array or object change. */
export const hasVariables = (term: Term): boolean => {
  /* What functions return and choices give stays as it is. */
  const changes = (slot: Slot): boolean => !('owner' in slot) || slot.owner !== undefined;
  return (
    partsOf(term).some(hasVariables) ||
    slotsOf(term).some((slot) => slot.is !== 'constant' && !heldBy(slot) && changes(slot))
  );
};

/** Notes that an array or object, and those in it, have a name, as has a vector. */
export const setNamed = (cx: Context, term: Term): void => {
  hold(cx, term);
  if (!hasItems(term)) return;
  cx.session.named.add(term);
  for (const slot of slotsOf(term)) if (slot.is === 'constant') hold(cx, slot.term);
  for (const part of partsOf(term)) setNamed(cx, part);
};

/** Arrays and objects are assigned item by item. */
const assignItems = (cx: Context, node: AnyNode, to: Term, from: Term): void => {
  if (to !== from) {
    /* Fields and array arguments are other names of nothing: which one is meant is what has to be known. */
    if (!isWholeData(to)) refuseHeld(cx, node, to);
    if (cx.session.named.has(from) || cx.session.copies.has(from)) refuseWritten(cx, node, to);
  }
  noteCopy(cx, from, to);
  if (slotsOf(to).some((slot) => slot.is === 'constant' && isNumeric(slot.term))) cx.session.assignedElsewhere(to);
  if (to.is === 'list' && from.is === 'list' && to.element !== from.element)
    refuse(
      cx,
      node,
      'lang/shape',
      `this is ${termText(from)} of ${elementText(from)}, elsewhere it is one of ${elementText(to)}, and which it is, which rounds what it takes, must be known when the kernel is compiled`,
      'make all of one type, new Float64Array([1, 2]), or use two variables',
    );
  if (to.is === 'list' && from.is === 'list' && to.items.length === from.items.length) {
    const values = from.items.map((item) => readSlot(cx, node, item));
    return to.items.forEach((item, k) => assignSlot(cx, node, item, values[k]));
  }
  if (
    to.is === 'members' &&
    from.is === 'members' &&
    to.of === from.of &&
    [...to.members.keys()].every((name) => from.members.has(name))
  ) {
    for (const name of from.members.keys())
      if (!to.members.has(name)) cx.session.left.push({ name, of: to, at: originOf(cx, node) });
    const values = [...to.members].map(([name, item]) => [item, readSlot(cx, node, from.members.get(name)!)] as const);
    return values.forEach(([item, value]) => assignSlot(cx, node, item, value));
  }
  if (
    to === from ||
    (to.is === 'host' && from.is === 'host' && to.value === from.value) ||
    (to.is === 'nothing' && from.is === 'nothing') ||
    /* The same function, but for what it means by `this`. */
    (to.is === 'closure' && from.is === 'closure' && to.node === from.node && to.env === from.env) ||
    (to.is === 'host' && rare().givenOther(cx, node, to, from))
  )
    return;
  refuse(
    cx,
    node,
    'lang/shape',
    `this is ${membersText(from)}, elsewhere it is ${membersText(to)}`,
    to.is === 'members' && from.is === 'members'
      ? 'give both the same members, undefined where one has none, { a: 1, b: undefined }; or make both of one class'
      : to.is === from.is && (isWholeData(to) || to.is === 'closure' || to.is === 'host')
        ? 'which one it is must be known when the kernel is compiled: make the choice where it is used, c ? f(x) : g(x), c ? u[i] : v[i], if (c) u[i] = x; else v[i] = x, and let a loop that counts it be unrolled(…)'
        : 'what is chosen when the kernel runs must be numbers, or vectors of one size',
  );
};

/** A term for people; of an object what it has, which tells it from another. */
const membersText = (t: Term): string =>
  t.is === 'members' && !t.of ? `an object of ${[...t.members.keys()].join(', ')}` : termText(t);

const elementText = ({ element }: List): string => (element ? `type ${element}` : 'any numbers');

export const sameShape = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((n, k) => n === b[k]);
