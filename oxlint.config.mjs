import { defineConfig } from 'oxlint';
import { floors } from './tools/lint/floors.mjs';

const pure = Object.keys(floors).filter((folder) => floors[folder]?.node === 'nowhere');

/** @type {(name: string) => { name: string, message: string }} */
const notInBrowser = (name) => ({
  name,
  message: `\`${name}\` is Node's own, and this package also runs in a browser.`,
});

/** Few rules: the floors, what the type checker does not see, and what the house forbids. oxfmt owns the layout. */
export default defineConfig({
  ignorePatterns: ['**/dist/', '**/out/', '**/coverage/', '.nx/', '**/node_modules/'],
  plugins: ['typescript'],
  jsPlugins: ['./tools/lint/plugin.mjs'],
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    'filigree/floors': 'error',
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': ['error', { destructuring: 'all' }],
    'no-constant-condition': ['error', { checkLoops: false }],
    'no-debugger': 'error',
    'no-dupe-else-if': 'error',
    'no-duplicate-case': 'error',
    'no-eval': 'error',
    'no-fallthrough': 'error',
    'no-loss-of-precision': 'error',
    'no-self-assign': 'error',
    'no-self-compare': 'error',
    'no-throw-literal': 'error',
    'no-unreachable': 'error',
    'no-unsafe-finally': 'error',
    'no-unsafe-negation': 'error',
    'no-unused-expressions': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'start' }],
    'use-isnan': 'error',
    'valid-typeof': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-asserted-optional-chain': 'error',
    'no-restricted-imports': [
      'error',
      {
        paths: [{ name: 'fp-ts', message: "Import the module: 'fp-ts/lib/Either.js'." }],
        patterns: [
          {
            group: ['fp-ts/**', '!fp-ts/lib', '!fp-ts/lib/*.js'],
            message: "Node resolves only the full path: 'fp-ts/lib/Either.js'.",
          },
        ],
      },
    ],
  },
  overrides: [
    { files: ['packages/*/src/**/*.ts'], rules: { 'filigree/circles': 'error' } },
    /* What the page itself offers to programs. */
    { files: ['tools/playground/src/examples/*.ts'], rules: { 'filigree/floors': 'off' } },
    {
      files: ['packages/*/src/**/*.ts'],
      excludeFiles: ['packages/filigree/src/**'],
      rules: { 'no-console': 'error' },
    },
    {
      files: [`packages/{${pure.join(',')}}/src/**/*.ts`, 'packages/backend-wasm/src/**/*.ts'],
      excludeFiles: ['packages/backend-wasm/src/node/**'],
      rules: {
        'no-restricted-globals': [
          'error',
          ...['process', 'Buffer', '__dirname', '__filename', 'require'].map(notInBrowser),
        ],
      },
    },
    {
      files: ['packages/*/{src,tests}/**/*.ts', 'tools/*/{src,tests}/**/*.ts', 'e2e/**/*.ts'],
      rules: { 'typescript/no-floating-promises': 'error', 'typescript/no-misused-promises': 'error' },
    },
  ],
});
