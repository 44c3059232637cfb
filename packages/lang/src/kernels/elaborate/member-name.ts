import type { MemberExpression } from 'acorn';

/** The name in `object.name` and `object.#name`; nothing where it is computed. */
export const memberName = ({ computed, property }: MemberExpression): string | undefined =>
  computed
    ? undefined
    : property.type === 'PrivateIdentifier'
      ? `#${property.name}`
      : (property as { readonly name: string }).name;
