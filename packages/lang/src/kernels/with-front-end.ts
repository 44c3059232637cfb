import { DiagnosticError } from '@filigree/ir';
import { loadFrontEnd } from '#parts';
import { loadRareWords } from '#rare';

/**
 * Runs the front end, and again with what was missing: pages have the parser only if some function was not parsed when they were built, and what few
 * kernels use of the language only if one does. Whoever lowers kernels in a page does it here.
 */
export const withFrontEnd = async <T>(run: () => T): Promise<T> => {
  try {
    return run();
  } catch (e) {
    const code = e instanceof DiagnosticError ? e.diagnostics.find((d) => d.code in missingParts)?.code : undefined;
    if (code === undefined) throw e;
    await missingParts[code]();
    return withFrontEnd(run);
  }
};

/** What loads parts of the front end, by the error that says that they are missing. */
const missingParts: Readonly<Record<string, () => Promise<void>>> = {
  'lang/not-loaded': loadFrontEnd,
  'lang/words-not-loaded': loadRareWords,
};
