import { locOf, offsetIn, type Site, type Source } from './place.js';

/**
 * What a free name of a text is called in its scope. Loaders and bundlers print a name with a number at its end where something around has that name as
 * well, and leave the names of a scope, `{ n: n2 }`, as their author wrote them: what that is stands in the author's file.
 */
export const authorName = (
  source: Source,
  site: Site,
  printed: string,
  isInScope: (name: string) => boolean,
): string => {
  if (!stemsOf(printed).some(isInScope)) return printed;
  const original = source.source === undefined ? undefined : source.original?.();
  if (!original) return printed;
  const [written] = /^[\p{ID_Continue}$]*/u.exec(
    original.text.slice(offsetIn(original, source.source!, locOf(source, site))),
  )!;
  return stemsOf(printed).includes(written) && isInScope(written) ? written : printed;
};

/** What a printed name may have been, before a number was put at its end. */
export const stemsOf = (printed: string): readonly string[] => {
  const [digits] = /\d*$/.exec(printed)!;
  return Array.from(digits, (_, k) => printed.slice(0, -1 - k)).filter((stem) => stem !== '');
};

/** What a namespace of TypeScript, `Rules`, is called in itself, `Rules2`: the object of the scope of which the function is a part. */
export const namespaceAround = (
  printed: string,
  scope: Readonly<Record<string, unknown>>,
  f: unknown,
): string | undefined => stemsOf(printed).find((stem) => Object.hasOwn(scope, stem) && hasPart(scope[stem], f));

const hasPart = (of: unknown, f: unknown): boolean =>
  typeof of === 'object' &&
  of !== null &&
  Object.getPrototypeOf(of) === Object.prototype &&
  Object.values(of).some((part) => part === f || hasPart(part, f));
