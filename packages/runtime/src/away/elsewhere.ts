import type { Backend, CompileOptions } from '@filigree/backend';
import { toJson, type Module } from '@filigree/ir';
import { bankEntries } from '../bank/banked.js';
import { modulesOf } from '../bank/skeleton.js';
import type { FusedModule, Making } from '../program/queue/fused-code.js';
import type { FieldLowering } from './code-job.js';

/** What the code of plans depends on. */
export interface Described {
  /** What is lowered. */
  readonly whole: (fused: FusedModule) => Module;
  /** What its code depends on beside that; something is not told where that cannot be. */
  readonly parts: readonly (string | undefined)[];
  /** Whether it is lowered by what is data, and how where it has fields. */
  readonly lowered: { readonly fields: FieldLowering | undefined } | undefined;
}

/** Where the code of plans is found and made elsewhere: on disk, and by other threads. */
export const codeElsewhere = async (
  backend: Backend,
  options: CompileOptions,
  { whole, parts, lowered }: Described,
): Promise<Making['elsewhere']> => {
  const entries = await bankEntries(backend, options);
  const origin = backend.watch || backend.origin?.serves(backend) !== true ? undefined : backend.origin;
  return (fused) => {
    const module = JSON.stringify(toJson(whole(fused)));
    const entry = entries([module, ...parts]);
    if (!origin || !lowered) return { entry, job: undefined, modulesOf };
    const { serves: _, ...data } = origin;
    return {
      entry,
      job: { origin: data, module, ...lowered, options, kept: entry && (parts as string[]) },
      modulesOf,
    };
  };
};
