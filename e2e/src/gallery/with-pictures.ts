import { gallery } from './gallery.js';

/** An entry's arguments, and the folder for its pictures where it draws any and none is named. */
export const withPictures = (
  name: string,
  args: Readonly<Record<string, string>>,
  out: string,
): Readonly<Record<string, string>> => (gallery[name]!.summary.includes('out=DIR') ? { out, ...args } : args);
