import {
  algebraOf,
  combined,
  coreDialects,
  DiagnosticError,
  error,
  extensionText,
  fail,
  mapKernels,
  pass,
  rewriteOps,
  scalarOps,
  verifyModule,
  walk,
  type Dialect,
  type Extension,
  type Module,
  type Op,
  type Pass,
} from '@filigree/ir';
import { gpuDialect } from '../gpu/dialect.js';
import { lanesAlone } from '../gpu/lanes-alone.js';
/* The slots that this file reads. */
import type { OpSpelling } from './extension.js';

/**
 * Ops in the ops that extensions spell them with, where a backend has no form of its own for them; so are functions of the core that no library has,
 * which are whole until then, so that their derivatives and laws are known, and what threads in step tell each other, where each is alone. Errors:
 * `extension/spelling` where that ends nowhere, or in what the verifier refuses; it names the extension.
 *
 * @param writes whether the backend writes an op by itself
 */
export const expandSpellings = (given: readonly Extension[], writes: (op: string) => boolean): Pass<Module> => {
  const extensions = [...given, functions, lanesAlone];
  const dialects = dialectsOf(extensions);
  const isSpelled = (op: Op): boolean => !writes(op.name) && spellingOf(extensions, op.name)?.core !== undefined;
  return pass('expand-spellings', (module) => {
    let [expanded, sweeps] = [module, 0];
    for (let found = firstOp(module, isSpelled); found; found = firstOp(expanded, isSpelled)) {
      if (++sweeps > MOST_SWEEPS)
        fail(
          'extension/spelling',
          `the spelling of ${found.name}${bySpeller(extensions, found.name)} comes back to itself`,
          {
            loc: found.loc,
            remedy: 'spell it in ops that come nearer to the core dialects',
          },
        );
      expanded = mapKernels(expanded, (kernel) =>
        rewriteOps(
          kernel,
          dialects,
          (op, { build }) => (isSpelled(op) ? build((b) => spellingOf(extensions, op.name)!.core!(b, op)) : undefined),
          expanded.buffers,
        ),
      );
      const wrong = verifyModule(expanded, dialects).find((d) => d.severity === 'error');
      if (wrong)
        throw new DiagnosticError([
          error(
            'extension/spelling',
            `spelled in core ops${bySpeller(extensions, found.name)}, ${found.name} is wrong: ${wrong.message}`,
            {
              loc: found.loc,
              remedy: 'give for each result a value of its type',
            },
          ),
        ]);
    }
    return expanded;
  });
};

/** The functions of the core that are made of others. */
const functions: Extension = {
  name: 'functions of the core',
  spellings: Object.fromEntries(
    scalarOps.flatMap(({ kernelOp, expand }): readonly [string, OpSpelling][] =>
      expand ? [[kernelOp, { core: (b, op) => [expand(algebraOf(b, op.results[0]!.type), ...op.operands)] }]] : [],
    ),
  ),
};

/** Spellings of spellings, and so on: more than anybody nests. */
const MOST_SWEEPS = 32;

/** The core dialects, that of threads in step, and those of extensions. Throws what `combine` reports. */
export const dialectsOf = (extensions: readonly Extension[]): readonly Dialect[] => [
  ...known,
  ...(combined(extensions).dialects ?? []).filter((d) => !known.includes(d)),
];

const known: readonly Dialect[] = [...coreDialects, gpuDialect];

/** How an extension among these spells an op. */
export const spellingOf = (extensions: readonly Extension[], op: string): OpSpelling | undefined =>
  spellerOf(extensions, op)?.spellings?.[op];

/** The extension among these that spells an op. */
export const spellerOf = (extensions: readonly Extension[], op: string): Extension | undefined =>
  extensions.find((e) => e.spellings !== undefined && Object.hasOwn(e.spellings, op));

const bySpeller = (extensions: readonly Extension[], op: string): string => {
  const by = spellerOf(extensions, op);
  return by ? ` by extension ${extensionText(by)}` : '';
};

const firstOp = (module: Module, test: (op: Op) => boolean): Op | undefined => {
  let first: Op | undefined;
  for (const k of module.kernels)
    walk(k.body, (op) => {
      if (first === undefined && test(op)) first = op;
    });
  return first;
};
