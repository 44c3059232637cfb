import { encodedWith, type Layout } from '@filigree/sparse/fields';

/** Fields with those that share exponents with them: one cannot be put back alone. */
export const withEncoded = (layout: Layout, names: Iterable<string>): readonly string[] => [
  ...new Set([...names].flatMap((name) => [name, ...encodedWith(layout, name)])),
];
