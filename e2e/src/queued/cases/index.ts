import type { QueuedCase } from '../case.js';
import { autodiffForces } from './autodiff-forces.js';
import { autodiffReduction } from './autodiff-reduction.js';
import { chainCopy } from './chain-copy.js';
import { deepHierarchy } from './deep-hierarchy.js';
import { fillArray } from './fill-array.js';
import { increments } from './increments.js';
import { maccormack } from './maccormack.js';
import { mgpcg2d } from './mgpcg2d.js';
import { mgpcg3d } from './mgpcg3d.js';
import { mpmG2p2g } from './mpm-g2p2g.js';
import { mpmSplit } from './mpm-split.js';
import { multires } from './multires.js';
import { simpleAdvection } from './simple-advection.js';
import { sparseSaxpy } from './sparse-saxpy.js';
import { stencilReduction } from './stencil-reduction.js';

/** The microbenchmarks of chapter 4 of the thesis. */
export const QUEUED_CASES: readonly QueuedCase[] = [
  chainCopy,
  increments,
  fillArray,
  sparseSaxpy,
  autodiffReduction,
  stencilReduction,
  simpleAdvection,
  multires,
  deepHierarchy,
  mpmSplit,
];

/** The larger cases of that chapter. */
export const LARGE_QUEUED_CASES: readonly QueuedCase[] = [maccormack, mgpcg2d, mgpcg3d, mpmG2p2g, autodiffForces];
