import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Availability, Backend } from '@filigree/backend';
import { describeValue, error, type Diagnostics } from '@filigree/ir';

/** Whether each backend works here, in the order given. */
export const availability = (backends: readonly Backend[]): Promise<readonly Availability[]> =>
  Promise.all(backends.map(async (b) => ({ ...(await probed(b)), name: b.name })));

/* A backend from outside that cannot even say whether it works does not, and others are none the worse for it. */
const probed = async (backend: Backend): Promise<Availability> => {
  const broken = (said: string): Availability => ({
    name: backend.name,
    usable: false,
    reason: `its probe ${said}`,
    toolchain: '',
  });
  try {
    const told: unknown = await backend.probe();
    return typeof told === 'object' && told !== null && 'usable' in told
      ? (told as Availability)
      : broken(`gives ${describeValue(told)}, and not whether it works`);
  } catch (e) {
    return broken(`failed: ${e instanceof Error ? e.message : String(e)}`);
  }
};

/**
 * The backend of this name or, without a name, the first that works here. A named backend that does not work is a
 * diagnostic with the reason, and so is a compiler that was asked for; no other is substituted.
 */
export const chooseBackend =
  (backends: readonly Backend[], name?: string): TE.TaskEither<Diagnostics, Backend> =>
  async () => {
    const refuse = (message: string, remedy: string) => E.left([error('runtime/backend', message, { remedy })]);
    const known = backends.map((b) => b.name).join(', ');
    const candidates = name === undefined ? backends : backends.filter((b) => b.name === name);
    if (candidates.length === 0) return refuse(`there is no backend '${name}'`, `known backends: ${known}`);
    const reasons: string[] = [];
    for (const b of candidates) {
      const a = await probed(b);
      if (a.usable && b.load) return E.right(b);
      reasons.push(`${b.name}: ${a.reason || 'emits sources only'}`);
      if (a.asked)
        return refuse(
          `the backend does not work here: ${reasons[reasons.length - 1]}`,
          'set the variable to a compiler that works, unset it, or name another backend',
        );
    }
    return name === undefined
      ? refuse(`no backend works here: ${reasons.join('; ')}`, 'install what one of them lacks')
      : refuse(
          `the backend does not work here: ${reasons.join('; ')}`,
          `install what it lacks, or use another of ${known}, or name none`,
        );
  };
