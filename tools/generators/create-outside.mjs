import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Writes a folder outside of any workspace with a backend in plain JavaScript, and a check that runs the conformance suite on it.
 * @param {string} root the workspace, for the version of its packages
 * @param {string} folder must not hold a package yet
 * @param {string} name of the backend
 * @param {string} constant what it is called in code
 * @returns {string[]} the files written
 */
export const createOutside = (root, folder, name, constant) => {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(`'${name}' is not a name: use lower-case letters, digits and dashes`);
  const home = resolve(folder);
  if (existsSync(join(home, 'package.json'))) throw new Error(`${join(folder, 'package.json')} exists already`);
  const { version } = JSON.parse(readFileSync(join(root, 'packages/ir/package.json'), 'utf8'));
  const files = Object.entries(texts(name, constant, version));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return files.map(([path]) => join(folder, path));
};

/** @type {(name: string, constant: string, version: string) => Record<string, string>} */
const texts = (name, constant, version) => ({
  'package.json': `${JSON.stringify(
    {
      name: `filigree-${name}`,
      version: '0.0.0',
      private: true,
      type: 'module',
      exports: `./src/${name}.mjs`,
      dependencies: { '@filigree/backend': version, '@filigree/ir': version },
      devDependencies: { '@filigree/conformance': version, filigree: version },
    },
    null,
    2,
  )}\n`,
  [`src/${name}.mjs`]: `import { expandSpellings, scalarizeVectors } from '@filigree/backend';
import { pass, pipeline } from '@filigree/ir';
import { backendSources } from './emit.mjs';

/**
 * The backend \`${name}\`. It emits sources; with \`compile\` and \`load\` it would also run them. State in \`capabilities\` only what
 * the target does natively: what it lacks is legalised or refused, never silently wrong. Here ops of extensions become ops of the core, and vectors scalars.
 */
export const ${constant} = ({ extensions = [] } = {}) => ({
  name: '${name}',
  capabilities: { types: ['i1', 'i32', 'i64', 'f32', 'f64'], threads: false, atomics: [], vectorBytes: 0 },
  legalize: pipeline([expandSpellings(extensions, () => false), scalarizeVectors]),
  emit: pass('${name}-emit', backendSources),
  probe: async () => ({
    name: '${name}',
    usable: false,
    reason: 'backend ${name} emits sources but does not run them',
    toolchain: '',
  }),
});

export default ${constant};
`,
  'src/emit.mjs': `import { printModule } from '@filigree/ir';

/** The module as sources of the target; now its own text form. The same module gives the same bytes. */
export const backendSources = (module) => ({
  backend: '${name}',
  files: [{ name: 'module.fil', language: 'text', contents: printModule(module) }],
});
`,
  'check.mjs': `import { conformance } from '@filigree/conformance';
import { ${constant} } from './src/${name}.mjs';

const counts = { passed: 0, skipped: 0, failed: 0 };
for (const { name, run } of conformance(${constant}()))
  try {
    counts[(await run()).status]++;
  } catch (e) {
    counts.failed++;
    console.log(\`\${name}: \${e.message}\`);
  }
console.log(\`\${counts.passed} passed, \${counts.skipped} skipped, \${counts.failed} failed\`);
process.exitCode = counts.failed > 0 ? 1 : 0;
`,
  'README.md': `# filigree-${name}

Filigree's backend for ${name}, from outside. \`node check.mjs\` runs the conformance suite on it, and

    npx filigree run power --backend ./src/${name}.mjs --emit out

writes what it makes of an example. With \`compile\` and \`load\`, and a \`probe\` that says so, the example runs and is checked, and no \`--emit\` is needed.
`,
});
