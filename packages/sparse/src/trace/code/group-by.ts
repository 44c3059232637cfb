/** Items with the same key together, in the order of their first ones. */
export const groupBy = <T>(items: Iterable<T>, key: (item: T) => string | number): T[][] => {
  const groups = new Map<string | number, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return [...groups.values()];
};
