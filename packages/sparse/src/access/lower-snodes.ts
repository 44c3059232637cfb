import {
  coreDialects,
  fail,
  mapKernels,
  pass,
  rewriteOps,
  type Builder,
  type Kernel,
  type Module,
  type Op,
  type Pass,
  type Replacement,
  type Value,
} from '@filigree/ir';
import { isSparse } from '../layout/layout.js';
import type { NodeStorage, Storage } from '../storage/storage.js';
import { along, atomic, fixed, load, plus, store, type Address, type Emit } from './lower/address.js';
import { clamp, extract, interleave } from './lower/digits.js';
import { append, lengthOf } from './lower/list.js';
import { isActive, lookup, type CellNumber, type Lookup } from './lower/lookup.js';
import { lookupAll, scratchFor, splitOperands } from './lower/lookup-all.js';
import { prefetchSlot } from './lower/hash.js';
import { report } from './lower/status.js';
import { clearList, deactivate } from './lower/deactivate.js';
import { snodeDialect } from './snode-dialect.js';

/**
 * Turns micro-accesses into arithmetic, branches and memory operations on the arena, whose buffers the module then
 * declares. Everything that a kernel can do to the structure is emitted here: there is no runtime beneath it.
 */
export const lowerSNodes = (storage: Storage): Pass<Module> => {
  const dialects = [...coreDialects, snodeDialect(storage.layout)];
  return pass('lower-snodes', (module) => {
    const declared = new Map(module.buffers.map((b) => [b.name, b]));
    /* Scratch may have been declared for other kernels, which need less of it. */
    for (const b of [...storage.buffers, ...scratchFor(storage, module)])
      if ((declared.get(b.name)?.length ?? -1) < b.length) declared.set(b.name, b);
    const buffers = [...declared.values()];
    const lowered = mapKernels(module, (kernel) => {
      const places = new Places(kernel, storage);
      return rewriteOps(kernel, dialects, (op, ctx) => places.lower(op, ctx.build), buffers, { share: true });
    });
    return { ...lowered, buffers };
  });
};

type Build = (body: (b: Builder) => readonly Value[] | Value | void) => Replacement;

/** What the handles of a kernel mean, found as its ops are met in order. */
class Places {
  readonly addresses = new Map<number, Address>();
  private readonly numbers = new Map<number, (b: Builder) => CellNumber>();

  constructor(
    private readonly kernel: Kernel,
    private readonly storage: Storage,
  ) {}

  lower(op: Op, build: Build): Replacement | undefined {
    const lowering = lowerings[op.name];
    if (lowering) return build((b) => lowering(this, op, { b, storage: this.storage }));
    for (const v of op.operands)
      if (this.addresses.has(v.id) || this.numbers.has(v.id))
        fail('access/handle', `kernel @${this.kernel.name}: ${op.name} takes the place of a cell as a number`, {
          loc: op.loc,
          remedy: 'micro-accesses are to be lowered where they are made',
        });
    return undefined;
  }

  node(op: Op): NodeStorage {
    return this.storage.nodes[Number(op.attrs.node)];
  }

  address(v: Value): Address {
    return this.addresses.get(v.id) ?? fail('access/handle', `kernel @${this.kernel.name}: %${v.id} is no cell`);
  }

  /** The number of a cell: what `snode.linearize` made, or any value. */
  number(v: Value, b: Builder): CellNumber {
    return this.numbers.get(v.id)?.(b) ?? { value: () => v, times: (address, bytes) => along(address, v, bytes) };
  }

  setAddress(op: Op, address: Address): readonly Value[] {
    this.addresses.set(op.results[0].id, address);
    return op.results;
  }

  setNumber(op: Op, number: (b: Builder) => CellNumber): readonly Value[] {
    this.numbers.set(op.results[0].id, number);
    return op.results;
  }

  lookup(op: Op, b: Builder, operands = op.operands): Lookup {
    const node = this.node(op);
    const hash = node.node.kind === 'hash';
    const activate = (op.attrs.activate === true || op.name === 'snode.lookup_all') && isSparse(node.node);
    return {
      node,
      container: this.address(operands[0]),
      number: hash ? undefined : this.number(operands[1], b),
      coordinates: operands.slice(hash ? 1 : 2),
      activate,
      site: Number(op.attrs.site ?? 0),
    };
  }
}

type Lowering = (places: Places, op: Op, e: Emit) => readonly Value[] | Value | void;

const lowerings: Readonly<Record<string, Lowering>> = {
  'snode.index': (_p, op, { b }) => b.add(op.operands[0], op.operands[1]),
  'snode.clamp': (_p, op, { b }) => clamp(b, op.operands[0], Number(op.attrs.extent)),
  'snode.extract': (_p, op, { b }) =>
    extract(b, op.operands[0], Number(op.attrs.below), Number(op.attrs.extent), op.attrs.signed === true),
  'snode.linearize': (p, op) => p.setNumber(op, (b) => linearize(b, p.node(op), op.operands)),
  'snode.root': (p, op, { storage }) => p.setAddress(op, fixed(storage.root)),
  'snode.child': (p, op) => p.setAddress(op, plus(p.address(op.operands[0]), p.node(op).offset)),
  'snode.offset': (p, op) => p.setAddress(op, plus(p.address(op.operands[0]), Number(op.attrs.bytes))),
  'snode.lookup': (p, op, e) => p.setAddress(op, lookup(e, p.lookup(op, e.b))),
  'snode.lookup_all': (p, op, e) => {
    const lookups = splitOperands(op).map((operands) => p.lookup(op, e.b, operands));
    lookupAll(e, p.node(op), lookups).forEach((cell, k) => p.addresses.set(op.results[k].id, cell));
    return op.results;
  },
  'snode.prefetch': (p, op, e) => prefetchSlot(e, p.node(op).pool!, op.operands),
  'snode.is_active': (p, op, e) => isActive(e, p.lookup(op, e.b)),
  'snode.append': (p, op, e) =>
    append(e, p.node(op), p.address(op.operands[0]), op.operands.slice(1), Number(op.attrs.site ?? 0)),
  'snode.deactivate': (p, op, e) => deactivate(e, p.lookup(op, e.b)),
  'snode.clear': (p, op, e) => clearList(e, p.node(op), p.address(op.operands[0])),
  'snode.length': (p, op, e) => lengthOf(e, p.node(op), p.address(op.operands[0])),
  'snode.load': (p, op, e) => load(e, p.address(op.operands[0]), p.node(op).node.field!.type),
  'snode.store': (p, op, e) => store(e, op.operands[0], p.address(op.operands[1]), p.node(op).node.field!.type),
  'snode.atomic': (p, op, e) =>
    atomic(
      e,
      op.attrs.kind as Parameters<typeof atomic>[1],
      op.operands[0],
      p.address(op.operands[1]),
      p.node(op).node.field!.type,
    ),
  'snode.assume_active': () => [],
  'snode.check': (_p, op, e) => check(e, op),
};

const linearize = (b: Builder, { node, strides }: NodeStorage, digits: readonly Value[]): CellNumber => {
  if (node.morton) {
    const value = interleave(b, digits, node.extents[node.axes[0]]);
    return { value: () => value, times: (address, bytes) => along(address, value, bytes) };
  }
  const terms = node.axes.map((axis, n) => ({ digit: digits[n], stride: strides[axis] }));
  return {
    value: () =>
      terms
        .map(({ digit, stride }) => (stride === 1 ? digit : b.mul(digit, b.i32(stride))))
        .reduce((x, y) => b.add(x, y)),
    times: (address, bytes) => terms.reduce((at, { digit, stride }) => along(at, digit, stride * bytes), address),
  };
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
