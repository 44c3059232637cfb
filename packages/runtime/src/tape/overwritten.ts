import { firstOverwrite, placeOfField, type NeedingLaunch, type Needs } from '@filigree/autodiff';
import { DiagnosticError, error, fail, type Loc } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';
import { overwriting } from './overwriting.js';
import { inBrackets, placed, type Place } from './placed.js';
import type { Flat } from './recorder.js';

/**
 * Refuses launches and steps of the host whose adjoints would read what later ones have overwritten. What launches in steps overwrite of their state is put back
 * before the adjoints of earlier launches run; and steps that run again begin with their state as it was, whatever was launched since. Error: `tape/overwritten`.
 *
 * @param runs which of them have adjoints that run (`followed`)
 * @param shown shows the places that a kernel's ops name
 */
export const refuseOverwrites = (
  entries: readonly Flat[],
  runs: readonly boolean[],
  needsOf: (kernel: string) => Needs,
  shown: (kernel: string) => Shown,
): void => {
  const launches = entries.map((entry, n): NeedingLaunch & { readonly name: string } => {
    const needs = 'kernel' in entry ? needsOf(entry.kernel) : hostNeeds(entry);
    if (runs[n]) refuseForgotten(entry, needs);
    const state = new Set([...(entry.state ?? [])].map(placeOfField));
    const others = (all: Needs['needed']): Needs['needed'] =>
      state.size === 0 ? all : all.filter(({ place }) => !state.has(place));
    const needed = !runs[n] ? [] : entry.again ? others(needs.needed) : needs.needed;
    return {
      args: 'kernel' in entry ? entry.args : [],
      needs: { ...needs, needed, written: others(needs.written) },
      saved: ('kernel' in entry && entry.kept?.fields) || [],
      name: 'kernel' in entry ? `of '${entry.kernel}'` : 'of the host',
    };
  });
  const found = firstOverwrite(launches);
  if (!found) return;
  const { by, needs, place, at, written, read } = found;
  const elements = at.length > 0 ? ` [${at.map((x) => x ?? '…').join(', ')}]` : '';
  const placeIn = (n: number, loc: Loc | undefined): Place => {
    const entry = entries[n];
    return placed(loc, 'kernel' in entry ? shown(entry.kernel) : undefined);
  };
  const writes = placeIn(by, written);
  const message = `launch ${by + 1}, ${launches[by].name}, may overwrite${inBrackets(writes)} elements${elements} of ${place} that the derivative of launch ${needs + 1}, ${launches[needs].name}, needs${inBrackets(placeIn(needs, read))}`;
  const remedy =
    'let each step write elements of its own, told apart by an argument: x[t + 1][i]; or name the field in the state of steps';
  throw new DiagnosticError([{ ...error('tape/overwritten', message, { remedy }), ...writes }]);
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
  return { ...overwriting(writes), needed: reads.map((f) => ({ place: placeOfField(f), index: [] })) };
};
