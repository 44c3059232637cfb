import { combined, describeValue, DiagnosticError, extensionText, fail, type Extension } from '@filigree/ir';
import type { Backend } from '../contract.js';
import { isBackend } from '../options.js';
/* The slots that this file reads. */
import type { MakeBackend } from './extension.js';

/**
 * The backends that extensions bring, in their order; each knows all of these extensions. Throws what `combine` reports, and
 * `extension/backend` where one makes something else, or calls its backend by two names.
 */
export const backendsOf = (extensions: readonly Extension[]): readonly Backend[] => {
  combined(extensions);
  return extensions.flatMap((by) =>
    Object.entries(by.backends ?? {}).map(([name, make]) => madeBy(by, name, make, extensions)),
  );
};

const madeBy = (by: Extension, name: string, make: MakeBackend, extensions: readonly Extension[]): Backend => {
  const made = outcomeOf(by, name, make, extensions);
  const whose = `the backend '${name}' of extension ${extensionText(by)}`;
  const remedy = `bring a function that makes it: { backends: { ${name}: ({ extensions }) => … } }`;
  if (!isBackend(made)) return fail('extension/backend', `${whose} is ${describeValue(made)}`, { remedy });
  return made.name === name
    ? made
    : fail('extension/backend', `${whose} calls itself '${made.name}'`, { remedy: 'call it by one name' });
};

const outcomeOf = (by: Extension, name: string, make: unknown, extensions: readonly Extension[]): unknown => {
  if (typeof make !== 'function') return make;
  try {
    return (make as (options: Parameters<MakeBackend>[0]) => unknown)({ extensions });
  } catch (e) {
    if (e instanceof DiagnosticError) throw e;
    return fail(
      'extension/backend',
      `the backend '${name}' of extension ${extensionText(by)} cannot be made: ${e instanceof Error ? e.message : String(e)}`,
      { remedy: 'see that its function runs by itself' },
    );
  }
};
