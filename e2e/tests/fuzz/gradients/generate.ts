import type { Draw } from '../draw.js';

/**
 * A random differentiable kernel as source text: `(x, y, z, s, to, loss, a, n, W) => { … }`, with fields of floats `x`, `y`, `z` that lie together, sums `s` of four elements, integers `to` beside `x`, a number
 * `a`, a count `n` and an array `W` of four numbers. What it leaves in `z`, `s` and `loss` is what is differentiated. Every construct of the language that carries derivatives comes up; values are
 * bounded, so that nothing grows without end.
 */
export const drawKernelText = (d: Draw): string => {
  let names = 0;
  const fresh = (): string => `v${names++}`;

  /** An expression of what is in scope. */
  const expression = (scope: readonly string[], depth: number): string => {
    const inner = (): string => expression(scope, depth - 1);
    if (depth === 0 || d.chance(0.2)) return d.chance(0.15) ? `(${(d.int(40) / 16 - 1).toFixed(4)})` : d.of(scope);
    switch (d.int(13)) {
      case 0:
      case 1:
        return `(${inner()} + ${inner()})`;
      case 2:
        return `(${inner()} - ${inner()})`;
      case 3:
      case 4:
        return `${inner()} * ${inner()}`;
      case 5:
        return `Math.sin(${inner()})`;
      case 6:
        return `Math.exp(-(${inner()} ** 2))`;
      case 7:
        return `Math.sqrt(1.5 + ${inner()} ** 2)`;
      case 8:
        return `Math.${d.of(['min', 'max'])}(${inner()}, ${inner()})`;
      case 9:
        return `(${condition(scope)} ? ${inner()} : ${inner()})`;
      case 10:
        return `${inner()} / (1.2 + ${inner()} ** 2)`;
      case 11:
        return `Math.tanh(${inner()})`;
      default:
        return `Math.abs(${inner()})`;
    }
  };
  const condition = (scope: readonly string[]): string =>
    `${expression(scope, 1)} ${d.of(['<', '>'])} ${expression(scope, 1)}`;
  const bounded = (scope: readonly string[]): string => `Math.sin(${expression(scope, 3)})`;

  /** Statements that change a local, which is in scope around them. */
  const changes = (local: string, scope: readonly string[], depth: number, inLoop: boolean): readonly string[] =>
    d.list(1, 3, () => {
      const roll = depth > 0 ? d.int(8) : d.int(3);
      const next = (more: readonly string[] = []): string => `${local} = ${bounded([...scope, ...more, local])};`;
      if (roll < 2) return next();
      if (roll === 2) return inLoop && d.chance(0.4) ? `if (${condition([...scope, local])}) break;` : next();
      if (roll < 5) {
        const [then, otherwise] = [0, 1].map(() => changes(local, scope, depth - 1, inLoop).join(' '));
        return `if (${condition([...scope, local])}) { ${then} }${d.chance(0.6) ? ` else { ${otherwise} }` : ''}`;
      }
      if (roll < 7) {
        const k = fresh();
        const more = d.chance(0.5) ? [...scope, `(0.3 * ${k})`] : scope;
        return `for (const ${k} of serially(range(${d.of(['n', '3', '0', '5'])}))) { ${changes(local, more, depth - 1, true).join(' ')} }`;
      }
      const k = fresh();
      const body = changes(local, scope, depth - 1, true).join(' ');
      return `{ let ${k} = 0; while (${local} < 0.7 && ${k} < n + 1) { ${k}++; ${body} ${next()} } }`;
    });

  /** What a loop over elements does with one. */
  const element = (p: string, outer: readonly string[], first: boolean): readonly string[] => {
    const reads = [`x[${p}]`, `y[${p}]`, ...(d.chance(0.5) ? [`x[${p} + 1]`, `y[${p} - 1]`] : [])];
    const scope = [...reads, ...(first ? [] : [`z[${p}]`]), 'a', `W[${p} & 3]`, 'W[2]', ...outer];
    const local = fresh();
    const lines = [`let ${local} = ${bounded(scope)};`, ...changes(local, scope, 3, false)];
    const result = [...scope, local];
    const ends = [
      ...(first ? [`z[${p}] = ${expression([local, local, ...scope], 2)};`] : []),
      ...(d.chance(0.5) ? [`loss[0] += ${expression(result, 2)};`] : []),
      ...(d.chance(0.4) ? [`s[${d.of([`to[${p}]`, '0', `${p} & 1`])}] += ${expression(result, 2)};`] : []),
      ...(d.chance(0.25)
        ? [`${d.of(['atomicMax', 'atomicMin'])}(s, ${d.of(['2', '3'])}, ${expression(result, 2)});`]
        : []),
      ...(d.chance(0.25) ? [`total += ${expression(result, 2)};`] : []),
      ...(d.chance(0.2) ? [`if (${condition(result)}) s[1] -= ${expression(result, 1)};`] : []),
    ];
    return [...lines, ...ends];
  };

  const before = d.chance(0.5) ? [`const g = ${bounded(['a', 'W[1]'])};`] : [];
  const outer = before.length > 0 ? ['g'] : [];
  const loops = d.list(1, 2, (n) => {
    const p = `p${n}`;
    return `for (const ${p} of active(x)) {\n${element(p, outer, n === 0)
      .map((l) => `    ${l}`)
      .join('\n')}\n  }`;
  });
  const after = [
    `loss[0] += 0.5 * total * total;`,
    ...(d.chance(0.3)
      ? [`{ let r = a; ${changes('r', ['a', 'W[0]', ...outer], 2, false).join(' ')} loss[0] += r; }`]
      : []),
  ];
  return [
    '(x, y, z, s, to, loss, a, n, W) => {',
    ...['let total = 0.0;', ...before, ...loops, ...after, 'return total;'].map((l) => `  ${l}`),
    '}',
  ].join('\n');
};
