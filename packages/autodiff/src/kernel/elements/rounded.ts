import { storedOf, type Layout } from '@filigree/sparse/fields';

/** Whether elements of a field are stored in a format, so that what is read of them is not what was written. */
export const isRounded = (layout: Layout, field: string): boolean => storedOf(layout, field) !== undefined;
