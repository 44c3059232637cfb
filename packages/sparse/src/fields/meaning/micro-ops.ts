import { type AtomicKind, type Op, type OpDef, type RuntimeValue, type Scalar } from '@filigree/ir';
import type { Arena } from '../arena/arena.js';
import { combineValue, readValue, writeValue, writeWord } from '../arena/values.js';
import { isWritten, splitOperands, unguarded } from '../access/guards.js';
import { wordFields } from '../access/word-fields.js';
import { isSparse } from '../layout/layout.js';
import { nodeStorage, type NodeStorage } from '../storage/storage.js';
import { ambientOf } from '../layout/ambient.js';
import {
  append,
  clear,
  deactivate,
  further,
  isActive,
  isLost,
  lengthOf,
  linearize,
  lookup,
  report,
  type Lookup,
} from './micro-access.js';

/** What micro-accesses do in an arena, by the names of the ops: results from operands. */
export const microOps = (arena: Arena): Readonly<Record<string, OpDef['evaluate']>> => {
  const { storage } = arena;
  const nodeOf = (op: Op): NodeStorage => nodeStorage(storage, op);
  const on =
    (meaning: (call: Call, at: NodeStorage) => RuntimeValue | void) =>
    (op: Op, args: readonly RuntimeValue[]): readonly RuntimeValue[] => {
      const result = meaning(callOf(op, args), nodeOf(op));
      return result === undefined ? [] : [result];
    };
  const ambient = ({ node }: NodeStorage): RuntimeValue => ambientOf(storage.layout, node.field!.name);
  return {
    'snode.root': () => [storage.root],
    'snode.offset': ({ attrs }, [place]) => [further(Number(place), Number(attrs.bytes))],
    'snode.linearize': on(({ numbers }, at) => linearize(at, numbers)),
    'snode.child': on(({ numbers: [cell] }, at) => further(cell, at.offset)),
    'snode.lookup': on((call, at) => lookup(arena, lookupOf(call, at))),
    'snode.lookup_all': (op, args) => {
      let from = 0;
      return splitOperands(op).map((operands) => {
        const call = callOf({ ...op, operands }, args.slice(from, (from += operands.length)));
        return lookup(arena, { ...lookupOf(call, nodeOf(op)), activate: true });
      });
    },
    'snode.is_active': on((call, at) => isActive(arena, lookupOf(call, at))),
    'snode.deactivate': on((call, at) => deactivate(arena, lookupOf(call, at))),
    'snode.append': on(({ op, numbers: [list, ...coordinates], inside }, at) =>
      inside ? append(arena, at, list, coordinates, Number(op.attrs.site ?? 0)) : at.cells,
    ),
    'snode.length': on(({ numbers: [list], inside }, at) => (inside ? lengthOf(arena, at, list) : 0)),
    'snode.clear': on(({ numbers: [list] }, at) => clear(arena, at, list)),
    'snode.load': on(({ numbers: [place], inside }, at) =>
      inside ? readValue(arena, at.node, Math.abs(place)) : ambient(at),
    ),
    'snode.store': on(({ args: [value], numbers: [, place], inside }, at) => {
      if (inside) writeValue(arena, at.node, Math.abs(place), value as Scalar);
    }),
    'snode.store_word': on(({ op, args, numbers, inside }) => {
      const names = wordFields(op);
      if (!inside) return;
      const values = names.map((name, n) => ({ node: storage.layout.named.get(name)!, value: args[n] as Scalar }));
      writeWord(arena, values, Math.abs(numbers[names.length]));
    }),
    'snode.atomic': on(({ op, args: [value], numbers: [, place], inside }, at) => {
      /* A sink would give back what was written to it last. */
      if (!inside || (op.attrs.asked === true && isLost(place))) return ambient(at);
      const old = readValue(arena, at.node, Math.abs(place));
      combineValue(arena, at.node, Math.abs(place), op.attrs.kind as AtomicKind, value as Scalar);
      return old;
    }),
    'snode.check_list': ({ attrs }, args) => {
      const [number, length, ...coordinates] = args.map(Number);
      if (number >= length) report(arena, 'beyondList', Number(attrs.site), [length, ...coordinates]);
      return [];
    },
    'snode.check': ({ attrs }, args) => {
      const extents = attrs.extents as readonly number[];
      const at = args.map(Number);
      if (at.some((index, n) => extents[n] > 0 && (index < 0 || index >= extents[n])))
        report(arena, 'outOfBounds', Number(attrs.site), at);
      return [];
    },
  };
};

/** An op that is run: its operands without guards, and whether these hold. */
interface Call {
  readonly op: Op;
  readonly args: readonly RuntimeValue[];
  /** The same as numbers: places, digits, coordinates. */
  readonly numbers: readonly number[];
  readonly inside: boolean;
}

const callOf = (op: Op, args: readonly RuntimeValue[]): Call => {
  const given = args.slice(0, unguarded(op).length);
  return { op, args: given, numbers: given.map(Number), inside: args.slice(given.length).every(Boolean) };
};

const lookupOf = ({ op, numbers: [container, ...rest], inside }: Call, at: NodeStorage): Lookup => {
  const [number, coordinates] = at.node.kind === 'hash' ? [0, rest] : [rest[0], rest.slice(1)];
  return {
    at,
    container,
    number,
    coordinates,
    inside,
    activate: op.attrs.activate === true && isSparse(at.node),
    written: isWritten(op),
    past: op.attrs.past === true,
    site: Number(op.attrs.site ?? 0),
  };
};
