import { fail, isFloat, type Builder, type Op } from '@filigree/ir';
import {
  copyOp,
  isOwnMemory,
  loseResults,
  lostTangent,
  setTangent,
  tangentOf,
  tangentOrZero,
  valueOf,
  type Around,
  type Forward,
} from './forward.js';
import type { Twin } from './twins.js';

/** Ops on elements that have tangents: what is done to an element is done to its tangent. */
export const forwardElement = (f: Forward, b: Builder, op: Op, twins: readonly Twin[], around: Around): void => {
  if (around.settles && !isOwnMemory(f, op)) return settle(f, b, op, twins, around);
  const [result] = op.results;
  const [{ value, name, attrs, index }] = twins;
  const at = index.map((v) => valueOf(f, v));
  const { kind } = op.attrs;
  if (!value) {
    copyOp(f, b, op);
    return setTangent(f, result, b.value(name, at, attrs));
  }
  if (name.endsWith('.store')) {
    copyOp(f, b, op);
    for (const twin of twins)
      if (isFloat(twin.value!.type)) b.op(twin.name, [tangentOrZero(f, b, twin.value!), ...at], twin.attrs);
    return;
  }
  const alone = !around.parallel || around.owns(op);
  const dialect = name.split('.')[0];
  if (kind === 'add') {
    const tangent = tangentOf(f, value);
    const before = tangent
      ? b.value(name, [tangent, ...at], attrs)
      : b.value(`${dialect}.load`, at, withoutKind(attrs));
    copyOp(f, b, op);
    return setTangent(f, result, alone ? before : lostTangent(b, result));
  }
  const isExtremum = kind === 'min' || kind === 'max';
  if (isExtremum && !alone && !isOwnMemory(f, op)) {
    /* Which value it is in the end is known when the loop has ended. */
    if (f.isRounded(op))
      fail('tangent/extremum', `a loop finds extrema in ${twins[0].place}, which is stored in a format`, {
        loc: op.loc,
        remedy: 'find them in a field that is stored as it computes, and set this one from it in a loop of its own',
      });
    around.extrema.add(op);
    copyOp(f, b, op);
    return setTangent(f, result, lostTangent(b, result));
  }
  if (isExtremum && alone) {
    const before = b.value(`${dialect}.load`, at, withoutKind(attrs));
    const [old] = copyOp(f, b, op);
    const takes = b.cmp(kind === 'min' ? 'le' : 'ge', valueOf(f, value), old);
    b.op(`${dialect}.store`, [b.select(takes, tangentOrZero(f, b, value), before), ...at], withoutKind(attrs));
    return setTangent(f, result, before);
  }
  if (kind === 'exchange' && alone) {
    copyOp(f, b, op);
    return setTangent(f, result, b.value(name, [tangentOrZero(f, b, value), ...at], attrs));
  }
  fail('tangent/no-rule', `an atomic update by '${String(kind)}' of what other iterations update has no derivative`, {
    loc: op.loc,
    remedy: 'accumulate sums',
  });
};

/** In a second run: the tangent of an extremum is that of the value which it has been found to be. */
const settle = (
  f: Forward,
  b: Builder,
  op: Op,
  [{ value, name, attrs, index }]: readonly Twin[],
  { extrema }: Around,
): void => {
  if (!value) {
    copyOp(f, b, op);
    return setTangent(f, op.results[0], b.value(name, index.map((v) => valueOf(f, v)), attrs)); // prettier-ignore
  }
  if (extrema.has(op)) {
    const dialect = name.split('.')[0];
    const at = index.map((v) => valueOf(f, v));
    const found = b.value(`${dialect}.load`, at, withoutKind(op.attrs));
    const isIt = f.found.is(b, value, found, (v) => valueOf(f, v));
    b.if(isIt, () => void b.op(`${dialect}.store`, [tangentOrZero(f, b, value), ...at], withoutKind(attrs)));
  }
  loseResults(f, b, op);
};

/** The attributes of a load or store at the element of an atomic update. */
const withoutKind = ({ kind: _, ...attrs }: Op['attrs']): Op['attrs'] => attrs;
