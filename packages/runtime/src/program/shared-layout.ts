import type { Layout } from '@filigree/sparse/fields';

/** Notes what a layout was before fields of derivatives were added to it. */
export const noteOrigin = (layout: Layout, origin: Layout): void => {
  if (layout !== origin) origins.set(layout, originOf(origin));
};

/**
 * The layout of a program that is to share the fields of another one. Both were given one layout, and one may have derivatives where the other has none or
 * fewer: what it has is that of the other then. Where it does not fit, it is as it was asked for.
 *
 * @param shared the layout of the other program, with its derivatives
 * @param asked the one of this program, with its own
 */
export const layoutOver = (shared: Layout, asked: Layout): Layout =>
  originOf(shared) === originOf(asked) &&
  [...asked.fields].every(([name, { field }]) => shared.fields.get(name)?.field === field)
    ? shared
    : asked;

const originOf = (layout: Layout): Layout => origins.get(layout) ?? layout;

const origins = new WeakMap<Layout, Layout>();
