import type { Program } from '../program.js';
import { arithmeticPrograms } from './arithmetic.js';
import { controlFlowPrograms } from './control-flow.js';
import { failurePrograms } from './failures.js';
import { inStepPrograms } from './in-step.js';
import { largePrograms } from './large.js';
import { loweredPrograms } from './lowered/index.js';
import { mathPrograms } from './math.js';
import { memoryPrograms } from './memory.js';
import { randomPrograms } from '../random/random-program.js';
import { pairPrograms } from './pairs.js';
import { reductionPrograms } from './reductions.js';
import { scratchPrograms } from './scratch.js';
import { stepPrograms } from './steps.js';
import { teamPrograms } from './teams.js';
import { choicePrograms } from './lanes-that-choose.js';
import { searchPrograms } from './lanes-that-search.js';
import { vectorWordPrograms } from './vector-words.js';
import { vectorPrograms } from './vectors.js';

/** All programs of the suite, the same in every run. Built when they are first asked for: that takes seconds. */
export const conformancePrograms = (): readonly Program[] => (programs ??= build());

let programs: readonly Program[] | undefined;

const build = (): readonly Program[] => [
  ...arithmeticPrograms(),
  ...mathPrograms(),
  ...controlFlowPrograms(),
  ...memoryPrograms(),
  ...scratchPrograms(),
  ...reductionPrograms(),
  ...pairPrograms(),
  ...teamPrograms(),
  ...inStepPrograms(),
  ...stepPrograms(),
  ...vectorPrograms(),
  ...vectorWordPrograms(),
  ...searchPrograms(),
  ...choicePrograms(),
  ...loweredPrograms(),
  ...largePrograms(),
  ...failurePrograms(),
  ...randomPrograms(RANDOM),
];

/** Random kernels in the suite; `randomPrograms` makes more. */
const RANDOM = 8;
