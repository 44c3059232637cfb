import {
  type Dialect,
  type Module,
  type Op,
  type Pass,
  type Region,
  DiagnosticError,
  mapKernels,
  mapRegions,
  mapShared,
  opTable,
  pass,
  pipeline,
  verifyModule,
  walk,
} from '@filigree/ir';
import { canonicalize, cse, dce, ifToSelect, licm, vectorize } from '@filigree/opt';
import * as E from 'fp-ts/lib/Either.js';

export interface LegalizeOptions {
  readonly dialects: readonly Dialect[];
  readonly verify: boolean;
  readonly simd: boolean;
}

/**
 * Checks a module and turns its loops marked `simd` into loops over vectors of 16 bytes. Vectors of other lengths are left:
 * `emit` keeps them in as many registers as they need. Errors: those of the verifier.
 */
export const legalizeForWasm = ({ dialects, verify, simd }: LegalizeOptions): Pass<Module> =>
  pass('wasm-legalize', (module: Module) => {
    const errors = verify ? verifyModule(module, dialects).filter((d) => d.severity === 'error') : [];
    if (errors.length > 0) throw new DiagnosticError(errors);
    const plain = withoutHints(module, dialects);
    if (!simd || !wantsLanes(plain)) return plain;
    const result = pipeline([
      ifToSelect({ dialects }),
      vectorize({ dialects, bytes: 16 }),
      canonicalize({ dialects }),
      licm({ dialects }),
      cse({ dialects }),
      dce({ dialects }),
    ]).run(plain);
    if (E.isLeft(result)) throw new DiagnosticError(result.left);
    return result.right;
  });

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

const wantsLanes = (module: Module): boolean => {
  let found = false;
  for (const k of module.kernels)
    walk(k.body, (op) => {
      found ||= op.attrs['simd'] === true;
    });
  return found;
};
