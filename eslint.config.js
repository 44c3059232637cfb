import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { circlesRule } from './tools/lint/circles-rule.mjs';
import { floors } from './tools/lint/floors.mjs';
import { floorsRule } from './tools/lint/floors-rule.mjs';
import { ignoredLeftRule } from './tools/lint/ignored-left-rule.mjs';

const pure = Object.keys(floors).filter((folder) => floors[folder]?.node === 'nowhere');

/* Packages in which nothing waits: there rules about promises would cost a third of all linting, and find nothing. */
const synchronous = 'packages/{autodiff,opt,quant,sched,specialize,tensor}/**/*.ts';

/** Few rules: the floors, what the type checker does not see, and what the house forbids. Prettier owns the layout. */
export default defineConfig(
  { ignores: ['**/dist/', '**/out/', '**/coverage/', '.nx/', '**/node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,mts,js,mjs}'],
    languageOptions: { parser: tseslint.parser, ecmaVersion: 'latest', sourceType: 'module' },
    plugins: {
      '@typescript-eslint': tseslint.plugin,
      filigree: { rules: { circles: circlesRule, floors: floorsRule, 'ignored-left': ignoredLeftRule } },
    },
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
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-asserted-optional-chain': 'error',
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'fp-ts', message: "Import the module: 'fp-ts/lib/Either.js'." }],
          patterns: [
            { regex: '^fp-ts/(?!lib/\\w+\\.js$)', message: "Node resolves only the full path: 'fp-ts/lib/Either.js'." },
          ],
        },
      ],
    },
  },
  { files: ['packages/*/src/**/*.ts'], rules: { 'filigree/circles': 'error' } },
  /* What the page itself offers to programs. */
  { files: ['tools/playground/src/examples/*.ts'], rules: { 'filigree/floors': 'off' } },
  {
    files: ['packages/*/src/**/*.ts'],
    ignores: ['packages/filigree/src/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: [`packages/{${pure.join(',')}}/src/**/*.ts`, 'packages/backend-wasm/src/**/*.ts'],
    ignores: ['packages/backend-wasm/src/node/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'Buffer', '__dirname', '__filename', 'require'].map(notInBrowser),
      ],
    },
  },
  {
    // These rules cost a type check of the workspace, and little more for each file.
    files: ['packages/*/{src,tests}/**/*.ts', 'tools/*/{src,tests}/**/*.ts', 'e2e/**/*.ts'],
    languageOptions: { parserOptions: { project: 'tools/lint/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: { 'filigree/ignored-left': 'error' },
  },
  {
    files: ['packages/*/{src,tests}/**/*.ts', 'tools/*/{src,tests}/**/*.ts', 'e2e/**/*.ts'],
    ignores: [synchronous],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
  {
    files: [synchronous],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: ':function[async=true]',
          message: 'Rules about promises do not look at this package (eslint.config.js).',
        },
      ],
    },
  },
);

/** @param {string} name */
function notInBrowser(name) {
  return { name, message: `\`${name}\` is Node's own, and this package also runs in a browser.` };
}
