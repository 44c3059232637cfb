import { rare } from '#rare';
import { isInteger, scalarOf, type Builder, type Op, type Region, type Value, opWith } from '@filigree/ir';
import { loadStoreOf } from '../support/load-store.js';
import { bodyOf, terminatorOf } from '../support/values.js';
import type { LanesPart } from './bounds-apart.js';

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

/**
 * Appends the body of a loop for `lanes` iterations from `iv` on, which carries vectors, and gives what it carries next; `varying` are the ids of the values that differ from lane
 * to lane, those that inner loops carry and branches yield among them. The loop must have been found fit for it.
 */
export const widen = (
  loop: Op,
  iv: Value,
  lanes: number,
  varying: ReadonlySet<number>,
  b: Builder,
  carriedIn: readonly Value[] = [],
): readonly Value[] => {
  const values = new Map<number, Lanes>();
  const { once, within } = inRegions();
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
    b.append(opWith(op, { operands, results: [result] }));
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
    const access = loadStoreOf(op);
    if (access?.kind === 'store') {
      const [value, index] = [get(access.element).vector(), get(access.index)];
      if (index.stride === 1) b.append(opWith(op, { operands: [value, index.scalar!] }));
      else b.append(opWith(op, { name: 'mem.scatter', operands: [value, index.vector()] }));
      return undefined;
    }
    if (access && get(access.index).stride !== 0) return vectorOf(widenLoad(op, get(access.index)));
    const operands = op.operands.map(get);
    if (operands.every((x) => x.stride === 0)) return uniform(onScalars(op));
    const run = runOf(op, operands);
    if (run === undefined) return vectorOf(onVectors(op));
    const scalar = onScalars(op);
    return run === 'iota' ? contiguous(scalar, run) : { scalar, stride: 1, run, vector: once(() => onVectors(op)) };
  };
  /** The lanes that do what is being appended, where others have ended. */
  let lanesOn: Value | undefined;
  const widenLoad = (op: Op, index: Lanes): Value => {
    const result = b.newValue({ lanes, of: scalarOf(op.results[0]!.type) }, op.results[0]!.hint);
    if (lanesOn) {
      const all = index.vector();
      const somewhere = b.splat(b.constant(0, scalarOf(all.type)), lanes);
      b.append(opWith(op, { name: 'mem.gather', operands: [b.select(lanesOn, all, somewhere)], results: [result] }));
    } else if (index.stride === 1)
      b.append(opWith(op, { operands: [index.scalar!], attrs: { ...op.attrs, lanes }, results: [result] }));
    else b.append(opWith(op, { name: 'mem.gather', operands: [index.vector()], results: [result] }));
    return result;
  };

  /** A value that a loop carries or a branch yields: a vector where it differs from lane to lane. */
  const carried = (v: Value, as: Value): Value => (varying.has(as.id) ? get(v).vector() : get(v).scalar!);
  const received = (v: Value, from: Value): void =>
    void values.set(v.id, varying.has(v.id) ? vectorOf(from) : uniform(from));
  const widenRegion = (region: Region, as: readonly Value[]): readonly Value[] =>
    within(() => {
      bodyOf(region).forEach(step);
      return terminatorOf(region).operands.map((v, k) => carried(v, as[k]!));
    });
  const widenFor = (
    op: Op,
    { from, to, mask, attrs: own = op.attrs }: LanesPart,
    inits: readonly Value[],
  ): readonly Value[] => {
    const { simd: _simd, ...attrs } = own;
    const [body] = op.regions as readonly [Region];
    const params = [from, ...inits].map(({ type }, k) => ({ ...body.params[k]!, type }));
    const { region } = b.region(params, (params) => {
      params.forEach((v, k) => received(body.params[k]!, v));
      const on = mask?.(params[0]!);
      const next = widenRegion(body, op.results);
      return on ? next.map((v, k) => b.select(on, v, params[k + 1]!)) : next;
    });
    return b.op('scf.for', [from, to, get(op.operands[2]!).scalar!, ...inits], attrs, [region]);
  };
  const widenIf = (op: Op, condition: Value): readonly Value[] =>
    b.if(
      condition,
      () => widenRegion(op.regions[0]!, op.results),
      () => widenRegion(op.regions[1]!, op.results),
    );
  /**
   * A loop whose condition differs from lane to lane goes on as long as one of them does. A lane that has ended keeps what it carries, so that its condition
   * stays false and its results stay what they are; what the second region makes of it is dropped, and reads somewhere in place of where it may not.
   */
  const widenWhile = (op: Op): readonly Value[] => {
    const [before, after] = op.regions as readonly [Region, Region];
    const goesOn = terminatorOf(before).operands[0]!;
    const differs = varying.has(goesOn.id);
    const inits = op.operands.map((v, k) => carried(v, before.params[k]!));
    /* Among what the second region is given: the lanes that go on, and what each of them carried. */
    const places: number[] = [];
    const results = b.while(
      inits,
      (own) =>
        within(() => {
          before.params.forEach((p, k) => received(p, own[k]!));
          bodyOf(before).forEach(step);
          const values = terminatorOf(before).operands.slice(1);
          const passed = values.map((v, k) => carried(v, op.results[k]!));
          if (!differs) return [get(goesOn).scalar!, ...passed];
          const lanesOn = get(goesOn).vector();
          for (const v of [lanesOn, ...own]) places.push(passed.includes(v) ? passed.indexOf(v) : passed.push(v) - 1);
          return [b.reduce('or', lanesOn), ...passed];
        }),
      (passed) =>
        within(() => {
          after.params.forEach((p, k) => received(p, passed[k]!));
          const [goingOn, ...own] = places.map((at) => passed[at]!);
          if (differs) lanesOn = goingOn;
          bodyOf(after).forEach(step);
          const next = terminatorOf(after).operands.map((v, k) => carried(v, before.params[k]!));
          lanesOn = undefined;
          return differs ? next.map((v, k) => b.select(goingOn!, v, own[k]!)) : next;
        }),
    );
    return results.slice(0, op.results.length);
  };
  const widenLoop = (op: Op): readonly Value[] => {
    const [from, to] = op.operands.map(get) as [Lanes, Lanes];
    const parts =
      from.stride === 0 && to.stride === 0
        ? [{ from: from.scalar!, to: to.scalar! }]
        : rare().partsApart(loop, op, lanes, iv, varying, b, get);
    const inits = op.operands.slice(3).map((v, k) => carried(v, op.results[k]!));
    return parts.reduce<readonly Value[]>((now, part) => widenFor(op, part, now), inits);
  };
  const widenNest = (op: Op): void => {
    if (op.name === 'scf.while') {
      const results = widenWhile(op);
      return op.results.forEach((r, k) => received(r, results[k]!));
    }
    const results = op.name === 'scf.for' ? widenLoop(op) : widenIf(op, get(op.operands[0]!).scalar!);
    op.results.forEach((r, k) => received(r, results[k]!));
  };
  const step = (op: Op): void => {
    b.loc = op.loc;
    if (op.regions.length > 0) return widenNest(op);
    const result = widenOp(op);
    if (result) values.set(op.results[0]!.id, result);
  };

  const [body] = loop.regions as readonly [Region];
  values.set(body.params[0]!.id, contiguous(iv, 'counter'));
  carriedIn.forEach((vector, k) => values.set(body.params[1 + k]!.id, vectorOf(vector)));
  return within(() => {
    bodyOf(body).forEach(step);
    return terminatorOf(body).operands.map((v) => get(v).vector());
  });
};

const vectorOf = (vector: Value): Lanes => ({ vector: () => vector });

/**
 * What becomes of runs of consecutive integers. Adding or subtracting the same number in all lanes gives a run again.
 * So does a cast between index types: exactly, if it narrows or if the run is the loop's counter. Any other run may
 * wrap before it is widened; used as an address it is then out of bounds in the scalar loop as well, so for addresses
 * the first lane still decides.
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

/** Values that are made where they are first wanted, and known in that region and those within it. */
const inRegions = () => {
  const scopes: Map<object, Value>[] = [];
  return {
    once: (make: () => Value): (() => Value) => {
      const key = {};
      return () => {
        for (const scope of scopes) if (scope.has(key)) return scope.get(key)!;
        const made = make();
        scopes.at(-1)!.set(key, made);
        return made;
      };
    },
    within: <T>(write: () => T): T => {
      scopes.push(new Map());
      const result = write();
      scopes.pop();
      return result;
    },
  };
};
