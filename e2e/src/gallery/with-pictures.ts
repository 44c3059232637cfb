import { gallery } from './gallery.js';

/** An entry's arguments, and the folder for its pictures where it draws any. */
export const withPictures = (
  name: string,
  args: Readonly<Record<string, string>>,
  out: string,
): Readonly<Record<string, string>> => (gallery[name]!.summary.includes('out=DIR') ? { ...args, out } : args);
