/** Columns at which the lines of a program are counted. */
export const COLUMNS = 80;

/**
 * Lines of a C++ or TypeScript program that are neither empty nor only comment. A line that is longer than 80 columns counts
 * as the lines it would take at that width, so that a wide layout gains nothing.
 */
export const linesOfCode = (source: string): number =>
  withoutComments(source)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .reduce((sum, line) => sum + Math.ceil(line.length / COLUMNS), 0);

/** Strings are kept, whatever they hold. */
const withoutComments = (source: string): string =>
  source.replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('//') ? '' : found.startsWith('/*') ? found.replace(/[^\n]/g, '') : found,
  );
