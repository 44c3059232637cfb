/** The identifier of a tensor, kernel or scalar: `star(1)` is `star_1`, `rDivM(0,2)` is `rDivM_0_2`. */
export const identifierOf = (name: string): string =>
  name.replace(/\(([\d,\s]*)\)$/, (_, list: string) => `_${list.replace(/\s*,\s*/g, '_').trim()}`);

/** The family of a member and its number within: `star(1)` is member 1 of `star`; a name without numbers is no member. */
export const familyOf = (name: string): { readonly family: string; readonly member: readonly number[] } | undefined => {
  const m = /^(\w+)\(([\d,\s]+)\)$/.exec(name);
  return m ? { family: m[1]!, member: m[2]!.split(',').map(Number) } : undefined;
};

/** Identifiers for names, all distinct: where two names would share one, underscores are appended. */
export const identifiersOf = (names: readonly string[]): ReadonlyMap<string, string> => {
  const taken = new Set<string>();
  return new Map(
    names.map((name) => {
      let id = identifierOf(name);
      while (taken.has(id)) id += '_';
      taken.add(id);
      return [name, id];
    }),
  );
};
