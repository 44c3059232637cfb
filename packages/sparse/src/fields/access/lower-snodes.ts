import {
  checkOptions,
  coreDialects,
  fail,
  mapKernels,
  option,
  pass,
  rewriteOps,
  walk,
  type AtomicKind,
  type Builder,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Replacement,
  type Value,
} from '@filigree/ir';
import { rare } from '#lowering';
import { isSparse } from '../layout/layout.js';
import { HANDS } from '../storage/lots.js';
import { nodeStorage, type NodeStorage, type Storage } from '../storage/storage.js';
import { along, anyOf, fixed, plus, type Address, type Emit, type Test } from './lower/address.js';
import { ambientValue } from './lower/ambient.js';
import { clamp, clampPast, extract, interleave } from './lower/digits.js';
import { lookup } from './lower/lookup.js';
import { scratchFor } from './lower/scratch.js';
import { report } from './lower/status.js';
import { atomicValue, loadValue, storeValue } from './lower/stored.js';
import { guardsOf, isWritten, splitOperands, unguarded } from './guards.js';
import { snodeDialect } from './snode-dialect.js';
import { wordFields } from './word-fields.js';
import type { CellNumber, Lookup } from './lower/sought.js';

/** How micro-accesses are lowered. */
export interface SNodeOptions {
  /**
   * Whether fences order what kernels publish that activate cells: for targets whose threads may see in another order what one did. Default
   * false.
   */
  readonly fences?: boolean;
  /** Threads that have a lot of a pool for themselves (`LoopGrain`). */
  readonly hands?: number;
}

/**
 * Turns micro-accesses into arithmetic, branches and memory operations on the arena, whose buffers the module then
 * declares. Everything that a kernel can do to the structure is emitted here: there is no runtime beneath it.
 */
export const lowerSNodes = (storage: Storage, given?: SNodeOptions): Pass<Module> => {
  const { fences = false, hands = HANDS } = checkOptions<SNodeOptions>('lowerSNodes', given, {
    fences: option.truth,
    hands: option.whole(1, HANDS),
  });
  const dialects = [...coreDialects, snodeDialect(storage.layout)];
  return pass('lower-snodes', (module) => {
    const declared = new Map(module.buffers.map((b) => [b.name, b]));
    /* Scratch may have been declared for other kernels, which need less of it. */
    for (const b of [...storage.buffers, ...scratchFor(storage, module)])
      if ((declared.get(b.name)?.length ?? -1) < b.length) declared.set(b.name, b);
    const buffers = [...declared.values()];
    const lowered = mapKernels(module, (kernel) => {
      const makes = activatedBy(kernel, storage);
      const places = new Places(kernel, storage, { fences: fences && makes.size > 0, makes, hands });
      return rewriteOps(kernel, dialects, (op, ctx) => places.lower(op, ctx.build), buffers, { share: true });
    });
    return withoutLayout({ ...lowered, buffers });
  });
};

/** Numbers of nodes of which a kernel activates cells: what there is of others was published by earlier launches. */
const activatedBy = ({ body }: Kernel, storage: Storage): ReadonlySet<number> => {
  const found = new Set<number>();
  walk(body, (op) => void (activatesCell(op) && found.add(nodeStorage(storage, op).node.id)));
  return found;
};

const activatesCell = (op: Op): boolean => op.attrs.activate === true || op.name === 'snode.lookup_all';

/* What follows knows buffers only. */
const withoutLayout = ({ layout: _, ...module }: Module): Module => module;

type Build = (body: (b: Builder) => readonly Value[] | Value | void) => Replacement;

/** What the handles of a kernel mean, found as its ops are met in order. */
class Places {
  readonly addresses = new Map<number, Address>();
  private readonly numbers = new Map<number, NumberMaker>();

  constructor(
    private readonly kernel: Kernel,
    private readonly storage: Storage,
    private readonly published: Pick<Emit, 'fences' | 'makes' | 'hands'>,
  ) {}

  lower(op: Op, build: Build): Replacement | undefined {
    const lowering = lowerings[op.name];
    if (lowering) return build((b) => lowering(this, op, { b, storage: this.storage, ...this.published }));
    for (const v of op.operands)
      if (this.addresses.has(v.id) || this.numbers.has(v.id))
        fail('access/handle', `kernel @${this.kernel.name}: ${op.name} takes the place of a cell as a number`, {
          loc: op.loc,
          remedy: 'micro-accesses are to be lowered where they are made',
        });
    return undefined;
  }

  node(op: Op): NodeStorage {
    return nodeStorage(this.storage, op);
  }

  address(v: Value): Address {
    return this.addresses.get(v.id) ?? fail('access/handle', `kernel @${this.kernel.name}: %${v.id} is no cell`);
  }

  /** The number of a cell: what `snode.linearize` made, or any value. */
  number(v: Value, b: Builder, at: NodeStorage, instead?: Instead): CellNumber {
    return this.numbers.get(v.id)?.(b, instead) ?? numberInRows(b, v, at, instead);
  }

  setAddress(op: Op, address: Address): readonly Value[] {
    this.addresses.set(op.results[0].id, address);
    return op.results;
  }

  setNumber(op: Op, number: NumberMaker): readonly Value[] {
    this.numbers.set(op.results[0].id, number);
    return op.results;
  }

  lookup(op: Op, b: Builder, given = op.operands): Lookup {
    const node = this.node(op);
    const hash = node.node.kind === 'hash';
    const guards = given.filter((v) => v.type === 'i1');
    const operands = given.slice(0, given.length - guards.length);
    const activate = activatesCell(op) && isSparse(node.node);
    const inside = allOf(b, guards);
    const written = activate || isWritten(op);
    const past = op.attrs.past === true;
    const outside = node.row > 0 && (inside !== undefined || past);
    return {
      node,
      container: this.address(operands[0]),
      number: hash ? undefined : this.number(operands[1], b, node),
      place: outside ? this.number(operands[1], b, node, { inside, past, written }) : undefined,
      past,
      coordinates: operands.slice(hash ? 1 : 2),
      inside,
      activate,
      written,
      site: Number(op.attrs.site ?? 0),
    };
  }
}

const allOf = (b: Builder, guards: readonly Value[]): Value | undefined =>
  guards.length === 0 ? undefined : guards.reduce(b.and);

/** What `read` gives where the guards of an op hold, else `outside`. It does no harm to read in any case. */
const selected = (b: Builder, op: Op, read: Value, outside: () => Value): Value => {
  const inside = allOf(b, guardsOf(op));
  return inside ? b.select(inside, read, outside()) : read;
};

/** What `body` gives, done only where the guards of an op hold and the place is in no sink, else `outside`. */
const where = (b: Builder, op: Op, lost: readonly Test[], body: () => Value, outside: () => Value): Value => {
  const inside = allOf(b, guardsOf(op));
  const tests = inside ? [() => b.cmp('eq', inside, b.bool(false)), ...lost] : lost;
  return tests.length === 0 ? body() : b.if(anyOf(b, tests), outside, body)[0];
};

/** Does something where the guards of an op hold. */
const whereInside = ({ b }: Emit, op: Op, body: () => void): void => {
  const inside = allOf(b, guardsOf(op));
  if (inside) b.if(inside, body);
  else body();
};

type Lowering = (places: Places, op: Op, e: Emit) => readonly Value[] | Value | void;

const lowerings: Readonly<Record<string, Lowering>> = {
  'snode.index': (_p, op, { b }) => b.add(op.operands[0], op.operands[1]),
  'snode.clamp': (_p, op, { b }) =>
    (op.attrs.past === true ? clampPast : clamp)(b, op.operands[0], Number(op.attrs.extent)),
  'snode.inside': (_p, op, { b }) => b.cmp('eq', op.operands[0], op.operands[1]),
  'snode.extract': (_p, op, { b }) =>
    extract(b, op.operands[0], Number(op.attrs.below), Number(op.attrs.extent), op.attrs.signed === true),
  'snode.linearize': (p, op) => p.setNumber(op, (b, instead) => linearize(b, p.node(op), op.operands, instead)),
  'snode.root': (p, op, { storage }) => p.setAddress(op, fixed(storage.root)),
  'snode.child': (p, op) => p.setAddress(op, plus(p.address(op.operands[0]), p.node(op).offset)),
  'snode.offset': (p, op) => p.setAddress(op, plus(p.address(op.operands[0]), Number(op.attrs.bytes))),
  'snode.lookup': (p, op, e) => p.setAddress(op, lookup(e, p.lookup(op, e.b))),
  'snode.lookup_all': (p, op, e) => {
    const lookups = splitOperands(op).map((operands) => p.lookup(op, e.b, operands));
    rare()
      .lookupAll(e, p.node(op), lookups)
      .forEach((cell, k) => p.addresses.set(op.results[k].id, cell));
    return op.results;
  },
  'snode.prefetch': (p, op, e) => rare().prefetchSlot(e, p.node(op).pool!, op.operands),
  'snode.is_active': (p, op, e) => rare().isActive(e, p.lookup(op, e.b)),
  'snode.append': (p, op, e) => {
    const [container, ...coordinates] = unguarded(op);
    const add = (): Value =>
      rare().append(e, p.node(op), p.address(container), coordinates, Number(op.attrs.site ?? 0));
    return where(e.b, op, p.address(container).lost, add, () => e.b.i32(p.node(op).cells));
  },
  'snode.deactivate': (p, op, e) => rare().deactivate(e, p.lookup(op, e.b)),
  'snode.clear': (p, op, e) => rare().clearList(e, p.node(op), p.address(op.operands[0])),
  'snode.length': (p, op, e) =>
    selected(e.b, op, rare().lengthOf(e, p.node(op), p.address(op.operands[0])), () => e.b.i32(0)),
  'snode.load': (p, op, e) => {
    const { node } = p.node(op);
    const value = loadValue(e, node, p.address(op.operands[0]));
    return selected(e.b, op, value, () => ambientValue(e, node.id));
  },
  'snode.store': (p, op, e) =>
    whereInside(e, op, () =>
      storeValue(e, p.node(op).node, op.operands[0], p.address(op.operands[1]), op.attrs.alone === true),
    ),
  'snode.store_word': (p, op, e) => {
    const names = wordFields(op);
    const values = names.map((name, n) => ({ node: e.storage.layout.named.get(name)!, value: op.operands[n] }));
    return whereInside(e, op, () =>
      rare().storeWord(e, values, p.address(op.operands[names.length]), op.attrs.alone === true),
    );
  },
  'snode.atomic': (p, op, e) => {
    const { node } = p.node(op);
    const kind = op.attrs.kind as AtomicKind;
    const [value, place] = op.operands;
    const at = p.address(place);
    const combine = (): Value => atomicValue(e, node, kind, value, at, op.attrs.alone === true);
    /* A sink gives back what was written to it last. */
    return where(e.b, op, op.attrs.asked === true ? at.lost : [], combine, () => ambientValue(e, node.id));
  },
  'snode.assume_active': () => [],
  'snode.check': (_p, op, e) => check(e, op),
  'snode.check_list': (_p, op, e) => {
    const [number, length, ...coordinates] = op.operands;
    e.b.if(e.b.cmp('ge', number, length), () =>
      report(e, 'beyondList', Number(op.attrs.site), [length, ...coordinates]),
    );
  },
};

/** What the number of a cell is made of; where `instead` is given, out of bounds that of a cell in one of the two rows behind the last. */
type NumberMaker = (b: Builder, instead?: Instead) => CellNumber;

/** What is known of indices, and what is to be done out of bounds. */
interface Instead {
  /** Whether they are within bounds. */
  readonly inside: Value | undefined;
  /** Whether the number of the row may be just past the last. */
  readonly past: boolean;
  readonly written: boolean;
}

const linearize = (b: Builder, at: NodeStorage, digits: readonly Value[], instead?: Instead): CellNumber => {
  const { node, strides } = at;
  if (node.morton) return numberInRows(b, interleave(b, digits, node.extents[node.axes[0]]), at, instead);
  const terms = node.axes.map((axis, n) => ({
    digit: n === 0 && instead ? inRows(b, digits[n], node.extents[axis], instead) : digits[n],
    extent: node.extents[axis],
    stride: strides[axis],
  }));
  return {
    isOutside: (b) => terms.map(({ digit, extent }) => b.cmp('ge', digit, b.i32(extent))).reduce(b.or),
    value: () =>
      terms
        .map(({ digit, stride }) => (stride === 1 ? digit : b.mul(digit, b.i32(stride))))
        .reduce((x, y) => b.add(x, y)),
    times: (address, bytes) => terms.reduce((at, { digit, stride }) => along(at, digit, stride * bytes), address),
  };
};

/** The same of a number as a whole. */
const numberInRows = (b: Builder, number: Value, { cells, row }: NodeStorage, instead?: Instead): CellNumber => {
  const value = instead ? inRows(b, number, cells, instead, row) : number;
  return {
    isOutside: (b) => b.cmp('ge', value, b.i32(cells)),
    value: () => value,
    times: (address, bytes) => along(address, value, bytes),
  };
};

/** A number below `first` or, out of bounds, that of the first of what lies behind or, where it is written, the second, `row` further on. */
const inRows = (b: Builder, n: Value, first: number, { inside, past, written }: Instead, row = 1): Value => {
  const own = past && written ? b.select(b.cmp('ge', n, b.i32(first)), b.i32(first + row), n) : n;
  return inside ? b.select(inside, own, b.i32(first + (written ? row : 0))) : own;
};

/** Indices are compared as unsigned numbers, so that negative ones are too large. */
const check = (e: Emit, op: Op): void => {
  const { b } = e;
  const extents = op.attrs.extents as readonly number[];
  const wrong = op.operands.flatMap((index, n) =>
    extents[n] === 0 ? [] : [b.cmp('ge', b.cast(index, 'u32'), b.constant(extents[n], 'u32'))],
  );
  if (wrong.length === 0) return;
  b.if(wrong.reduce(b.or), () => report(e, 'outOfBounds', Number(op.attrs.site), op.operands));
};
