import {
  useCounts,
  type Builder,
  type ControlOf,
  type Kernel,
  type Op,
  type OpTable,
  type ScalarType,
  type Value,
  walk,
} from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import type { Accesses, Use } from '../elements/accesses.js';
import type { ElementOp, ElementOpOf } from '../elements/element-ops.js';
import type { MakeBuffer, ReportTooLong } from './history.js';
import type { LoopFacts } from '../indices/loop-facts.js';
import type { OwnedIn } from '../elements/own.js';
import { digitsAround, type Digit, type Numbered } from './open-loops.js';
import { isRounded } from '../elements/rounded.js';
import { loadFrom, Runner, type Place, type ValueOf } from './run-on-copies.js';
import { settledPlaces } from '../elements/settled-places.js';
import { hasOneIteration, type StandingOf } from '../elements/standing.js';
import { areApart, placeOfField } from '../elements/touched.js';

/**
 * What a kernel reads of elements and overwrites later, as loops do whose iterations follow one another: factors of a matrix in its place, paths that grow shorter. Its adjoint runs it once more on copies of the
 * fields that it changes so, and keeps what each such read finds in each iteration.
 */
export interface KeptReads {
  /** The fields of which it takes elements as they were before the launch. */
  readonly fields: ReadonlySet<string>;
  /** The number of a read whose values can be kept; nothing where they are there, or where nobody knows how many there may be. */
  readonly numberOf: (read: Op) => number | undefined;
  /** Whether there is room for the values of these reads. */
  readonly fits: (reads: ReadonlySet<number>) => boolean;
  /** Buffers for the values of these reads, and the code that fills them. */
  readonly keeping: (make: MakeBuffer, reads: ReadonlySet<number>) => Keeping;
}

export interface Keeping {
  /** Appends the run. */
  readonly run: (b: Builder, known: ReadonlyMap<number, Value>, overflow: ReportTooLong) => void;
  /** What a read has found, where that is kept or still there. */
  readonly found: Found;
}

/** The value of a read, in what stands for values of the primal. */
export type Found = (b: Builder, read: Op, valueOf: ValueOf) => Value | undefined;

/** What is asked of a kernel whose reads are to be kept. */
export interface KeptReadsSetting {
  readonly kernel: Kernel;
  readonly layout: Layout;
  readonly table: OpTable;
  readonly controlOf: ControlOf;
  readonly elementOf: ElementOpOf;
  readonly accesses: Accesses;
  readonly standingOf: StandingOf;
  readonly ownedIn: OwnedIn;
  readonly constantOf: LoopFacts['constantOf'];
  /** The numbers of open loops, where the kernel has these. */
  readonly numbered: Numbered | undefined;
}

/**
 * Nothing of kernels that cannot be run again: those that change anything but elements, that read in one iteration what another one of the same parallel loop may write, and those whose fields are stored in
 * formats, or large.
 */
export const keptReads = (s: KeptReadsSetting): KeptReads | undefined => {
  const { kernel, layout, accesses, standingOf, elementOf } = s;
  const counts = useCounts(kernel.body);
  const isRead = ({ op, writes }: Use): boolean => !writes || op.results.some((r) => (counts.get(r.id) ?? 0) > 0);
  const fields = [...layout.fields.keys()].flatMap((field) => {
    const uses = accesses.uses.filter(({ touched }) => touched.place === placeOfField(field));
    const reads = uses.filter(isRead);
    if (!uses.some((u) => u.writes) || reads.every(({ op }) => standingOf(op)?.stays)) return [];
    return [{ field, uses, changes: !reads.every(({ op }) => standingOf(op)?.was) }];
  });
  const changing = new Map(fields.filter(({ changes }) => changes).map(({ field, uses }) => [field, uses] as const));
  if (changing.size === 0 || fields.some(({ field }) => isRounded(layout, field))) return undefined;
  if (!changesElementsAlone(s)) return undefined;
  if (![...changing].every(([field, uses]) => isKnown(s, field, uses)) || !runsAlike(s, changing, isRead))
    return undefined;
  const boxes = new Map([...changing].map(([field, uses]) => [field, boxOf(layout, field, uses)] as const));
  const copied = [...boxes.values()].reduce((sum, box) => sum + sizeOf(box), 0);
  if (copied > MOST) return undefined;

  const placeOf = (op: Op): ElementOp | undefined =>
    elementOf(op) && changing.has(String(op.attrs.field)) ? elementOf(op) : undefined;
  const digits = new Map(
    accesses.uses.flatMap((use, n) => {
      const standing = standingOf(use.op);
      const found =
        placeOf(use.op) &&
        standing &&
        !standing.stays &&
        !standing.was &&
        digitsAround(use, s.controlOf, accesses.forms, s.numbered);
      return found ? [[n, { op: use.op, digits: found }] as const] : [];
    }),
  );
  const within = new Map(accesses.uses.map(({ op, touched }) => [op, touched.within]));
  const numbers = new Map([...digits].map(([n, { op }]) => [op, n]));
  return {
    fields: new Set(fields.map(({ field }) => field)),
    numberOf: (read) => numbers.get(read),
    fits: (reads) =>
      [...reads].reduce((sum, n) => sum + product(digits.get(n)!.digits.map((d) => d.extent)), copied) <= MOST,
    keeping: (make, reads) => {
      const copies = new Map(
        [...changing.keys()].map((field) => {
          const { type } = layout.fields.get(field)!.field;
          return [field, make(type as ScalarType, sizeOf(boxes.get(field)!), 'temp', 'copy')] as const;
        }),
      );
      const kept = new Map(
        [...reads].map((n) => {
          const { op, digits: all } = digits.get(n)!;
          const length = product(all.map((d) => d.extent));
          return [
            op,
            { digits: all, buffer: make(op.results[0].type as ScalarType, length, 'temp', 'found') },
          ] as const;
        }),
      );
      const placeOn = (b: Builder, op: Op): Place | undefined => {
        const element = placeOf(op);
        if (!element) return undefined;
        const field = String(op.attrs.field);
        const box = boxes.get(field)!;
        return {
          buffer: copies.get(field)!,
          at: (valueOf) =>
            linear(
              b,
              element.index.map((v, n) => ({ at: valueOf(v), ...box[n] })),
            ),
          inside: (valueOf) => {
            const unsure = element.index.flatMap((v, n) => {
              if (within.get(op)?.[n]) return [];
              const at = valueOf(v);
              return [b.cmp('ge', at, b.constant(0, at.type)), b.cmp('lt', at, b.constant(box[n].extent, at.type))];
            });
            return unsure.length > 0 ? unsure.reduce(b.and) : undefined;
          },
          outside: (valueOf) => b.value('field.load', element.index.map(valueOf), { field }),
        };
      };
      const slotIn = (b: Builder, all: readonly Digit[], valueOf: ValueOf): Value =>
        linear(b, all.map(({ value, least, extent, isOpen }) => {
          const now = valueOf(value);
          const at = b.sub(now.type === 'i32' ? now : b.cast(now, 'i32'), b.i32(least));
          return { at: isOpen ? b.min(at, b.i32(extent - 1)) : at, least: 0, extent };
        })); // prettier-ignore
      return {
        run: (b, known, overflow) => {
          for (const [field, buffer] of copies)
            overBox(b, boxes.get(field)!, (index) => {
              const value = b.value('field.load', index, { field });
              b.store(buffer, value, linear(b, index.map((at, n) => ({ at, ...boxes.get(field)![n] })))); // prettier-ignore
            });
          new Runner(b, s.table, elementOf, {
            placeOn: (op) => placeOn(b, op),
            keep: (op, value, valueOf) => {
              const place = kept.get(op);
              if (place) b.store(place.buffer, value, slotIn(b, place.digits, valueOf));
            },
            ran: (op, valueOf) => {
              const end = s.numbered?.ends.get(op);
              if (end) overflow(b, op, b.cmp('ge', valueOf(end), b.i32(s.numbered!.most)), s.numbered!.most);
            },
          }).statements(kernel.body, new Map(known));
        },
        found: (b, read, valueOf) => {
          const place = kept.get(read);
          if (place) return b.load(place.buffer, slotIn(b, place.digits, valueOf));
          const element = placeOn(b, read);
          return element && standingOf(read)?.stays ? loadFrom(b, element, valueOf) : undefined;
        },
      };
    },
  };
};

/** The most numbers that copies and what is kept may be together: 32 MiB of f64. */
const MOST = 2 ** 22;

/** For how many numbers that are read there is room beside copies of all fields that a kernel writes. */
export const roomForReads = (layout: Layout, { uses }: Accesses): number => {
  const written = new Set(uses.flatMap(({ op, writes }) => (writes ? [String(op.attrs.field)] : [])));
  return [...written].reduce((room, field) => {
    const { unbounded = false, extents = [] } = layout.fields.get(field) ?? {};
    return room - (unbounded ? 0 : product(extents));
  }, MOST);
};

const product = (all: readonly number[]): number => all.reduce((n, m) => n * m, 1);

/** Whether all that a kernel changes are elements, and sums of its own that it begins anew. */
const changesElementsAlone = ({ kernel, table, elementOf }: KeptReadsSetting): boolean => {
  const settled = settledPlaces(kernel.body, elementOf);
  let all = true;
  walk(kernel.body, (op) => {
    const element = elementOf(op);
    const { effects, traits } = table.get(op.name)!;
    if (element) all &&= element.lasting || element.does === 'load' || settled.has(element.place);
    else if (op.regions.length === 0 && traits.hint !== true) all &&= effects(op).every((e) => e.kind === 'read');
  });
  return all;
};

/** Where elements lie along an axis that a copy has room for. */
interface Extent {
  readonly least: number;
  readonly extent: number;
}

/** The elements of a field that a kernel may touch: all of them, but below a hash table, where indices are any integers, those that loops between numbers reach. */
const boxOf = (layout: Layout, field: string, uses: readonly Use[]): readonly Extent[] => {
  const { unbounded, extents } = layout.fields.get(field)!;
  return extents.map((extent, n) => {
    if (!unbounded) return { least: 0, extent };
    const reached = uses.map(({ touched }) => touched.within![n]!);
    const least = Math.min(...reached.map(([from]) => from));
    return { least, extent: Math.max(...reached.map(([, to]) => to)) - least + 1 };
  });
};

const sizeOf = (box: readonly Extent[]): number => product(box.map(({ extent }) => extent));

/** Whether a kernel certainly changes elements of a field alone, each as it says. */
const isKnown = ({ layout, elementOf }: KeptReadsSetting, field: string, uses: readonly Use[]): boolean =>
  (!layout.fields.get(field)!.unbounded || uses.every(({ touched }) => touched.within?.every((at) => at))) &&
  /* What is written beyond the end of a list is nowhere. */
  !layout.fields.get(field)!.path.some((n) => layout.nodes[n].kind === 'dynamic') &&
  uses.every(({ op }) => elementOf(op) !== undefined && op.attrs.activate !== false);

/**
 * Whether iterations that run at once do not find what others change. Those that add to what others add to find nothing of it: later loops read the sums, the same up to rounding. What is certainly another
 * element may be read meanwhile, as `s[0]` where all add to `s[2]`.
 */
const runsAlike = (
  { kernel, controlOf, constantOf, ownedIn }: KeptReadsSetting,
  changing: ReadonlyMap<string, readonly Use[]>,
  isRead: (use: Use) => boolean,
): boolean => {
  const isSum = (use: Use): boolean => use.writes && use.op.attrs.kind === 'add' && !isRead(use);
  let alike = true;
  walk(kernel.body, (loop) => {
    const control = controlOf(loop);
    if (control?.parallel !== true || hasOneIteration(control, constantOf)) return;
    const owns = ownedIn(loop);
    for (const uses of changing.values()) {
      const inside = uses.filter(({ parents }) => parents.includes(loop));
      for (const write of inside.filter((u) => u.writes)) {
        const meeting = inside.filter((u) => !areApart(u.touched, write.touched));
        alike &&= meeting.every(isSum) || meeting.every(({ op }) => owns(op));
      }
    }
  });
  return alike;
};

/** The number of a place by its coordinates, the last of which goes on fastest. */
const linear = (b: Builder, digits: readonly (Extent & { readonly at: Value })[]): Value =>
  digits.reduce<Value | undefined>((sum, { at, least, extent }) => {
    const from = at.type === 'i32' ? at : b.cast(at, 'i32');
    const digit = least === 0 ? from : b.sub(from, b.i32(least));
    return sum ? b.add(b.mul(sum, b.i32(extent)), digit) : digit;
  }, undefined) ?? b.i32(0);

const overBox = (b: Builder, box: readonly Extent[], body: (index: readonly Value[]) => void): void => {
  const along = (index: readonly Value[]): void => {
    if (index.length === box.length) return body(index);
    const attrs = index.length === 0 ? { parallel: true } : {};
    const { least, extent } = box[index.length];
    b.for(b.i32(least), b.i32(least + extent), b.i32(1), attrs, [], (n) => (along([...index, n]), []));
  };
  along([]);
};
