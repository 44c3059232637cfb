/** The version of this package, where no package.json is at hand; a test compares the two. */
export const VERSION = '0.1.0';
