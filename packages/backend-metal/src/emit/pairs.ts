import { type HelperRows, type Spellings, call } from '@filigree/backend';

const body = (r: { readonly local: string; readonly name: string }, ...lines: readonly string[]): string =>
  [`${r.local} float ${r.name}(float a, float b) {`, `  ${asWritten}`, ...lines.map((l) => `  ${l}`), '}'].join('\n');

/* A product that was fused with a sum would count what rounding took twice. */
const asWritten = '#pragma METAL fp contract(off)';

/** What rounding took from sums and products (`pairDialect`), for doubles that are pairs. The text is compiled without fast arithmetic, by which it would be 0. */
export const pairFunctions: { readonly rows: HelperRows; readonly spellings: Spellings } = {
  rows: {
    restOfSum: (r) => ({
      text: body(
        r,
        'const float sum = a + b, other = sum - a;',
        'return isfinite(sum) ? (a - (sum - other)) + (b - other) : 0.0f;',
      ),
      needs: [],
    }),
    restOfProduct: (r) => ({
      text: body(r, 'const float product = a * b;', 'return isfinite(product) ? fma(a, b, -product) : 0.0f;'),
      needs: [],
    }),
  },
  spellings: Object.fromEntries(
    ['restOfSum', 'restOfProduct'].map((name) => [
      `pair.${name}`,
      { effect: 'pure', write: (_op, args, site) => call(site.helper(`${name}_f32`), ...args) },
    ]),
  ),
};
