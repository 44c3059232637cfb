import type { MemberExpression } from 'acorn';

/** The name in `object.name` and `object.#name`; nothing where it is computed. */
export const memberName = ({ computed, property }: MemberExpression): string | undefined =>
  computed ? undefined : keyName(property);

/** What a name is written as, of an object or in a class: `name`, `#name`; nothing of a text or number. */
export const keyName = (key: { readonly type: string }): string | undefined =>
  key.type === 'PrivateIdentifier'
    ? `#${(key as { readonly type: string; readonly name: string }).name}`
    : key.type === 'Identifier'
      ? (key as { readonly type: string; readonly name: string }).name
      : undefined;
