import type { EmittedFunction } from '@filigree/backend';

/** A kernel, cut where it may be. */
export interface Piece {
  /** Functions that `own` calls. */
  readonly parts: readonly EmittedFunction[];
  /** The kernel's own function. */
  readonly own: EmittedFunction;
  /** Helpers that all of them call. */
  readonly helpers: ReadonlySet<string>;
}

export interface Units {
  /** None where there would be one only. */
  readonly units: readonly string[];
  /** Those that are long enough to be units by themselves, whatever else there is. */
  readonly lasting: readonly string[];
}

/** A compiler takes some 20 ms to start and 10 ms for a thousand characters, so less is not worth a unit of its own. */
const WORTH = 8_000;

/**
 * Text to be compiled in units of their own, at the same time: parts of parallel loops, long ones by themselves, short ones
 * together until they are long, and what is left of kernels likewise. A change in one kernel leaves most units as they are.
 *
 * @param preamble what stands before a unit that calls these helpers
 */
export const unitsOf = (pieces: readonly Piece[], preamble: (helpers: ReadonlySet<string>) => string): Units => {
  const texts: { text: string; helpers: ReadonlySet<string> }[] = [];
  for (const { parts, own, helpers } of pieces) {
    const { long, rest } = together(parts);
    for (const group of long) texts.push({ text: group.map((p) => visible(p.text)).join('\n'), helpers });
    const declared = long.flat().map(declaration);
    texts.push({ text: [...declared, ...rest.map((p) => p.text), visible(own.text)].join('\n'), helpers });
  }
  const units: { text: string; helpers: ReadonlySet<string> }[] = [];
  let open: number | undefined;
  for (const t of texts) {
    const last = open === undefined ? undefined : units[open]!;
    if (t.text.length >= WORTH) units.push(t);
    else if (last && last.text.length < WORTH)
      units[open!] = { text: `${last.text}\n${t.text}`, helpers: new Set([...last.helpers, ...t.helpers]) };
    else open = units.push(t) - 1;
  }
  const whole = ({ text, helpers }: (typeof texts)[number]): string => preamble(helpers) + text;
  return {
    units: units.length > 1 ? units.map(whole) : [],
    lasting: texts.filter((t) => t.text.length >= WORTH).map(whole),
  };
};

/** Functions in lists that are long enough to be units, in order, and those that are left. */
const together = (
  parts: readonly EmittedFunction[],
): { readonly long: readonly (readonly EmittedFunction[])[]; readonly rest: readonly EmittedFunction[] } => {
  const long: (readonly EmittedFunction[])[] = [];
  let rest: readonly EmittedFunction[] = [];
  for (const p of parts) {
    if (p.text.length >= WORTH) long.push([p]);
    else rest = [...rest, p];
    if (rest.reduce((sum, { text }) => sum + text.length, 0) < WORTH) continue;
    long.push(rest);
    rest = [];
  }
  return { long, rest };
};

/** What units that call a function of another one say of it. */
export const declaration = ({ head }: EmittedFunction): string => `${visible(head)};\n`;

/** The function as other units of the library see it, and nobody else. */
const visible = (text: string): string => text.replace(/^static /m, '__attribute__((visibility("hidden"))) ');
