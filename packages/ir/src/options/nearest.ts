/** The name that is most like a mistyped one, where one is like it at all. */
export const nearest = (given: string, known: readonly string[]): string | undefined => {
  const most = Math.max(1, Math.floor(given.length / 3));
  let [best, least] = [undefined as string | undefined, most + 1];
  for (const name of known) {
    const d = distance(given.toLowerCase(), name.toLowerCase());
    if (d < least) [best, least] = [name, d];
  }
  return best;
};

/** How many letters must be inserted, left out or replaced (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
};
