import {
  type Dialect,
  type Module,
  type Pass,
  DiagnosticError,
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
    if (!simd || !wantsLanes(module)) return module;
    const result = pipeline([
      ifToSelect({ dialects }),
      vectorize({ dialects, bytes: 16 }),
      canonicalize({ dialects }),
      licm({ dialects }),
      cse({ dialects }),
      dce({ dialects }),
    ]).run(module);
    if (E.isLeft(result)) throw new DiagnosticError(result.left);
    return result.right;
  });

const wantsLanes = (module: Module): boolean => {
  let found = false;
  for (const k of module.kernels)
    walk(k.body, (op) => {
      found ||= op.attrs['simd'] === true;
    });
  return found;
};
