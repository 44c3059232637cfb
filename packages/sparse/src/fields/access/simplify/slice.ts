import { type Op, opWith } from '@filigree/ir';

/**
 * The ops within a loop that compute the place of an access and nothing else: arithmetic, and micro-accesses that
 * change nothing. Undefined if the place depends on anything more.
 *
 * @param inside ops within the loop by what they define
 */
export const sliceOf = (access: Op, inside: ReadonlyMap<number, Op>): ReadonlySet<Op> | undefined => {
  const found = new Set<Op>();
  const work = [...access.operands];
  for (let v = work.pop(); v !== undefined; v = work.pop()) {
    const op = inside.get(v.id);
    if (!op || found.has(op)) continue;
    if (!finding.has(op.name) || op.attrs.activate === true) return undefined;
    found.add(op);
    work.push(...op.operands);
  }
  return found;
};

const finding = new Set([
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.shl',
  'snode.index',
  'snode.clamp',
  'snode.inside',
  'snode.extract',
  'snode.linearize',
  'snode.root',
  'snode.child',
  'snode.lookup',
  'snode.offset',
]);

/** An op without its promises of activity, which need not hold where it moves to. */
export const withoutPromise = (op: Op): Op => {
  if (op.attrs.known === undefined) return op;
  const { known: _known, ...attrs } = op.attrs;
  return opWith(op, { attrs });
};
