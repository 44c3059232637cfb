import type { Op } from '@filigree/ir';

/** The fields that a `snode.store_word` writes, by the names of their nodes. */
export const wordFields = ({ attrs }: Op): readonly string[] =>
  Array.isArray(attrs.fields) ? attrs.fields.map(String) : [];
