import { rare } from '#rare';
import type { Op, Region } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Writes out short loops that read a row of an iteration for lanes again and again: the sum over `d < 10` of `(x[i][d] - c[k][d]) ** 2` for each `k` reads `x[i]` as often as there are
 * centres. Written out, these loads are of no `k`, so that they leave its loop (`licm`), and vectors of many rows (`vectorizeNests`) stay in registers: gathered once, each is then computed with at full width.
 *
 * Taken are innermost loops of known length within a serial loop within one for lanes, if they load what depends on the iteration for lanes, and not on the loop between, which writes nothing there. Options:
 * `maxTrips` (default 32) and `maxOps` (default 512), beyond which loops stay.
 */
export const holdRows = corePass(
  'hold-rows',
  { maxTrips: 32, maxOps: 512 },
  (dialects, limits) => (module) =>
    module.kernels.some(({ body }) => isDeep(body, 0)) ? rare().rowsHeld(module, dialects, limits) : module,
);

/** Whether loops are three deep, the first for lanes. */
const isDeep = ({ ops }: Region, around: number): boolean =>
  ops.some((op) => {
    const depth = isForLanes(op) ? 1 : around > 0 && isSerial(op) ? around + 1 : around;
    return depth > 2 || op.regions.some((r) => isDeep(r, depth));
  });

/** Whether iterations of a loop are to be lanes. */
export const isForLanes = ({ name, attrs }: Op): boolean => name === 'scf.for' && attrs['simd'] === true;

/** Whether a loop runs one iteration after the other. */
export const isSerial = ({ name, attrs }: Op): boolean =>
  name === 'scf.for' && attrs['parallel'] !== true && attrs['simd'] !== true && attrs['team'] !== true;
