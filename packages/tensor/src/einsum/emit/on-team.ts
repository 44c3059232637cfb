import { byteSize } from '@filigree/ir';
import type { Action, Plan } from '../plan/plan.js';

/** What the threads have that run a kernel for one element together. */
export interface TeamRoom {
  /** Bytes that they may share. */
  readonly sharedBytes: number;
}

/**
 * Whether a team of threads runs each element of a kernel for many, the entries of what each action writes divided among them, those of
 * sparse tensors by lists: where no action reads what it writes, there are entries enough, and the team has room for intermediate results.
 *
 * @param bufferOf where a tensor lies
 */
export const runsOnTeam = (
  { actions, buffers, type }: Plan,
  bufferOf: (tensor: string) => string,
  team: TeamRoom | undefined,
): boolean =>
  team !== undefined &&
  buffers.reduce((bytes, size) => bytes + size * byteSize(type), 0) <= team.sharedBytes &&
  Math.max(0, ...actions.map((a) => a.target.layout.size)) >= FEW &&
  actions.every((a) => sourcesOf(a).every((o) => bufferOf(o.name) !== bufferOf(a.target.name)));

const sourcesOf = ({ operation: o }: Action) =>
  o.kind === 'copyscaleadd' || o.kind === 'indexsum' ? [o.source] : [o.left, o.right];

/* Threads that go in step: with fewer entries most of them would wait. */
const FEW = 32;
