import type { Example } from 'filigree';
import { linaExample } from './lina.js';
import { planeWaveExample } from './plane-wave.js';
import { seissolExample } from './seissol.js';

/** The applications of small tensors (YATeTo, §5 and §6). */
export const TENSOR_EXAMPLES: readonly Example[] = [seissolExample, linaExample, planeWaveExample];
