import type { Timed } from '@filigree/backend/gpu';
import { type Backend } from '@filigree/backend';
import { cuda } from '@filigree/backend-cuda';
import { hip } from '@filigree/backend-hip';
import { metal } from '@filigree/backend-metal';
import type { Choice } from './bundle/programs.js';
import type { Float } from './bundle/rates.js';
import { commitHere } from './bundle/make-bundle.js';
import { directRates } from './direct-rates.js';
import { directPage, directResults } from './direct.js';

/** A device of this machine that kernels run on in this process. */
export interface DirectlyUsable {
  readonly name: string;
  /** The page of what it does. */
  readonly page: (choice: Choice, command: string) => Promise<string>;
}

/** What is computed in there, and how kernels are written for it. */
interface Kind {
  readonly make: (timed: Timed | undefined) => Backend;
  readonly type: Float;
  readonly language: string;
}

/* Sums that are doubles unseen are pairs of singles on a Mac, which has no others. */
const kinds: Readonly<Record<'cuda' | 'hip' | 'metal', Kind>> = {
  cuda: { make: (timed) => cuda(timed && { timed }), type: 'f64', language: 'CUDA C++' },
  hip: { make: (timed) => hip(timed && { timed }), type: 'f64', language: 'HIP C++' },
  metal: {
    make: (timed) => metal({ doubles: 'pairs', ...(timed && { timed }) }),
    type: 'f32',
    language: 'the Metal Shading Language, doubles as pairs of singles',
  },
};

/** The first of these devices that can be used here, or why none can. */
export const directDevice = async (
  among: readonly (keyof typeof kinds)[],
): Promise<DirectlyUsable | { readonly reason: string }> => {
  const reasons: string[] = [];
  for (const key of among) {
    const { make, type, language } = kinds[key];
    const { usable, reason, toolchain } = await make(undefined).probe();
    if (!usable) {
      reasons.push(reason);
      continue;
    }
    /* The compiler, and behind it the device. */
    const [name] = toolchain.split(', ').slice(-1);
    const page = async (choice: Choice, command: string): Promise<string> => {
      const found = [];
      for await (const result of directResults(make(undefined), type, choice)) found.push(result);
      if (choice.elements > 0) for await (const result of directRates(make, type, choice.elements)) found.push(result);
      return directPage(
        { name, written: `${language}, compiled by ${toolchain}`, commit: commitHere() },
        found,
        command,
      );
    };
    return { name, page };
  }
  return { reason: reasons.join('\n') };
};
