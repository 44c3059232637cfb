import { firstOverwrite, placeOfField, type NeedingLaunch, type Needs } from '@filigree/autodiff';
import { fail, locText, type Loc } from '@filigree/ir';
import type { Flat } from './recorder.js';

/**
 * Refuses launches and steps of the host whose adjoints would read what later ones have overwritten. What steps pass on as their state is
 * brought back, so that only what lies on one side of them can be lost. Error: `tape/overwritten`.
 *
 * @param runs which of them have adjoints that run (`followed`)
 */
export const refuseOverwrites = (
  entries: readonly Flat[],
  runs: readonly boolean[],
  needsOf: (kernel: string) => Needs,
): void => {
  check(entries, runs, needsOf, true);
  if (!entries.some((e) => e.state)) return;
  for (let from = 0; from < entries.length; from++) {
    if (entries[from].state) continue;
    let to = from;
    while (to < entries.length && !entries[to].state) to++;
    check(entries.slice(from, to), runs.slice(from, to), needsOf, false);
    from = to;
  }
};

const check = (
  entries: readonly Flat[],
  runs: readonly boolean[],
  needsOf: (kernel: string) => Needs,
  broughtBack: boolean,
): void => {
  const restored = new Set<string>();
  const launches = new Array<NeedingLaunch & { readonly name: string }>(entries.length);
  for (let n = entries.length - 1; n >= 0; n--) {
    const entry = entries[n];
    if (broughtBack) for (const f of entry.state ?? []) restored.add(placeOfField(f));
    const needs = 'kernel' in entry ? needsOf(entry.kernel) : hostNeeds(entry);
    if (runs[n]) refuseForgotten(entry, needs);
    const needed = runs[n] ? needs.needed.filter((t) => !restored.has(t.place)) : [];
    launches[n] = {
      args: 'kernel' in entry ? entry.args : [],
      needs: { ...needs, needed },
      saved: ('kernel' in entry && entry.kept?.fields) || [],
      name: 'kernel' in entry ? `of '${entry.kernel}'` : 'of the host',
    };
  }
  const found = firstOverwrite(launches);
  if (!found) return;
  const { by, needs, place, at, written, read } = found;
  const elements = at.length > 0 ? ` [${at.map((x) => x ?? '…').join(', ')}]` : '';
  const placed = (loc: Loc | undefined): string => (loc ? ` (${locText(loc)})` : '');
  fail(
    'tape/overwritten',
    `launch ${by + 1}, ${launches[by].name}, may overwrite${placed(written)} elements${elements} of ${place} that the derivative of launch ${needs + 1}, ${launches[needs].name}, needs${placed(read)}`,
    {
      loc: written,
      remedy:
        'let each step write elements of its own, told apart by an argument: x[t + 1][i]; or name the field in the state of steps',
    },
  );
};

/** Refuses steps that run again from what they have changed in place. */
const refuseForgotten = (entry: Flat, { kept }: Needs): void => {
  if (!('kernel' in entry) || !entry.state || entry.kept) return;
  const field = kept.find((f) => !entry.state!.has(f));
  if (field !== undefined)
    fail(
      'tape/overwritten',
      `'${entry.kernel}' overwrites field '${field}', whose values before the launch its derivative needs, in steps that run again`,
      { remedy: 'name the field in the state of steps' },
    );
};

const hostNeeds = ({
  reads,
  writes,
}: {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}): Needs => {
  const whole = (f: string) => ({ place: placeOfField(f), index: [] });
  return { needed: reads.map(whole), written: writes.map(whole), kept: [], renewed: [] };
};
