/**
 * The floors of the house: which package may import which, and where Node's own modules may be used. The lint rule
 * (`floors-rule.mjs`), the package check and `npm run new-package` read this table; to change the architecture, change it here.
 *
 * @typedef {object} Room
 * @property {number} floor for reading and for sorting; `imports` is what is enforced
 * @property {readonly string[]} imports package folders whose public entries this package's sources may import
 * @property {Readonly<Record<string, readonly string[]>>} [wings] parts of the package that are used for themselves: the folders
 *   of its sources, each with those of the others that it may import. Each is an entry of the package, and whoever imports
 *   the package names the wing; but for those that package.json does not export, which the others share
 * @property {'nowhere' | 'everywhere' | string} node where `node:` modules may be imported: a folder below the package, or one of the words
 */

const below = {
  specialize: ['ir', 'opt', 'sparse', 'autodiff'],
  runtime: ['ir', 'opt', 'sparse', 'quant', 'autodiff', 'tensor', 'specialize', 'sched', 'lang', 'backend'],
};
const backends = ['backend-cpp', 'backend-cuda', 'backend-hip', 'backend-metal', 'backend-wasm'];

/** @type {Readonly<Record<string, Room>>} */
export const floors = {
  ir: { floor: 0, imports: [], node: 'nowhere' },
  opt: { floor: 1, imports: ['ir'], node: 'nowhere' },
  sparse: {
    floor: 2,
    imports: ['ir', 'opt'],
    wings: {
      formats: [],
      fields: [],
      tasks: ['fields'],
      eqspp: [],
      trace: ['formats'],
      equations: ['formats', 'trace'],
    },
    node: 'nowhere',
  },
  quant: { floor: 2, imports: ['ir', 'opt', 'sparse'], node: 'nowhere' },
  autodiff: { floor: 2, imports: ['ir', 'opt', 'sparse'], node: 'nowhere' },
  tensor: { floor: 2, imports: ['ir', 'opt', 'sparse'], wings: { linalg: [], einsum: ['linalg'] }, node: 'nowhere' },
  specialize: { floor: 2, imports: below.specialize, node: 'nowhere' },
  sched: { floor: 3, imports: ['ir', 'opt', 'sparse'], node: 'nowhere' },
  lang: {
    floor: 3,
    imports: ['ir', 'opt', 'sparse', 'quant'],
    wings: { source: [], numeric: ['source'], kernels: ['source'] },
    node: 'nowhere',
  },
  backend: { floor: 4, imports: ['ir', 'opt'], node: 'src/native/' },
  'backend-cpp': { floor: 4, imports: ['ir', 'opt', 'backend'], node: 'everywhere' },
  'backend-cuda': { floor: 4, imports: ['ir', 'opt', 'backend'], node: 'everywhere' },
  'backend-hip': { floor: 4, imports: ['ir', 'opt', 'backend'], node: 'everywhere' },
  'backend-metal': { floor: 4, imports: ['ir', 'opt', 'backend'], node: 'everywhere' },
  'backend-wasm': { floor: 4, imports: ['ir', 'opt', 'backend'], node: 'src/node/' },
  conformance: { floor: 4, imports: ['ir', 'opt', 'sparse', 'quant', 'tensor', 'backend'], node: 'nowhere' },
  runtime: { floor: 5, imports: [...below.runtime, ...backends], node: 'everywhere' },
  baselines: { floor: 5, imports: ['ir', 'sparse', 'tensor', 'backend', 'backend-cpp'], node: 'everywhere' },
  filigree: {
    floor: 6,
    imports: [...below.runtime, ...backends, 'conformance', 'runtime', 'baselines'],
    node: 'everywhere',
  },
};

/**
 * The npm name of a package folder and back: `ir` ↔ `@filigree/ir`; the umbrella is plain `filigree`.
 * @param {string} folder
 */
export const packageName = (folder) => (folder === 'filigree' ? 'filigree' : `@filigree/${folder}`);

/**
 * @param {string} name an npm package name
 * @returns {string | undefined} its folder under `packages/`, `undefined` for a package that is not ours
 */
export const packageFolder = (name) =>
  name === 'filigree' ? 'filigree' : name.startsWith('@filigree/') ? name.slice('@filigree/'.length) : undefined;
