import type { Program } from '../../program.js';
import { fieldPrograms } from './fields.js';
import { gemmPrograms } from './gemm.js';
import { lowered, targets } from './on-fields.js';
import { quantPrograms } from './quant.js';
import { tensorProgram } from './tensors.js';

/** What packages above kernel IR make: kernels as backends get them from `sparse`, `quant` and `tensor`. */
export const loweredPrograms = (): readonly Program[] => [
  ...targets.flatMap((target) => [...fieldPrograms(), ...quantPrograms()].map((p) => lowered(p, target))),
  ...gemmPrograms(),
  ...targets.map(tensorProgram),
];
