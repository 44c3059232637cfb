import * as E from 'fp-ts/lib/Either.js';
import { type Diagnostics, type Module, type Pass } from '@filigree/ir';

/** What a pass makes of a module; throws what it refuses. */
export const applied = (pass: Pass<Module>, module: Module): Module =>
  E.getOrElse((problems: Diagnostics): Module => {
    throw new Error(problems.map((d) => d.message).join());
  })(pass.run(module));
