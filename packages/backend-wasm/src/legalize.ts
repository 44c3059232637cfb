import { dialectsOf, expandSpellings, spellerOf, spellingOf, unloweredTypes } from '@filigree/backend';
import {
  type Dialect,
  type Extension,
  type Module,
  type Op,
  type Pass,
  type Region,
  DiagnosticError,
  extensionText,
  fail,
  mapKernels,
  mapRegions,
  mapShared,
  opTable,
  pass,
  pipeline,
  runPass,
  verifyModule,
  walk,
  orThrow,
} from '@filigree/ir';
import { canonicalize, cse, dce, expandFunctions, ifToSelect, licm, overlappingLanes, vectorize } from '@filigree/opt';

export interface LegalizeOptions {
  /** Whose ops modules may have, beside the core ones. */
  readonly extensions: readonly Extension[];
  readonly verify: boolean;
  readonly simd: boolean;
}

/**
 * Checks a module, writes functions that are made of others as those, and turns its loops marked `simd` into loops over vectors of
 * 16 bytes. Vectors of other lengths are left: `emit` keeps them in as many registers as they need. Errors: those of the verifier,
 * `extension/spelling`, `backend/own-type`.
 */
export const legalizeForWasm = ({ extensions, verify, simd }: LegalizeOptions): Pass<Module> => {
  const dialects = dialectsOf(extensions);
  const expand = expandSpellings(extensions, (op) => spellingOf(extensions, op)?.wasm !== undefined);
  return pass('wasm-legalize', (module: Module, watch) => {
    const errors = verify ? verifyModule(module, dialects).filter((d) => d.severity === 'error') : [];
    const problems = errors.length > 0 ? errors : unloweredTypes(module);
    if (problems.length > 0) throw new DiagnosticError(problems);
    const expanded = orThrow(runPass(expand, module, watch));
    checkSpelled(expanded, dialects, extensions);
    const plain = withoutHints(expanded, dialects);
    const lanes = simd && wantsLanes(plain);
    return orThrow(pipeline(lanes ? vectors(dialects) : []).run(plain, watch));
  });
};

/** What is spelled in WebAssembly is an expression. */
const checkSpelled = (module: Module, dialects: readonly Dialect[], extensions: readonly Extension[]): void => {
  const table = opTable(dialects);
  const check = (op: Op): void => {
    if (spellingOf(extensions, op.name)?.wasm === undefined) return;
    const plain = op.results.length === 1 && op.regions.length === 0 && table.get(op.name)?.effects(op).length === 0;
    if (!plain)
      fail(
        'wasm/op',
        `op '${op.name}' of extension ${extensionText(spellerOf(extensions, op.name)!)} has more than a value`,
        {
          loc: op.loc,
          remedy: 'spell it in core ops: only what has one result, no regions and no effects is spelled in WebAssembly',
        },
      );
  };
  if (extensions.length > 0) for (const k of module.kernels) walk(k.body, check);
};

/** Loops marked `simd`, and those that accumulate in any order, as loops over vectors, and functions of vectors as arithmetic. */
const vectors = (dialects: readonly Dialect[]): readonly Pass<Module>[] => [
  overlappingLanes({ dialects }),
  ifToSelect({ dialects }),
  vectorize({ dialects, bytes: 16 }),
  expandFunctions({ dialects }),
  canonicalize({ dialects }),
  licm({ dialects }),
  cse({ dialects }),
  dce({ dialects }),
];

/** Nothing in WebAssembly takes hints. */
const withoutHints = (module: Module, dialects: readonly Dialect[]): Module => {
  const table = opTable(dialects);
  const isHint = (op: Op): boolean => table.get(op.name)?.traits.hint === true;
  const without = (region: Region): Region => {
    const ops = mapShared(region.ops, (op) => mapRegions(op, without));
    const kept = ops.some(isHint) ? ops.filter((op) => !isHint(op)) : ops;
    return kept === region.ops ? region : { ...region, ops: kept };
  };
  return mapKernels(module, (k) => {
    const body = without(k.body);
    return body === k.body ? k : { ...k, body };
  });
};

const wantsLanes = (module: Module): boolean =>
  module.kernels.some((k) => {
    let found = k.attrs['approximate'] === true;
    walk(k.body, ({ attrs, results }) => {
      found ||= attrs['simd'] === true || (attrs['independent'] === true && results.length > 0);
    });
    return found;
  });
