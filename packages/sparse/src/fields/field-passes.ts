import { checkOptions, type Module, type Pass, type PassRegistry } from '@filigree/ir';
import { rare } from '#lowering';
import { lowerAccess } from './access/lower-access.js';
import { lowerSNodes } from './access/lower-snodes.js';
import { simplifications, simplifyAccess } from './access/simplify-access.js';
import { boxLoops } from './loops/box-loops.js';
import { carryElements } from './loops/carry-elements.js';
import { cutLoops } from './loops/cut-loops.js';
import { flattenBranches } from './loops/flatten.js';
import { lowerLoops } from './loops/lower-loops.js';
import { markLanes, markLanesSpec } from './loops/mark-lanes.js';
import { ownWords } from './loops/own-words.js';
import { sumsInside } from './loops/sums-inside.js';
import { lowerFields } from './lower-fields.js';
import type { Storage } from './storage/storage.js';

/**
 * The passes on fields of a storage, by the names that `parsePipeline` reads, in the order in which `lowerFields` runs them;
 * `lower-fields` is all of them.
 */
export const fieldPasses = (storage: Storage): PassRegistry<Module> => ({
  'debug-checks': (options) => without(rare().debugChecks(storage))(options),
  'flatten-branches': without(flattenBranches(storage.layout)),
  'sums-inside': without(sumsInside(storage.layout)),
  'carry-elements': without(carryElements(storage.layout)),
  'own-words': without(ownWords(storage.layout)),
  'box-loops': without(boxLoops(storage.layout)),
  'cut-loops': without(cutLoops(storage.layout)),
  'mark-lanes': (options) => markLanes(storage.layout, checkOptions('mark-lanes', options, markLanesSpec)),
  'lower-loops': (options) => lowerLoops(storage, options),
  'lower-access': (options) => lowerAccess(storage, options),
  'simplify-access': (options) => simplifyAccess(storage, options),
  ...Object.fromEntries(Object.entries(simplifications(storage)).map(([name, p]) => [name, without(p)])),
  'lower-snodes': without(lowerSNodes(storage)),
  'lower-fields': (options) => lowerFields(storage, options),
});

/** A pass that takes no options. */
const without =
  (pass: Pass<Module>): PassRegistry<Module>[string] =>
  (options) => {
    checkOptions(`pass '${pass.name}'`, options, {});
    return pass;
  };
