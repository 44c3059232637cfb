import { fail, isScalarType, type ScalarType } from '@filigree/ir';

/** A field: a mapping from indices to numbers of one type. Where its values lie is said by a layout, and by nothing else. */
export interface FieldDecl {
  readonly name: string;
  readonly type: ScalarType;
  /** What reading an inactive element gives. */
  readonly ambient: number;
}

/** Declares a field. Fails with `layout/field` on a name that is no identifier or an unknown type. */
export const field = (name: string, type: ScalarType, options: { readonly ambient?: number } = {}): FieldDecl => {
  if (!/^[A-Za-z_]\w*$/.test(name))
    fail('layout/field', `'${name}' is no name for a field`, { remedy: 'use letters, digits and _' });
  if (!isScalarType(type)) fail('layout/field', `field '${name}' has no scalar type: ${String(type)}`);
  return { name, type, ambient: options.ambient ?? 0 };
};
