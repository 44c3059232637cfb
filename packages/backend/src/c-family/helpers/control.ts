import type { Tokens } from '../tokens.js';

/** Helpers of no type, by name. */
export const controlHelpers: Readonly<Record<string, (names: ControlNames) => readonly string[]>> = {
  trip_count: ({ local, wide, unsigned, tokens }) => [
    `${local} ${wide} trip_count(${wide} from, ${wide} to, ${wide} step, ${tokens.status}) {`,
    '  if (step <= 0) {',
    `    ${tokens.trap('step')}`,
    '    return 0;',
    '  }',
    ...trips(wide, unsigned),
    '}',
  ],
  /* Of a step that is positive: such a kernel has nothing to report. */
  certain_trip_count: ({ local, wide, unsigned }) => [
    `${local} ${wide} certain_trip_count(${wide} from, ${wide} to, ${wide} step) {`,
    ...trips(wide, unsigned),
    '}',
  ],
  unknown_zero: ({ local, wide, tokens }) => [
    `${local} ${wide} unknown_zero${tokens.noParameters} {`,
    `  ${wide} zero = 0;`,
    '  __asm__("" : "+r"(zero));',
    '  return zero;',
    '}',
  ],
  in_bounds: ({ local, wide, tokens }) => [
    `${local} ${wide} in_bounds(${wide} index, ${wide} length, ${tokens.status}) {`,
    '  if (index >= 0 && index < length) return index;',
    `  ${tokens.trap('bounds')}`,
    '  return 0;',
    '}',
  ],
};

const trips = (wide: string, unsigned: string): readonly string[] => [
  '  if (from >= to) return 0;',
  `  return (${wide})(((${unsigned})to - (${unsigned})from - 1) / (${unsigned})step + 1);`,
];

/** How a language declares what these helpers need. */
interface ControlNames {
  readonly local: string;
  /** An integer of 64 bits, and one without a sign. */
  readonly wide: string;
  readonly unsigned: string;
  readonly tokens: Tokens;
}
