import { originalPositionFor, TraceMap, type SourceMapInput } from '@jridgewell/trace-mapping';
import { transform as strip } from 'sucrase';
import { transform } from '@filigree/lang/plugin';

/** A program as it runs: no types, no imports, and where each of its places was in the text. */
export interface Stripped {
  readonly code: string;
  /** A place of the text that was written, from one of the text without types. */
  readonly original: (line: number, column: number) => { readonly line: number; readonly column: number };
}

/** The name of the program, in places. */
export const FILE = 'program.ts';

/**
 * Takes the types out of a module, lets kernels keep what they use, and makes imports of it calls of `require`. Lines stay where they are.
 * Throws what is wrong with the text.
 */
export const stripped = (text: string): Stripped => {
  const { code, sourceMap } = strip(text, {
    transforms: ['typescript'],
    disableESTransforms: true,
    filePath: FILE,
    sourceMapOptions: { compiledFilename: FILE },
  });
  const places = new TraceMap(sourceMap as SourceMapInput);
  const kept = transform(code, FILE)?.code ?? code;
  return {
    code: strip(kept, { transforms: ['imports'], disableESTransforms: true, preserveDynamicImport: true }).code,
    original: (line, column) => {
      const found = originalPositionFor(places, { line, column: Math.max(0, column - 1) });
      return found.line === null ? { line, column } : { line: found.line, column: found.column + 1 };
    },
  };
};
