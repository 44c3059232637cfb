import { drawFrom } from '../draw.js';
import type { Findings, Fuzz } from '../fuzz.js';
import { drawKernelText } from './generate.js';
import { checkGradients, places } from './run.js';

export interface GradientFindings extends Findings {
  /** Derivatives that were compared with differences, and those where a branch was too near for these to tell. */
  readonly compared: number;
  readonly passedOver: number;
  /** Second derivatives that were compared with differences of gradients. */
  readonly twice: number;
}

/** Kernels that are compiled into one program. */
const BATCH = 4;

/**
 * Random kernels whose gradients are held against tangents and central differences, and whose second derivatives against differences of gradients, on dense, pointer, bitmasked, hash and list layouts, on all backends in turn, with one thread and with two. A kernel may be
 * refused; a gradient that is given is to be right.
 */
export const fuzzGradients = async ({
  seed,
  count,
  first = 0,
  backends,
  say,
  most,
}: Omit<Fuzz, 'every'>): Promise<GradientFindings> => {
  const refused = new Map<string, number>();
  const faults: string[] = [];
  let [tried, compared, passedOver, twice] = [0, 0, 0, 0];
  const names = Object.keys(places);
  for (let batch = Math.floor(first / BATCH); tried < count && faults.length < most; batch++) {
    const d = drawFrom(seed * 1_000_003 + batch);
    const target = {
      layout: names[batch % names.length],
      backend: backends[Math.floor(batch / names.length) % backends.length],
      threads: 1 + (Math.floor(batch / names.length / backends.length) % 2),
      /* Nothing that is drawn breaks the access rules; but neighbours may lie beyond layouts that end, which is reported. */
      debug: names[batch % names.length] === 'hash',
    };
    const texts = Array.from({ length: Math.min(BATCH, count - tried) }, () => drawKernelText(d));
    const found = await checkGradients(texts, target, d);
    for (const [code, n] of found.refused) refused.set(code, (refused.get(code) ?? 0) + n);
    faults.push(...found.faults.slice(0, most - faults.length));
    found.faults.slice(0, most).forEach(say);
    tried += texts.length;
    compared += found.compared;
    passedOver += found.passedOver;
    twice += found.twice;
    say(`${tried} of ${count} gradients, ${faults.length} faults, ${passedOver} near branches`);
  }
  return { tried, faults, refused, compared, passedOver, twice };
};
