import type { Op } from '@filigree/ir';
import { runsInTurn } from './runs-in-turn.js';

/** The only loop in a loop, where both run in turn and hand nothing on. */
export const innerLoop = (loop: Op): Op | undefined => {
  if (!runsInTurn(loop) || loop.results.length > 0) return undefined;
  const inner = loop.regions[0]!.ops.filter(({ regions }) => regions.length > 0);
  return inner.length === 1 && runsInTurn(inner[0]!) && inner[0]!.results.length === 0 ? inner[0] : undefined;
};
