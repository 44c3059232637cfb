import { type HelperRows, type Spellings, expr } from '@filigree/backend';

/** Functions that the library of Metal lacks, made of those that it has: within a few units in the last place. */
const bodies: Readonly<Record<string, readonly [args: string, ...body: string[]]>> = {
  cbrt: [
    'float x',
    'if (x == 0.0f || !isfinite(x)) return x;',
    'const float y = copysign(pow(fabs(x), 1.0f / 3.0f), x);',
    'return y - (y * y * y - x) / (3.0f * y * y);',
  ],
  expm1: [
    'float x',
    'const float u = exp(x);',
    'if (u == 1.0f) return x;',
    'return !(u - 1.0f > -1.0f) || u > 1e30f ? u - 1.0f : (u - 1.0f) * x / log(u);',
  ],
  log1p: [
    'float x',
    'const float u = 1.0f + x;',
    'return u == 1.0f || u > 1e30f ? (u == 1.0f ? x : log(u)) : log(u) * x / (u - 1.0f);',
  ],
  hypot: [
    'float a, float b',
    'const float x = fabs(a), y = fabs(b);',
    'if (x == INFINITY || y == INFINITY) return INFINITY;',
    'if (x != x || y != y) return NAN;',
    'const float m = x > y ? x : y, n = x > y ? y : x;',
    'return m == 0.0f ? m : m * sqrt(1.0f + (n / m) * (n / m));',
  ],
};

export const missingFunctions: { readonly rows: HelperRows; readonly spellings: Spellings } = {
  rows: Object.fromEntries(
    Object.entries(bodies).map(([name, [args, ...body]]) => [
      name,
      ({ local, name: whole }) => ({
        text: [`${local} float ${whole}(${args}) {`, ...body.map((l) => `  ${l}`), '}'].join('\n'),
        needs: [],
      }),
    ]),
  ),
  spellings: Object.fromEntries(
    Object.keys(bodies).map((name) => [
      `math.${name}`,
      {
        effect: 'pure',
        write: (_op, args, site) => expr(`${site.helper(`${name}_f32`)}(${args.map((a) => a.text).join(', ')})`),
      },
    ]),
  ),
};
