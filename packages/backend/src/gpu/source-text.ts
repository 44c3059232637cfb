import { fail } from '@filigree/ir';
import type { Sources } from '../contract.js';
import type { GpuLanguage } from './language.js';

/** The text of kernels among sources. Error: `NAME/sources` where they are another backend's. */
export const sourceText = ({ name, file }: GpuLanguage, sources: Sources): string => {
  const text = sources.files.find((f) => f.name === file)?.contents;
  return typeof text === 'string'
    ? text
    : fail(`${name}/sources`, `these sources of backend '${sources.backend}' have no ${file}`, {
        remedy: "pass what this backend's emit made",
      });
};
