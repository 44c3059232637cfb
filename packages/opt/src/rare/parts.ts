/** What few targets need of the passes: those with teams of threads, those that gather, those that multiply and add at once, those that have vectors and no functions for them. */
export { carryLoadsOf } from '../carry-loads/carry-loads-of.js';
export { holdElementsOf } from '../hold-elements/hold-elements-of.js';
export { fuseKernel } from '../fuse-products/fuse-kernel.js';
export { expansions } from '../lane-functions/expansions.js';
export { jamModule } from '../jam-nests/jam-module.js';
export { expandKernel } from '../lane-functions/expand-kernel.js';
export { reduceByTeams, reduceInTeam } from '../privatize/by-team.js';
export { holdsTeamLoop, reduceByTrees, threadsForTrees } from '../privatize/by-tree.js';
export { scattersApart } from '../privatize/scatters-apart.js';
export { countsFromZero, TEAMS } from '../privatize/in-team.js';
export { distributeLoops } from '../vectorize/distribute-loops.js';
export { promoteArrays } from '../own-arrays/promote-arrays.js';
export { writeOutLoops } from '../own-arrays/write-out-loops.js';
export { rowsHeld } from '../unroll/rows-held.js';
export { allChosen, choicesIn, noTurns, withTurns } from '../vectorize/choices.js';
export { restsOfQuotients } from '../quick-remainders/rests-of-quotients.js';
export { tileNests } from '../tile/tile-nests.js';
export { foldWholeQuotient } from '../integer-range/whole-quotients.js';
