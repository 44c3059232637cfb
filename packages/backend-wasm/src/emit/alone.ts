/**
 * What one thread that runs alone does in place of the next line, in a comment that other assemblers pass over: `(;alone (f32.store …) ;)`.
 */
export const ALONE = {
  line: (text: string): string => `(;alone ${text} ;)`,
  /** Text as it is for one thread. */
  only: (wat: string): string => wat.replaceAll(/^ *\(;alone (.*) ;\)\n.*$/gm, '$1'),
} as const;
