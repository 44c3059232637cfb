/** `npm run new-package NAME [-- --imports ir,opt]`: a package that builds, tests and publishes, holding one pass to start from. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { floors, packageName } from '../lint/floors.mjs';
import { command } from './command.mjs';
import { createPackage } from './create-package.mjs';

/** @param {string} folder */
const camelCase = (folder) => folder.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** @param {string} folder */
const sources = (folder) => ({
  'src/index.ts': `export { ${camelCase(folder)} } from './${folder}.js';\n`,
  [`src/${folder}.ts`]: `import { type Module, type Pass, pass } from '@filigree/ir';

/** The pass \`${folder}\`: takes a module and gives it back unchanged, until it has work to do. */
export const ${camelCase(folder)}: Pass<Module> = pass('${folder}', (module: Module) => module);
`,
  [`tests/${folder}.test.ts`]: `import { parseModule, printModule } from '@filigree/ir';
import { ${camelCase(folder)} } from '${packageName(folder)}';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { expect, test } from 'vitest';

test('${folder} keeps a module that it has nothing to do for', () => {
  const text = 'module @empty {\\n}\\n';
  const result = pipe(parseModule(text), E.chain(${camelCase(folder)}.run), E.map(printModule));
  expect(result).toEqual(pipe(parseModule(text), E.map(printModule)));
  expect(E.isRight(result)).toBe(true);
});
`,
  'README.md': `# ${packageName(folder)}

What this package does, and why someone would want it.

\`\`\`js
import { ${camelCase(folder)} } from '${packageName(folder)}';

console.log(${camelCase(folder)}.name);
\`\`\`

## API

| name | does |
|---|---|
| \`${camelCase(folder)}\` | a \`Pass<Module>\` that changes nothing yet |
`,
});

command(
  'npm run new-package NAME [-- --imports ir,opt]',
  { imports: { type: 'string' } },
  (root, folder, { imports }) => {
    const allowed = (floors[folder]?.imports ?? ['ir']).filter((name) => existsSync(join(root, 'packages', name)));
    const chosen = imports === undefined ? allowed : imports.split(',');
    if (!chosen.includes('ir')) throw new Error("--imports must have 'ir': every package stands on the waist");
    const files = createPackage(root, {
      folder,
      description: `The pass ${folder}`,
      imports: chosen,
      row: { floor: 2, node: 'nowhere' },
      files: sources(folder),
    });
    return {
      files,
      next: [
        '`npm install` links it into the workspace',
        'describe it in package.json, README.md and the table of rooms in ARCHITECTURE.md',
        'check its floor in tools/lint/floors.mjs, and drop the dependencies that it does not need',
        '`npm run build && npm run readme` writes the size block of its README',
      ],
    };
  },
);
