import fc from 'fast-check';

/** What random programs call from their surroundings: functions of arguments alone, of which runs are known, and one that changes what it is given. */
export const surroundings = {
  turned(p: number[], by: number): number[] {
    let q = [...p];
    for (let step = 0; step < 3; step++) {
      const [c, s] = [1 / (1 + q[0] * q[0]), q[1] / (2 + q[0] * q[0])];
      q = [c * q[0] - s * q[1], s * q[0] + c * q[1] * by];
    }
    return [...q, p[0], by, 1];
  },
  largest(p: number[]): number {
    let [most, sum] = [p[0], 0];
    for (let i = 1; i < p.length; i++) {
      sum += Math.sin(p[i]) * Math.cos(p[i - 1]) + p[i] * p[i];
      most = p[i] > most ? p[i] : most;
    }
    return most + sum / (1 + sum * sum);
  },
  settle(p: number[], n: number): void {
    for (let i = 0; i < p.length; i++) for (let k = 0; k < n; k++) p[i] = Math.sin(p[i] + 0.5) * Math.cos(p[i]) + 0.25;
  },
};

/* Random programs as source text: loops over elements of several kinds, which read, call, loop, branch and add up. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      'u',
      'v',
      'w[0]',
      'w[1]',
      'x[a]',
      'x[b]',
      'y[e]',
      'scale',
      'one[e % 3]',
      '0.5',
      '2',
      'e % 4',
      'smooth(a, u)',
      'norm([u, v, x[b]])',
      'size[e]',
      'turned(w, 0.5)[0]',
      'turned([u, x[b]], e % 3)[1]',
      'turned([u, u], x[a])[2]',
      'turned([v, 2], size[e])[3]',
      'largest([u, v, x[a], w[1], u])',
    ),
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*'), tie('expression'))
      .map(([a, op, b]) => `bounded((${a}) ${op} (${b}))`),
    tie('expression').map((a) => `Math.sin(${a})`),
    tie('expression').map((a) => `squared(${a})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `dot([${a}, ${b}], w)`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([a, b, c]) => `((${a}) < (${b}) ? (${c}) : -u)`),
  ),
}));

const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    ...[
      (e: string) => `sums[a] += ${e};`,
      (e: string) => `sums[b % 7] -= ${e};`,
      (e: string) => `sums[a] = ${e} + sums[a];`,
      (e: string) => `total += ${e};`,
      (e: string) => `kept[e] = ${e};`,
      (e: string) => `kept[b] = ${e};`,
      (e: string) => `u = ${e};`,
      (e: string) => `w = [v, ${e}];`,
      (e: string) => `const alias = w; alias[0] = bounded(alias[0] + ${e});`,
      (e: string) => `const alias = sums; alias[b] += ${e};`,
      (e: string) => `const parts = [u, v].map((p) => bounded(p * ${e})); sums[a] += parts[0]; kept[e] = parts[1];`,
      (e: string) => `chained(sums, a, b, ${e});`,
      (e: string) => `settle(w, 2); w[1] = bounded(w[1] + ${e});`,
      (e: string) => `v = largest(turned([${e}, u], 2));`,
      (e: string) => `kept[e] = e % 40 === 7 ? peek(${e}) : ${e};`,
      (e: string) =>
        `if (kinds[e] === 0) sums[a] += ${e}; else if (kinds[e] === 1) sums[b] -= 2 * ${e}; else kept[b] = ${e};`,
      (e: string) => `const once = ${e}; sums[a] += once; sums[b] -= once; kept[e] = once;`,
    ].map((of) => fc.tuple(expression, fc.boolean()).map(([e, rich]) => `{ ${of(rich ? `rich(${e})` : e)} }`)),
    /* What each iteration reads of the one before. */
    fc
      .tuple(
        fc.constantFrom(
          (e: string) => `total += ${e}; prefixes[e] = total;`,
          (e: string) => `last = bounded(last + ${e});`,
          (e: string) => `sums[a] += ${e}; sums[b] += sums[a];`,
        ),
        expression,
      )
      .map(([of, e]) => `{ ${of(e)} }`),
    fc
      .tuple(fc.integer({ min: 2, max: 9 }), tie('statement'), tie('statement'))
      .map(([n, s, t]) => `if (e % ${n} === 0) { ${s} } else { ${t} }`),
    fc
      .tuple(fc.constantFrom('2', '3', '1 + (e % 2)', '(a % 3)', '40'), tie('statement'))
      .map(([n, s]) => `for (let k = 0; k < ${n}; k++) { v = bounded(v + x[(a + k) % x.length]); ${s} }`),
  ),
}));

const loop = fc
  .tuple(fc.constantFrom('count', 'count', 'count', '70', '5'), fc.array(statement, { minLength: 1, maxLength: 4 }))
  .map(
    ([n, statements]) => `for (let e = 0; e < ${n}; e++) {
      const a = at[e], b = at[e + 1];
      let u = x[a] - x[b], v = y[e] + other[a], w = [u, v];
      ${statements.join('\n      ')}
    }`,
  );

/** Programs `program(x, y, at, count, size, peek)` as source text; `peek` returns what it is given, and may look at it. */
export const repeatingPrograms = fc
  .tuple(
    fc.array(loop, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', 'for (let step = 0; step < 3; step++)', 'for (let step = 0; step < 10; step++)'),
    fc.constantFrom('peek(sums[3]); peek(kept[5]); peek(total);', ''),
  )
  .map(
    ([loops, around, between]) => `function program(x, y, at, count, size, peek) {
    const sums = new Array(x.length).fill(0), kept = new Array(count).fill(0.25), prefixes = new Array(count).fill(0);
    let other = [...y];
    const one = [1, 2, x[0]];
    let total = 0, last = x[1];
    const scale = y[0] * y[1];
    const bounded = (z) => z / (1 + Math.abs(z));
    const squared = (z) => z ** 2 / (1 + z ** 2);
    const kinds = at.map((i) => (i * 7919) % 3);
    const rich = (z) => Math.sin(z) * Math.cos(1 + z) + z / (2 + z * z) - Math.sqrt(1 + z * z);
    const norm = (p) => bounded(Math.sqrt(1 + dot(p, p)));
    function smooth(i, w) {
      let s = w;
      for (let step = 0; step < 2; step++) s = bounded(s + x[(i + step) % x.length] * dot([s, 0.5], [w, s]));
      return s;
    }
    function chained(into, i, j, value) {
      into[i] += value;
      let k = 0;
      while (k < 2) {
        into[j] += bounded(value * x[k]);
        k++;
      }
    }
    function dot(p, q) {
      let s = 0;
      for (let i = 0; i < p.length; i++) s += p[i] * q[i];
      return bounded(s);
    }
    ${around} {
    ${loops.join(`\n    ${between}\n    other = [...kept];\n    `)}
    other = [...kept];
    }
    return { sums, kept, prefixes, ends: [total, last, total * last] };
  }`,
  );
