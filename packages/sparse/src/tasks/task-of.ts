import {
  accessesBy,
  bufferMap,
  controlBy,
  mayTrap,
  opTable,
  type AccessesOf,
  type Buffer,
  type Control,
  type Dialect,
  type Kernel,
  type Op,
  type OpDef,
  type Region,
  type Value,
} from '@filigree/ir';
import { valueName, structureName } from '../fields/access/field-dialect.js';
import { extentAlong } from '../fields/access/path.js';
import { axesOf, isSparse, nodeOf, nodesWithin, pathTo, type Layout, type SNode } from '../fields/layout/layout.js';
import { changesOf } from '../fields/loops/changes.js';
import { isAroundBoth, isAtOwnElement } from '../fields/loops/own.js';
import { activationOf } from './activation.js';
import { coverage, ownText, type Extents } from './elements.js';
import { counter, formsOf, type Form, type Forms } from './forms.js';
import { byNumber } from './row-by-row.js';
import { spansOf } from './spans.js';
import { allocatorName, ANYTHING, isList, type Activation, type Task, type Touch } from './task.js';

/** What tasks are of: a layout, the buffers of the module, and the dialects of its ops. */
export interface TaskSetting {
  readonly layout: Layout;
  readonly buffers: readonly Buffer[];
  readonly dialects: readonly Dialect[];
}

/** What a kernel of one task does, from what its ops say of themselves (`control`, `effects`, `accesses`). */
export const taskOf = (kernel: Kernel, setting: TaskSetting): Task => {
  const table = opTable(setting.dialects);
  const control = controlBy(table);
  const loop = kernel.body.ops.find((op) => control(op)?.parallel === true);
  const reading = new Reading(setting, (op) => table.get(op.name), control, accessesBy(table), loop);
  reading.region(kernel.body, { always: true, inLoop: false, depth: 0, counters: [] });
  reading.follow(kernel);
  const alone = loop?.results.length === 0 && kernel.body.ops.indexOf(loop) === kernel.body.ops.length - 2;
  return {
    kernel,
    loop,
    domain: alone ? reading.domain : undefined,
    touches: reading.touches,
    activations: reading.activations,
    mayFail: reading.mayFail,
    size: reading.size,
  };
};

/** Where an op stands. */
interface Standing {
  /** Whether each iteration of the loop, or the stretch, runs it. */
  readonly always: boolean;
  readonly inLoop: boolean;
  readonly depth: number;
  /** The counters of the loops around it. */
  readonly counters: readonly Form[];
}

class Reading {
  readonly touches = new Map<string, Touch>();
  readonly activations: Activation[] = [];
  domain: string | undefined;
  mayFail = false;
  size = 0;
  private readonly forms: Forms;
  private readonly extents: ReadonlyMap<string, Extents>;
  /** Each task has its own. */
  private readonly scratch: ReadonlySet<string>;
  private readonly node: SNode | undefined;
  private readonly lost: ReadonlySet<number>;
  private writes: ReadonlySet<string> | undefined;
  private params: readonly Form[] = [];
  /** What the loop counts, if it does. */
  private range: readonly [number, number] | undefined;
  /** Elements that were read, by the value that was there: those that the iteration alone tells. */
  private readonly loads = new Map<number, { readonly place: string; readonly text: string }>();

  constructor(
    private readonly setting: TaskSetting,
    private readonly def: (op: Op) => OpDef | undefined,
    private readonly control: (op: Op) => Control | undefined,
    private readonly accesses: AccessesOf,
    private readonly loop: Op | undefined,
  ) {
    const { layout } = setting;
    this.forms = formsOf(def);
    this.extents = extentsOf(setting);
    this.scratch = new Set(setting.buffers.flatMap((b) => (b.role === 'scratch' ? [b.name] : [])));
    this.node = loop && nodeOf(layout, loop);
    this.lost = loop && this.node ? changesOf(layout, loop.regions[0], this.node.id).lost : new Set();
  }

  region(region: Region, at: Standing): void {
    for (const op of region.ops) {
      this.op(op, at);
      this.forms.note(op);
      if (op.attrs.distinct === true && at.inLoop) this.permuted(op);
      const control = this.control(op);
      op.regions.forEach((inner) => {
        this.region(inner, op === this.loop ? this.enterLoop(op, control!) : this.enter(control, inner, at));
      });
    }
  }

  /** Where the index does not tell which elements of a buffer or field an iteration touches, the iterations are followed. */
  follow(kernel: Kernel): void {
    const { range, loop, setting, def, control, accesses } = this;
    if (!range || !loop) return;
    const buffers = bufferMap(setting.buffers);
    const touched = [...this.touches].filter(([place]) => this.extents.get(place)?.includes(undefined) === false);
    const open = touched.filter(([, { own }]) => own === undefined);
    const byTables = touched.some(([place]) => buffers.get(place)?.data !== undefined);
    if (!byTables || !open.some(([, { writes }]) => writes)) return;
    const asking = { def, control, accesses: byNumber(kernel, accesses, this.extents) };
    const spans = spansOf(kernel, loop, range, setting, asking);
    for (const [place, touch] of open) this.touches.set(place, { ...touch, own: spans(place, touch.writes) });
  }

  /**
   * A promise that a number is another one in each iteration. Whoever is told so must not run as one with a task that changes the number
   * in between: the element that it lies in counts as read by all.
   */
  private permuted({ operands: [x], results: [to], attrs }: Op): void {
    const load = this.loads.get(x.id);
    if (!load || this.domain === undefined || this.written.has(load.place)) return;
    this.note(load.place, 'read', undefined, false);
    const range = [Number(attrs.lo), Number(attrs.hi) - 1] as const;
    this.forms.enter([to], [{ text: `%each(${load.text})`, range, distinct: true }]);
  }

  /** States that the task writes. */
  private get written(): ReadonlySet<string> {
    if (this.writes) return this.writes;
    const writes = new Set<string>();
    const look = (region: Region): void =>
      region.ops.forEach((op) => {
        for (const { kind, buffer } of this.def(op)?.effects(op) ?? [])
          if (kind !== 'read' && buffer !== undefined) writes.add(buffer);
        op.regions.forEach(look);
      });
    if (this.loop) this.loop.regions.forEach(look);
    this.writes = writes;
    return writes;
  }

  private enterLoop(op: Op, control: Control): Standing {
    const { layout } = this.setting;
    const [{ params }] = op.regions;
    const attrs = JSON.stringify(op.attrs);
    if (control.count) {
      const range = this.countedBy(control);
      this.params = range ? [counter('%0', range)] : [];
      if (range && params.length === 1 && control.count.counter === 0) {
        this.domain = `${op.name}${attrs}${range.join()}`;
        this.range = range;
      }
    } else if (this.node && op.operands.length === 0) {
      const axes = axesOf(layout, this.node.id);
      this.params = axes.map((axis, n) => {
        const extent = extentAlong(layout, this.node!.id, axis);
        return counter(`%${n}`, extent === undefined ? undefined : [0, extent - 1]);
      });
      /* What scratchpads hold is the same for all ops of a loop. */
      if (!Array.isArray(op.attrs.cache))
        this.domain = boxOf(layout, this.node.id, op, this.params) ?? `${op.name}${attrs}`;
    }
    this.forms.enter(params, this.params);
    return { always: true, inLoop: true, depth: 0, counters: control.count ? this.params : [] };
  }

  private enter(control: Control | undefined, { params }: Region, at: Standing): Standing {
    const range = control && this.countedBy(control);
    const depth = at.depth + 1;
    if (!range || control.count!.counter === undefined) return { ...at, always: false, depth };
    const form = counter(`c${at.inLoop ? depth : -depth}`, range);
    const at0 = control.count!.counter;
    this.forms.enter([params[at0]], [form]);
    return { ...at, depth, counters: [...at.counters, form] };
  }

  /** The numbers that a loop counts, if they are known, one by one and not none. */
  private countedBy({ count }: Control): readonly [number, number] | undefined {
    if (!count) return undefined;
    const [lower, upper, step] = [count.lower, count.upper, count.step].map((x) => this.constant(x));
    return step === 1 && lower !== undefined && upper !== undefined && lower < upper ? [lower, upper - 1] : undefined;
  }

  private constant(x: Value | number): number | undefined {
    if (typeof x === 'number') return x;
    const range = this.forms.of(x)?.range;
    return range && range[0] === range[1] ? range[0] : undefined;
  }

  private op(op: Op, at: Standing): void {
    const def = this.def(op);
    this.size++;
    if (!def) return this.note(ANYTHING, 'atomic', undefined, false);
    const accesses = this.accesses(op) ?? [];
    /* Memory is always there: an index is clamped, or within its buffer. */
    if (mayTrap(def, op) && accesses.length === 0 && !this.dividesByConstant(op)) this.mayFail = true;
    const { layout } = this.setting;
    const [read] = accesses;
    if (accesses.length === 1 && read.kind === 'read' && op.results.length === 1) {
      const index = read.index.map((v) => this.forms.of(v)?.text);
      if (!index.includes(undefined))
        this.loads.set(op.results[0].id, { place: read.place, text: `${read.place}[${index.join()}]` });
    }
    const own = at.inLoop && this.node && isAtOwnElement(layout, op, this.loop!.regions[0], this.node.id);
    const grown: string[] = [];
    for (const { kind, buffer } of def.effects(op)) {
      if (buffer === undefined || kind === 'allocate' || kind === 'free' || kind === 'io') {
        this.note(ANYTHING, 'atomic', undefined, false);
        this.mayFail = true;
        continue;
      }
      const node = this.masks.get(buffer);
      if (node === undefined || kind === 'read') {
        const here = accesses.filter((a) => a.place === buffer);
        const touched =
          here.length === 0
            ? undefined
            : this.ownOf(
                here.map((a) => a.index),
                buffer,
                at,
              );
        const all =
          here.length === 1 && here[0].kind === 'write' && at.always && this.overwrites(here[0].index, buffer, own, at);
        this.note(buffer, kind, touched, all || (kind === 'write' && isList(buffer) && at.always));
      } else if (!(own && this.isAroundOwn(op, node))) grown.push(buffer);
    }
    if (grown.length > 0) this.changesMasks(op, grown, at);
  }

  /** Whether a node's cell around the element of an op is that around the loop's own element, which is active. */
  private isAroundOwn(op: Op, node: number): boolean {
    const { layout } = this.setting;
    const path = layout.fields.get(String(op.attrs.field))!.path;
    return this.lost.size === 0 && isAroundBoth(layout, node, this.node!.id, path);
  }

  private changesMasks(op: Op, masks: readonly string[], at: Standing): void {
    const { layout } = this.setting;
    const lost = changesOf(layout, { params: [], ops: [op] }).lost;
    for (const mask of masks) {
      const node = layout.nodes[this.masks.get(mask)!];
      this.note(mask, 'write', undefined, false, lost.has(node.id));
      if (!node.pointer && node.kind !== 'hash' && node.kind !== 'dynamic') continue;
      this.note(allocatorName(node.name), 'atomic', undefined, false);
      if (lost.size === 0) this.mayFail = true;
    }
    if (lost.size === 0)
      this.activations.push({
        op,
        ...activationOf(layout, op, this.domain ?? '', this.forms),
        always: at.always,
        masks,
      });
  }

  private ownOf(indices: readonly (readonly Value[])[], place: string, at: Standing): string | undefined {
    if (!at.inLoop || this.domain === undefined) return undefined;
    const texts = indices.map((index) => ownText(index.map(this.forms.of), this.params, this.extents.get(place)));
    return texts.every((t) => t === texts[0]) ? texts[0] : undefined;
  }

  private overwrites(index: readonly Value[], place: string, own: boolean | undefined, at: Standing): boolean {
    /* All active elements; the others have no value. */
    if (own && this.placesOf(this.node!).includes(place) && this.lost.size === 0) return true;
    if (at.inLoop && at.counters.length === 0) return false;
    return coverage(index.map(this.forms.of), at.counters, this.extents.get(place));
  }

  private placesOf(node: SNode): readonly string[] {
    return node.children.flatMap((c) => {
      const child = this.setting.layout.nodes[c];
      return child.field ? [valueName(child)] : [];
    });
  }

  private dividesByConstant({ operands }: Op): boolean {
    const by = operands.length === 2 ? this.constant(operands[1]) : undefined;
    return by !== undefined && by > 0;
  }

  private note(
    state: string,
    kind: 'read' | 'write' | 'atomic',
    own: string | undefined,
    overwrites: boolean,
    removes = false,
  ): void {
    if (this.scratch.has(state)) return;
    const known = this.touches.get(state);
    const reads = kind !== 'write' || known?.reads === true;
    this.touches.set(state, {
      reads,
      writes: kind !== 'read' || known?.writes === true,
      overwrites: !reads && (overwrites || known?.overwrites === true),
      removes: removes || known?.removes === true,
      own: known === undefined || known.own === own ? own : undefined,
    });
  }

  private get masks(): ReadonlyMap<string, number> {
    return masksOf(this.setting.layout);
  }
}

/** Nodes by the names of their masks. */
const masksOf = (layout: Layout): ReadonlyMap<string, number> => {
  const known = knownMasks.get(layout) ?? new Map(layout.nodes.filter(isSparse).map((n) => [structureName(n), n.id]));
  knownMasks.set(layout, known);
  return known;
};

const knownMasks = new WeakMap<Layout, ReadonlyMap<string, number>>();

/** How many elements values have along each axis, by state. */
export const extentsOf = ({ layout, buffers }: TaskSetting): ReadonlyMap<string, Extents> => {
  const fields = nodesWithin(layout, 0).flatMap((n): [string, Extents][] => {
    const leaf = layout.nodes[n];
    return leaf.field ? [[valueName(leaf), axesOf(layout, n).map((axis) => extentAlong(layout, n, axis))]] : [];
  });
  return new Map([...buffers.map(({ name, length }): [string, Extents] => [name, [length]]), ...fields]);
};

/** Whether all elements of a node are there, each for itself. */
export const isBox = (layout: Layout, node: number): boolean =>
  pathTo(layout.nodes, node).every((n) => !isSparse(layout.nodes[n]) && layout.nodes[n].kind !== 'bits');

/**
 * A loop over all elements of a node around which nothing is sparse is one over a box: it does in any order what it would do over another node of the same
 * extents. Elements that share words stay a domain of their own.
 */
const boxOf = (layout: Layout, node: number, op: Op, params: readonly Form[]): string | undefined => {
  if (!isBox(layout, node)) return undefined;
  const attrs = JSON.stringify({ ...op.attrs, node: undefined });
  return `${op.name}${attrs}${axesOf(layout, node).join()}(${params.map((p) => p.text).join()})`;
};
