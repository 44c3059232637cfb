/**
 * `npm run new-backend NAME`: a package `backend-NAME` with a backend that emits readable text and runs nothing yet. With `-- --outside DIR` a folder
 * of its own instead, for somebody who has the packages installed and no workspace.
 */
import { relative, resolve } from 'node:path';
import { command } from './command.mjs';
import { createPackage } from './create-package.mjs';
import { createOutside } from './create-outside.mjs';

/** @param {string} name @param {string} constant */
const sources = (name, constant) => ({
  'src/index.ts': `export { ${constant} } from './${name}.js';\n`,
  [`src/${name}.ts`]: `import { type Backend, expandSpellings, scalarizeVectors } from '@filigree/backend';
import { pass, pipeline } from '@filigree/ir';
import { emit } from './emit.js';

/**
 * The backend \`${name}\`. It emits sources; with \`compile\` and \`load\` it would also run them. State in \`capabilities\` only
 * what the target does natively: what it lacks is legalised or refused, never silently wrong. Here ops of extensions become ops of the core, and vectors scalars.
 */
export const ${constant}: Backend = {
  name: '${name}',
  capabilities: { types: ['i1', 'i32', 'i64', 'f32', 'f64'], threads: false, atomics: [], vectorBytes: 0 },
  legalize: pipeline([expandSpellings([], () => false), scalarizeVectors]),
  emit: pass('${name}-emit', emit),
  probe: () =>
    Promise.resolve({
      name: '${name}',
      usable: false,
      reason: 'backend ${name} emits sources but does not run them',
      toolchain: '',
    }),
};
`,
  'src/emit.ts': `import type { Sources } from '@filigree/backend';
import { type Module, printModule } from '@filigree/ir';

/** The module as sources of the target; now its own text form. The same module gives the same bytes. */
export const emit = (module: Module): Sources => ({
  backend: '${name}',
  files: [{ name: 'module.fil', language: 'text', contents: printModule(module) }],
});
`,
  [`tests/conformance.test.ts`]: `import { ${constant} } from '@filigree/backend-${name}';
import { conformance } from '@filigree/conformance';
import { expect, test } from 'vitest';

for (const { name, run } of conformance(${constant}))
  test(name, async ({ skip }) => {
    const outcome = await run();
    skip(outcome.status === 'skipped', outcome.status === 'skipped' ? outcome.reason : '');
    expect(outcome.status).toBe('passed');
  });
`,
  [`tests/emit.test.ts`]: `import { ${constant} } from '@filigree/backend-${name}';
import { conformancePrograms } from '@filigree/conformance';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { expect, test } from 'vitest';

test('every conformance program is emitted, and twice the same', () => {
  for (const { module } of conformancePrograms()) {
    const emitted = pipe(${constant}.legalize.run(module), E.chain(${constant}.emit.run));
    expect(E.isRight(emitted)).toBe(true);
    expect(pipe(${constant}.legalize.run(module), E.chain(${constant}.emit.run))).toEqual(emitted);
  }
});
`,
  'README.md': `# @filigree/backend-${name}

Filigree's backend for ${name}.

\`\`\`js
import { ${constant} } from '@filigree/backend-${name}';

console.log(await ${constant}.probe());
\`\`\`

## API

| name | is |
|---|---|
| \`${constant}\` | the \`Backend\` |
`,
});

command('npm run new-backend NAME [-- --outside DIR]', { outside: { type: 'string' } }, (root, name, { outside }) => {
  const constant = `${name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())}Backend`;
  if (outside !== undefined) {
    /* Folders of the workspace see its packages as they are built; npm would look for released ones. */
    const inside = !relative(root, resolve(outside)).startsWith('..');
    return {
      files: createOutside(root, outside, name, constant),
      next: [
        inside
          ? `\`npm run build\` here, then \`node check.mjs\` in ${outside} runs the conformance suite; \`npm install\` is for folders outside of the workspace`
          : `\`npm install\` in ${outside}, then \`node check.mjs\` runs the conformance suite`,
        'write src/emit.mjs; for a C-like target, hand a table to `nativeBackend` or `gpuBackend`',
        `\`npx filigree run EXAMPLE --backend ./src/${name}.mjs --emit FOLDER\` writes its sources of an example; once it can load them it runs it`,
        'docs/outside.md tells what tables and drivers need',
      ],
    };
  }
  const files = createPackage(root, {
    folder: `backend-${name}`,
    description: `Kernels for ${name}`,
    imports: ['ir', 'backend'],
    tests: ['conformance'],
    row: { floor: 4, node: 'everywhere' },
    files: sources(name, constant),
  });
  return {
    files,
    next: [
      '`npm install` links it into the workspace',
      'write src/emit.ts; for a C-like target, build on the C-family emitter of @filigree/backend',
      `state in \`legalize\` of src/${name}.ts what the target cannot do: rewrite it, or refuse it with a diagnostic`,
      'add `compile` and `load`; then the conformance suite runs instead of skipping',
      'to offer it in `runtime` and on the command line, add it to their package.json and to the list of backends there',
    ],
  };
});
