import { mapRegions, opWith, type Builder, type Op, type OpTable, type Region, type Value } from '@filigree/ir';
import type { ElementOpOf } from '../elements/element-ops.js';
import { isGiven } from '../values/is-given.js';

/** What stands for values of the primal. */
export type ValueOf = (v: Value) => Value;

/** Where an element is among copies; outside of a field there is none, reading it gives what the field gives, and nothing is written. */
export interface Place {
  readonly buffer: string;
  readonly at: (valueOf: ValueOf) => Value;
  /** Whether it is within the field, where that is not certain. */
  readonly inside: (valueOf: ValueOf) => Value | undefined;
  readonly outside: (valueOf: ValueOf) => Value;
}

export const loadFrom = (b: Builder, { buffer, at, inside, outside }: Place, valueOf: ValueOf): Value => {
  const certain = inside(valueOf);
  const load = (): Value => b.load(buffer, at(valueOf));
  return certain ? b.if(certain, load, () => outside(valueOf))[0] : load();
};

/** Where a run has elements, and what becomes of what it reads. */
export interface Elsewhere {
  readonly placeOn: (op: Op) => Place | undefined;
  readonly keep: (read: Op, value: Value, valueOf: ValueOf) => void;
  /** What is done when an op with regions has run. */
  readonly ran: (op: Op, valueOf: ValueOf) => void;
}

/** Appends what a kernel does, but to copies of elements. */
export class Runner {
  constructor(
    private readonly b: Builder,
    private readonly table: OpTable,
    private readonly elementOf: ElementOpOf,
    private readonly to: Elsewhere,
  ) {}

  statements({ ops }: Region, known: Map<number, Value>): void {
    for (const op of ops) {
      this.b.loc = op.loc;
      if (this.table.get(op.name)!.traits.terminator !== true) this.step(op, known);
    }
  }

  private step(op: Op, known: Map<number, Value>): void {
    const { b } = this;
    const valueOf: ValueOf = (v) => known.get(v.id)!;
    const element = this.elementOf(op);
    const place = this.to.placeOn(op);
    const [result] = op.results;
    if (element && place) {
      const { buffer, at, inside } = place;
      if (element.does === 'store') {
        const certain = inside(valueOf);
        const store = (): void => b.store(buffer, valueOf(element.value!), at(valueOf));
        if (certain) b.if(certain, () => (store(), []));
        else store();
        return;
      }
      if (element.does === 'atomic') {
        const kind = op.attrs.kind as Parameters<Builder['atomic']>[1];
        const certain = inside(valueOf);
        const change = (): Value => b.atomic(buffer, kind, valueOf(element.value!), at(valueOf));
        return void known.set(result.id, certain ? b.if(certain, change, () => place.outside(valueOf))[0] : change());
      }
      known.set(result.id, loadFrom(b, place, valueOf));
      return this.to.keep(op, valueOf(result), valueOf);
    }
    if (element?.lasting && element.does !== 'load') return;
    if (isGiven(op)) return op.results.forEach((r, n) => void known.set(r.id, valueOf(op.operands[n])));
    const results = op.results.map((r) => b.newValue(r.type, r.hint));
    const operands = op.operands.map(valueOf);
    b.append(
      opWith(
        mapRegions(op, (r) => this.region(r, known)),
        { operands, results },
      ),
    );
    op.results.forEach((r, n) => known.set(r.id, results[n]));
    if (op.regions.length > 0) this.to.ran(op, valueOf);
  }

  private region(source: Region, around: ReadonlyMap<number, Value>): Region {
    const { b } = this;
    const known = new Map(around);
    const params = source.params.map((p) => b.newValue(p.type, p.hint));
    source.params.forEach((p, n) => known.set(p.id, params[n]));
    const { ops } = b.collect(() => {
      this.statements(source, known);
      const end = source.ops[source.ops.length - 1];
      b.append(opWith(end, { operands: end.operands.map((v) => known.get(v.id)!) }));
    });
    return { params, ops };
  }
}
