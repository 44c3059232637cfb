import { root } from '../lib/workspace.mjs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What FILIGREE_TARGET may be here, the best last, as the built packages say. @type {() => Promise<readonly string[]>} */
export const instructionSetsHere = async () => {
  const backend = await import(pathToFileURL(join(root, 'packages/backend/dist/native/index.js')).href);
  return backend.instructionSets();
};
