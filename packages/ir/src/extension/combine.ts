import type * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, error, type Diagnostic, type Diagnostics } from '../diagnostics/diagnostic.js';
import { describe } from '../options/describe.js';
import { pass } from '../pass/pass.js';
import { extensionText, type Extension } from './extension.js';
import { problemsOfDialects } from './problems.js';

/**
 * Extensions put together, in their order, as one. It is the same however they are bracketed, and what is given twice counts once.
 * All problems are reported together, each with the names of those who are at fault and where they were loaded from:
 * `extension/form`; `extension/name` where two have one name; `extension/clash` where two bring something of one name;
 * `extension/op` where an op is not of its dialect or says too little; `extension/meaning` where it has none.
 */
export const combine = (extensions: readonly Extension[]): E.Either<Diagnostics, Extension> =>
  pass('combine', (given: readonly Extension[]) => combined(given)).run(extensions);

/** As `combine`, below package entries: throws `DiagnosticError`. */
export const combined = (given: readonly Extension[]): Extension => {
  const all = given.filter((e, n) => given.findIndex((other) => isSame(other, e)) === n);
  const malformed = all.flatMap(problemsOfForm);
  if (malformed.length > 0) throw new DiagnosticError(malformed);
  const problems = [...sameNames(all), ...all.flatMap(problemsOfDialects)];
  const merged: Record<string, unknown> = {};
  for (const slot of new Set(all.flatMap(slotsOf))) {
    const bringers = all.filter((e) => slotOf(e, slot) !== undefined);
    problems.push(...clashes(slot, bringers));
    const parts = bringers.map((e) => slotOf(e, slot)!);
    merged[slot] = parts.every(Array.isArray)
      ? [...new Set(parts.flat())]
      : (Object.assign({}, ...parts) as Readonly<Record<string, unknown>>);
  }
  if (problems.length > 0) throw new DiagnosticError(problems);
  return { ...merged, name: all.map((e) => e.name).join('+') };
};

/* One value, or two that say of one whence it came. */
const isSame = (a: Extension, b: Extension): boolean =>
  a === b ||
  (isRecord(a) &&
    isRecord(b) &&
    a.name === b.name &&
    [...slotsOf(a), ...slotsOf(b)].every((slot) => slotOf(a, slot) === slotOf(b, slot)));

const isRecord = (e: unknown): boolean => typeof e === 'object' && e !== null;

/** What an extension brings in one slot. */
type Slot = readonly unknown[] | Readonly<Record<string, unknown>>;

const slotsOf = (e: Extension): readonly string[] => Object.keys(e).filter((key) => key !== 'name' && key !== 'from');

const slotOf = (e: Extension, slot: string): Slot | undefined => (e as unknown as Readonly<Record<string, Slot>>)[slot];

const problemsOfForm = (e: unknown): readonly Diagnostic[] => {
  const remedy = "give a value such as { name: 'sinc', dialects: [sinc] }";
  if (typeof e !== 'object' || e === null || Array.isArray(e))
    return [error('extension/form', `an extension is ${describe(e)}`, { remedy })];
  const extension = e as Extension;
  if (typeof extension.name !== 'string' || extension.name === '')
    return [error('extension/form', `an extension has no name`, { remedy })];
  return slotsOf(extension).flatMap((slot) => {
    const value = slotOf(extension, slot);
    if (value === undefined) return [];
    const wanted = slot === 'dialects' ? 'a list' : slot === 'passes' ? 'a record by name' : undefined;
    const isList = Array.isArray(value);
    const fits =
      typeof value === 'object' && value !== null && (wanted === undefined || isList === (slot === 'dialects'));
    const unnamed = fits && isList && value.some((item) => nameOf(item) === undefined);
    return fits && !unnamed
      ? []
      : [
          error(
            'extension/form',
            `'${slot}' of extension ${extensionText(extension)} ${unnamed ? 'holds something without a name' : `is ${describe(value)}`}`,
            { remedy: `give ${wanted ?? 'a record by name, or a list of what has names'}` },
          ),
        ];
  });
};

const sameNames = (all: readonly Extension[]): readonly Diagnostic[] =>
  all.flatMap((e, n) => {
    const first = all.findIndex((other) => other.name === e.name);
    return first === n
      ? []
      : [
          error('extension/name', `two extensions have the name '${e.name}'${placesText([all[first], e])}`, {
            remedy: 'leave one of them out, or give one of them another name',
          }),
        ];
  });

const placesText = (extensions: readonly Extension[]): string => {
  const places = extensions.map((e) => e.from).filter((from) => from !== undefined);
  return places.length === 0 ? '' : `: ${places.join(' and ')}`;
};

/** What several bring under one name, unless it is the same thing. */
const clashes = (slot: string, bringers: readonly Extension[]): readonly Diagnostic[] => {
  const first = new Map<string, { readonly by: Extension; readonly value: unknown }>();
  const found: Diagnostic[] = [];
  for (const by of bringers)
    for (const [name, value] of partsOf(slotOf(by, slot)!)) {
      const before = first.get(name);
      if (before === undefined) first.set(name, { by, value });
      else if (before.value !== value)
        found.push(
          error(
            'extension/clash',
            before.by === by
              ? `extension ${extensionText(by)} brings two ${slot} called '${name}'`
              : `extensions ${extensionText(before.by)} and ${extensionText(by)} both bring ${slot} called '${name}'`,
            { remedy: 'leave one of them out, or give one of them another name' },
          ),
        );
    }
  return found;
};

const partsOf = (slot: Slot): readonly (readonly [name: string, value: unknown])[] =>
  Array.isArray(slot) ? slot.map((item: unknown) => [nameOf(item)!, item]) : Object.entries(slot);

const nameOf = (item: unknown): string | undefined => {
  const name = typeof item === 'object' && item !== null ? (item as { readonly name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
};
