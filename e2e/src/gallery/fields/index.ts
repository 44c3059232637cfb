import type { Example } from 'filigree';
import { femExample } from './fem.js';
import { gameOfLife } from './game-of-life.js';
import { mgpcgExample } from './mgpcg.js';
import { QUANT_LOOPS } from '../../fields/quant/quant-loops.js';
import { mpmExample } from './mpm.js';
import { mpmQuantExample } from './mpm-quant.js';
import { pathTracerExample } from './path-tracer.js';
import { quantLoopExample } from './quant-loop.js';
import { smokeDecayExample, smokeQuantExample } from './smoke-quant.js';
import { quantSearchExample } from './quant-search.js';
import { sparseCnnExample } from './sparse-cnn.js';
import { structuresExample } from './structures.js';

/** The applications of chapter 2 of the thesis (§2.6), its data structures (Fig. 2-6), and loops over quantised fields (§5.7). */
export const FIELD_EXAMPLES: readonly Example[] = [
  mpmExample(2),
  mpmExample(3),
  femExample,
  mgpcgExample,
  sparseCnnExample,
  pathTracerExample,
  structuresExample,
  ...QUANT_LOOPS.map(quantLoopExample),
  gameOfLife,
  smokeQuantExample,
  smokeDecayExample,
  mpmQuantExample,
  quantSearchExample,
];
