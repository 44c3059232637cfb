import { isInteger, scalarOf, type Builder, type Op, type Value } from '@filigree/ir';
import { accessOf } from '../store-forwarding/element-map.js';
import { bodyOf } from '../support/values.js';

/** A value of the scalar loop as the vector loop has it. */
interface Lanes {
  /** The value in lane 0, where `stride` is known. */
  readonly scalar?: Value;
  /** 0: the same in all lanes. 1: growing by one from lane to lane. */
  readonly stride?: 0 | 1;
  /** How far a stride of 1 holds: the loop counter never wraps, `iota` wraps as integers do, `address` is good for addresses only. */
  readonly run?: 'counter' | 'iota' | 'address';
  /** The vector of all lanes, made where it is first wanted. */
  readonly vector: () => Value;
}

/** Appends the body of a loop for `lanes` iterations from `iv` on. The loop must have been found fit for it. */
export const widen = (loop: Op, iv: Value, lanes: number, b: Builder): void => {
  const values = new Map<number, Lanes>();
  const uniform = (scalar: Value): Lanes => ({ scalar, stride: 0, vector: once(() => b.splat(scalar, lanes)) });
  const contiguous = (scalar: Value, run: 'counter' | 'iota'): Lanes => ({
    scalar,
    stride: 1,
    run,
    vector: once(() => b.iota(scalar, lanes)),
  });
  const get = (v: Value): Lanes => {
    const known = values.get(v.id) ?? uniform(v);
    values.set(v.id, known);
    return known;
  };
  /** The op on other operands, with a result of its own. */
  const emit = (op: Op, operands: readonly Value[], wide: boolean): Value => {
    const old = op.results[0]!;
    const result = b.newValue(wide ? { lanes, of: scalarOf(old.type) } : old.type, old.hint);
    b.append({ ...op, operands, results: [result] });
    return result;
  };
  const onVectors = (op: Op): Value =>
    emit(
      op,
      op.operands.map((v) => get(v).vector()),
      true,
    );
  const onScalars = (op: Op): Value =>
    emit(
      op,
      op.operands.map((v) => get(v).scalar!),
      false,
    );

  const widenOp = (op: Op): Lanes | undefined => {
    const access = accessOf(op);
    if (access?.kind === 'store') {
      const [value, index] = [get(access.element).vector(), get(access.index)];
      if (index.stride === 1) b.append({ ...op, operands: [value, index.scalar!] });
      else b.append({ ...op, name: 'mem.scatter', operands: [value, index.vector()] });
      return undefined;
    }
    if (access && get(access.index).stride !== 0) return varying(widenLoad(op, get(access.index)));
    const operands = op.operands.map(get);
    if (operands.every((x) => x.stride === 0)) return uniform(onScalars(op));
    const run = runOf(op, operands);
    if (run === undefined) return varying(onVectors(op));
    const scalar = onScalars(op);
    return run === 'iota' ? contiguous(scalar, run) : { scalar, stride: 1, run, vector: once(() => onVectors(op)) };
  };
  const widenLoad = (op: Op, index: Lanes): Value => {
    const result = b.newValue({ lanes, of: scalarOf(op.results[0]!.type) }, op.results[0]!.hint);
    if (index.stride === 1)
      b.append({ ...op, operands: [index.scalar!], attrs: { ...op.attrs, lanes }, results: [result] });
    else b.append({ ...op, name: 'mem.gather', operands: [index.vector()], results: [result] });
    return result;
  };

  values.set(loop.regions[0]!.params[0]!.id, contiguous(iv, 'counter'));
  for (const op of bodyOf(loop.regions[0]!)) {
    const result = widenOp(op);
    if (result) values.set(op.results[0]!.id, result);
  }
};

const varying = (vector: Value): Lanes => ({ vector: () => vector });

/**
 * What becomes of runs of integers: one plus or minus the same number in all lanes is a run again. So is a cast between
 * index types, exactly if it narrows or if the run is the loop's counter. Another run may wrap before it is widened; as an
 * address it is out of bounds then in the scalar loop as well, so for addresses the first lane still decides.
 */
const runOf = (op: Op, [a, b]: readonly Lanes[]): 'iota' | 'address' | undefined => {
  const type = op.results[0]!.type;
  if (!isInteger(type)) return undefined;
  const exact = (x: Lanes | undefined): boolean => x?.run === 'counter' || x?.run === 'iota';
  if (op.name === 'arith.add')
    return (exact(a) && b!.stride === 0) || (a!.stride === 0 && exact(b)) ? 'iota' : undefined;
  if (op.name === 'arith.sub') return exact(a) && b!.stride === 0 ? 'iota' : undefined;
  const from = op.operands[0]!.type;
  if (op.name !== 'arith.cast' || !exact(a) || !(from === 'i32' || from === 'i64')) return undefined;
  if (type === 'i32') return 'iota';
  return type === 'i64' ? (a!.run === 'counter' ? 'iota' : 'address') : undefined;
};

const once = <T extends object>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
