import { circleOf, fileOf } from './import-circle.mjs';
import { specifiers } from './specifiers.mjs';

/**
 * The rule `filigree/circles`: no file imports one that, directly or by others, imports it. Files in a circle can only be
 * understood together, and which of them is evaluated first is a matter of who is imported first. Imports of types count as those
 * of values do, and so do those of `import()`, which would only hide a circle.
 *
 * Other files are read once a process: an editor that keeps the linter running sees them as they were.
 *
 * @type {import('./specifiers.mjs').Rule}
 */
export const circlesRule = {
  create: (context) =>
    specifiers((source, specifier) => {
      if (!specifier.startsWith('.')) return;
      const circle = circleOf(context.filename, fileOf(context.filename, specifier));
      if (circle)
        context.report({
          node: source,
          message: `This import closes a circle: ${circle.map(short).join(' → ')}. Take what both need into a file of its own, or hand it down as a value.`,
        });
    }),
};

/** A path below the sources of its package. @type {(file: string) => string} */
const short = (file) => file.replaceAll('\\', '/').replace(/^.*?\/packages\/[^/]+\/src\//, '');
