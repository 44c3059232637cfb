import {
  fail,
  handedOn,
  isFloat,
  isLoop,
  makeOp,
  receivedBy,
  walk,
  type Builder,
  type Control,
  type ControlEdge,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { areApart, textOf, type Touched } from '../elements/touched.js';
import {
  effectsWithin,
  isOwnMemory,
  setTangent,
  tangentOrZero,
  valueOf,
  type Around,
  type Forward,
} from './forward.js';

/** Ops with regions stay what they are: tangents are carried along after the values. */
export const forwardControl = (f: Forward, b: Builder, op: Op, control: Control, around: Around): void => {
  if (!control.parallel) return carryOn(f, b, op, control, around);
  const owns = f.ownedIn(op);
  const inside: Around = {
    ...around,
    parallel: true,
    owns: around.parallel ? () => false : (inner) => isOwnMemory(f, inner) || owns(inner),
    extrema: around.parallel ? around.extrema : new Set(),
  };
  carryOn(f, b, op, control, inside);
  if (around.parallel || inside.extrema.size === 0) return;
  refuseUsed(f, op);
  refuseChanged(f, op, inside);
  carryOn(f, b, op, control, { ...inside, settles: true });
};

/** A loop that finds extrema runs a second time, and must find what it found before. Error: `tangent/extremum`. */
const refuseUsed = (f: Forward, op: Op): void => {
  const effects = effectsWithin(f, op);
  const read = new Set(effects.filter((e) => e.kind === 'read').map((e) => e.buffer));
  const both = effects.find((e) => e.kind !== 'read' && (e.buffer === undefined || read.has(e.buffer)));
  if (both)
    fail('tangent/extremum', `a loop that finds extrema reads and writes '${both.buffer ?? op.name}'`, {
      loc: op.loc,
      remedy: 'read it after the loop that finds them, and write it in a loop of its own',
    });
};

/** Whose tangent an extremum has is seen from its value in the end, where nothing but extrema has changed it. Error: `tangent/extremum`. */
const refuseChanged = (f: Forward, { regions }: Op, { extrema }: Around): void => {
  const touchedBy = (op: Op): readonly Touched[] =>
    f.twinsOf(op).map(({ place, index }) => ({ place, index: index.map(f.coordinateOf) }));
  const found = [...extrema].flatMap(touchedBy);
  for (const region of regions)
    walk(region, (op) => {
      if (extrema.has(op) || f.twinsOf(op).every(({ value }) => !value)) return;
      const changed = found.find((e) => touchedBy(op).some((t) => !areApart(t, e)));
      if (changed)
        fail('tangent/extremum', `a loop that finds extrema in ${textOf(changed)} changes what is there otherwise`, {
          loc: op.loc,
          remedy: 'set it before the loop that finds them, and add to it in a loop of its own',
        });
    });
};

const carryOn = (f: Forward, b: Builder, op: Op, control: Control, around: Around): void => {
  const carried = carriedBy(f, op, control);
  const along = (source: ControlEdge['from'], handed: readonly Value[]): readonly Value[] =>
    [...carried.from(source)].map((n) => tangentOrZero(f, b, handed[n]));
  const edgeTo = (to: ControlEdge['to']): ControlEdge | undefined => control.edges.find((e) => e.to === to);
  /** The values that are received, and tangents of some of them after these. */
  const receive = (all: readonly Value[], to: ControlEdge['to']): readonly Value[] => {
    const now = all.map((v) => b.newValue(v.type, v.hint));
    all.forEach((v, n) => {
      f.values.set(v.id, now[n]);
      f.tangents.delete(v.id);
    });
    const edge = edgeTo(to);
    const received = edge ? receivedBy(op, edge) : [];
    const more = [...carried.to(to)].map((n) => {
      const tangent = b.newValue(received[n].type);
      setTangent(f, received[n], tangent);
      return tangent;
    });
    return [...now, ...more];
  };
  const start = control.edges.find((e) => e.from === 'start');
  const operands = [...op.operands.map((v) => valueOf(f, v)), ...(start ? along('start', handedOn(op, start)) : [])];
  const regions = op.regions.map((region, r): Region => {
    const params = receive(region.params, r);
    const { ops } = b.collect(() => {
      f.region(b, region, around);
      const end = region.ops[region.ops.length - 1];
      const edge = control.edges.find((e) => e.from === r);
      b.append(
        makeOp(
          end.name,
          [...end.operands.map((v) => valueOf(f, v)), ...(edge ? along(r, handedOn(op, edge)) : [])],
          [],
          end.attrs,
          [],
          end.loc,
        ),
      );
    });
    return { params, ops };
  });
  const results = receive(op.results, 'end');
  b.append(makeOp(op.name, operands, results, op.attrs, regions, op.loc));
};

/** Which of the values that control hands on are followed by their tangents, by number: the same wherever the same list goes. */
interface Carried {
  readonly from: (source: ControlEdge['from']) => ReadonlySet<number>;
  readonly to: (target: ControlEdge['to']) => ReadonlySet<number>;
}

const carriedBy = (f: Forward, op: Op, { edges }: Control): Carried => {
  const sets = new Map<string, Set<number>>();
  const from = (source: ControlEdge['from']): string => `from ${source}`;
  const to = (target: ControlEdge['to']): string => `to ${target}`;
  const join = (a: string, b: string): void => {
    const both = new Set([...(sets.get(a) ?? []), ...(sets.get(b) ?? [])]);
    const olds = [sets.get(a), sets.get(b)];
    for (const [key, set] of [...sets]) if (olds.includes(set)) sets.set(key, both);
    sets.set(a, both);
    sets.set(b, both);
  };
  for (const edge of edges) join(from(edge.from), to(edge.to));
  for (const edge of edges) {
    const set = sets.get(from(edge.from))!;
    for (const list of [handedOn(op, edge), receivedBy(op, edge)])
      list.forEach((v, n) => {
        if (f.active.has(v.id) && isFloat(v.type)) set.add(n);
      });
  }
  const none: ReadonlySet<number> = new Set();
  return { from: (source) => sets.get(from(source)) ?? none, to: (target) => sets.get(to(target)) ?? none };
};

/** Whether an op repeats its regions or chooses among them, in a way that is known. */
export const isControl = (control: Control | undefined): control is Control =>
  control !== undefined && (isLoop(control) || control.edges.length > 0);
