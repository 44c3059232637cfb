import { rare } from '#rare';
import { mapKernels, walk } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { isQuick } from '../support/cycles.js';

/** Allows kernels with functions such as the sine, by the attribute `approximate`, to make others of these on lanes, which differ in the last places. */
export const approximate = corePass(
  'approximate',
  {},
  () => (module) =>
    mapKernels(module, (k) => {
      let found = false;
      walk(k.body, (op) => {
        found ||= !isQuick(op) && Object.hasOwn(rare().expansions, op.name);
      });
      return found ? { ...k, attrs: { ...k.attrs, approximate: true } } : k;
    }),
);
