import type { Op, Value } from './op.js';

/**
 * How control flows through the regions of an op, and what it carries. Whoever wants to know whether an op is a loop, how often it
 * runs, or where a value of one of its regions comes from, asks this and not the op's name.
 */
export interface Control {
  /** All ways that control may take, from the beginning of the op to its end. */
  readonly edges: readonly ControlEdge[];
  /** Of a loop whose number of iterations is known before the first: what it counts. Such a loop has one region. */
  readonly count?: LoopCount;
  /** The iterations of a loop may run at once. */
  readonly parallel?: boolean;
  /** Passes must not drop what is carried. Without it an op without one of the values that it carries is well-formed too. */
  readonly fixed?: boolean;
}

/**
 * A way that control may take: from the op's beginning or the end of a region to the beginning of a region or the op's
 * end; regions by number. It hands on operands, of the op or of the region's terminator: those from `first` on are the region's
 * parameters from `into` on, or the op's results. Parameters before `into` are the op's own, such as the counter of a loop.
 */
export interface ControlEdge {
  readonly from: 'start' | number;
  readonly to: number | 'end';
  readonly first: number;
  readonly into: number;
  /** An operand of the op or terminator on which it depends whether control goes this way, and what it is then. */
  readonly when?: { readonly operand: number; readonly is: boolean };
}

/** The iterations of a loop: one for each of lower, lower + step, … below upper. Numbers stand for what is no operand. */
export interface LoopCount {
  readonly lower: Value | number;
  readonly upper: Value | number;
  readonly step: Value | number;
  /** The number of the region's parameter that counts, if one does. */
  readonly counter?: number;
}

/** The values that a way hands on. */
export const handedOn = (op: Op, { from, first }: ControlEdge): readonly Value[] => {
  if (from === 'start') return first === 0 ? op.operands : op.operands.slice(first);
  const { ops } = op.regions[from];
  return ops[ops.length - 1].operands.slice(first);
};

/** The values that they are where they arrive: parameters of a region, or results. */
export const receivedBy = (op: Op, { to, into }: ControlEdge): readonly Value[] => {
  const there = to === 'end' ? op.results : op.regions[to].params;
  return into === 0 ? there : there.slice(into);
};

/** Whether a region may run again after it has run, while the op runs once. */
export const repeats = ({ edges }: Control, region: number): boolean => reaches(edges, region, region);

/** Whether an op repeats one of its regions. */
export const isLoop = (control: Control): boolean =>
  control.edges.some(({ to }) => to !== 'end' && repeats(control, to));

/** Whether a region runs whenever the op does, whatever conditions and bounds are. */
export const alwaysRuns = ({ edges }: Control, region: number): boolean =>
  !reaches(
    edges.filter(({ to }) => to !== region),
    'start',
    'end',
  );

const reaches = (edges: readonly ControlEdge[], from: ControlEdge['from'], to: ControlEdge['to']): boolean => {
  const seen = new Set<ControlEdge['from']>([from]);
  for (const at of seen)
    for (const edge of edges) {
      if (edge.from !== at) continue;
      if (edge.to === to) return true;
      if (edge.to !== 'end') seen.add(edge.to);
    }
  return false;
};
