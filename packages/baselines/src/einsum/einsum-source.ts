import type { Action, Operand, Plan } from '@filigree/tensor/einsum';

/**
 * C++ that carries out a plan's operations as one would write it by hand: the same order of operations, plain nested loops over
 * dense column-major arrays, the target's first index innermost. With `gemm`, products of matrices whose columns lie side by
 * side are calls of LIBXSMM in their loops.
 */
export const einsumSource = (plan: Plan, gemm: 'loops' | 'libxsmm'): string => {
  const scalar = plan.type === 'f32' ? 'float' : 'double';
  const user = new Map(plan.tensors.map((t, k) => [t.tensor.name, k]));
  const temporaries = new Map(plan.temporaries.map((t) => [t.name, identifier(t.name)]));
  const known = new Map(plan.known?.map((t) => [t.tensor.name, identifier(t.tensor.name)]));
  const nameOf = (o: Operand): string => temporaries.get(o.name) ?? known.get(o.name) ?? `x${user.get(o.name)!}`;
  const sizes = new Map<string, number>();
  for (const a of plan.actions)
    for (const o of operandsOf(a))
      if (temporaries.has(o.name)) sizes.set(o.name, Math.max(sizes.get(o.name) ?? 1, volume(o)));
  const handles: string[] = [];
  const body = plan.actions.flatMap((a) =>
    gemm === 'libxsmm' && matrices(a) ? calls(a, nameOf, handles, scalar) : loops(a, nameOf, scalar),
  );
  return [
    ...(gemm === 'libxsmm' ? ['#include <libxsmm.h>'] : []),
    '#define EXPORT extern "C" __attribute__((visibility("default")))',
    ...[...sizes].map(([name, n]) => `alignas(64) static ${scalar} ${temporaries.get(name)!}[${n}];`),
    ...(plan.known ?? []).map(
      ({ tensor }) =>
        `alignas(64) static const ${scalar} ${known.get(tensor.name)!}[] = {${[...tensor.values!].map(literal).join(', ')}};`,
    ),
    `static ${scalar}* tensors[${Math.max(1, plan.tensors.length)}];`,
    `static ${scalar} scalars[${Math.max(1, plan.scalars.length)}];`,
    ...handles.map((_, k) => `static libxsmm_${scalar === 'float' ? 's' : 'd'}mmfunction gemm${k};`),
    `EXPORT void baseline_tensor(int k, ${scalar}* at) { tensors[k] = at; }`,
    `EXPORT void baseline_scalar(int k, ${scalar} value) { scalars[k] = value; }`,
    'EXPORT int baseline_start() {',
    ...handles.map((h, k) => `  gemm${k} = ${h}; if (!gemm${k}) return 0;`),
    '  return 1;',
    '}',
    'EXPORT void baseline_run(int times) {',
    ...plan.tensors.map((_, k) => `  ${scalar}* const __restrict x${k} = tensors[${k}];`),
    ...plan.scalars.map((s, k) => `  const ${scalar} ${scalarName(s)} = scalars[${k}];`),
    '  for (int time = 0; time < times; ++time) {',
    ...body.map((l) => `    ${l}`),
    '    __asm__ volatile("" ::: "memory");',
    '  }',
    '}',
    '',
  ].join('\n');
};

/* What planning computed is known to the baselines too. */
const literal = (x: number): string =>
  Number.isFinite(x) ? String(x) : Number.isNaN(x) ? '__builtin_nan("")' : `${x < 0 ? '-' : ''}__builtin_inf()`;

const identifier = (name: string): string => `t${name.replace(/\W/g, '_')}`;

const scalarName = (name: string): string => `s_${name.replace(/\W/g, '_')}`;

const operandsOf = ({ target, operation }: Action): readonly Operand[] => [
  target,
  ...('source' in operation ? [operation.source] : [operation.left, operation.right]),
];

const volume = (o: Operand): number => o.pattern.shape.reduce((n, x) => n * x, 1);

const strides = (o: Operand): ReadonlyMap<string, number> => {
  let stride = 1;
  return new Map(
    [...o.indices].map((l, d) => {
      const own = stride;
      stride *= o.pattern.shape[d]!;
      return [l, own];
    }),
  );
};

const place = (o: Operand, fixed: Readonly<Record<string, number>> = {}): string =>
  [...strides(o)].map(([l, s]) => (l in fixed ? String(fixed[l]! * s) : s === 1 ? l : `${s} * ${l}`)).join(' + ') ||
  '0';

const factorText = ({ scale }: Action, scalar: string): string =>
  [...(scale.factor === 1 ? [] : [`${scalar}(${scale.factor})`]), ...scale.scalars.map(scalarName)].join(' * ');

const clear = (a: Action, nameOf: (o: Operand) => string): string =>
  `for (int n = 0; n < ${volume(a.target)}; ++n) ${nameOf(a.target)}[n] = 0;`;

const loops = (a: Action, nameOf: (o: Operand) => string, scalar: string): readonly string[] => {
  const letters = [
    ...new Set(
      operandsOf(a)
        .map((o) => o.indices)
        .join(''),
    ),
  ];
  /* Outermost what the target lacks, then its indices from the slowest to the fastest. */
  const order = [...letters.filter((l) => !a.target.indices.includes(l)), ...[...a.target.indices].reverse()];
  const sources = operandsOf(a).slice(1);
  const factor = factorText(a, scalar);
  const product = sources.map((s) => `${nameOf(s)}[${place(s)}]`).join(' * ');
  return [
    ...(a.add ? [] : [clear(a, nameOf)]),
    ...order.map((l, d) => {
      const [from, to] = a.ranges[l] ?? [0, 0];
      return `${'  '.repeat(d)}for (int ${l} = ${from}; ${l} < ${to}; ++${l})`;
    }),
    `${'  '.repeat(order.length)}${nameOf(a.target)}[${place(a.target)}] += ${factor === '' ? '' : `${factor} * `}${product};`,
  ];
};

/** Sizes and leading dimensions of a product that LIBXSMM can do: A and C by columns, alpha a constant. */
const matrices = (a: Action) => {
  const { operation, target, ranges } = a;
  if (operation.kind !== 'log' || a.scale.scalars.length > 0 || a.scale.factor !== 1) return undefined;
  const { left, right, m, n, k } = operation;
  const size = (letters: string): number => [...letters].reduce((v, l) => v * (ranges[l]![1] - ranges[l]![0]), 1);
  const whole = (o: Operand, letters: string): boolean =>
    [...letters].every(
      (l, d) => d === letters.length - 1 || ranges[l]![1] - ranges[l]![0] === o.pattern.shape[o.indices.indexOf(l)],
    );
  const stride = (o: Operand, letters: string): number => (letters === '' ? 1 : strides(o).get(letters[0]!)!);
  const fits =
    m !== '' &&
    [target, left].every((o) => whole(o, m)) &&
    [target, right].every((o) => whole(o, n)) &&
    [left, right].every((o) => whole(o, k)) &&
    stride(left, m) === 1 &&
    stride(target, m) === 1 &&
    (k === '' || stride(right, k) === 1);
  if (!fits) return undefined;
  return {
    sizes: [size(m), size(n), size(k)] as const,
    leading: [
      Math.max(stride(left, k), size(m)),
      Math.max(stride(right, n), size(k)),
      Math.max(stride(target, n), size(m)),
    ] as const,
  };
};

const calls = (a: Action, nameOf: (o: Operand) => string, handles: string[], scalar: string): readonly string[] => {
  const operation = a.operation as Extract<Action['operation'], { kind: 'log' }>;
  const { sizes, leading } = matrices(a)!;
  const summed = [...operation.loops].some((l) => !a.target.indices.includes(l));
  const prefix = scalar === 'float' ? 's' : 'd';
  const handle = `gemm${handles.length}`;
  handles.push(
    `[] { int lda = ${leading[0]}, ldb = ${leading[1]}, ldc = ${leading[2]}; ${scalar} alpha = 1, beta = ${a.add || summed ? 1 : 0}; int flags = 0; ` +
      `return libxsmm_${prefix}mmdispatch(${sizes.join(', ')}, &lda, &ldb, &ldc, &alpha, &beta, &flags, nullptr); }()`,
  );
  const first = Object.fromEntries(
    Object.entries(a.ranges).flatMap(([l, [from]]) => (operation.loops.includes(l) ? [] : [[l, from]])),
  );
  const at = (o: Operand): string => `${nameOf(o)} + ${place(o, first)}`;
  return [
    ...(a.add || (!summed && covers(a)) ? [] : [clear(a, nameOf)]),
    ...[...operation.loops].map(
      (l, d) => `${'  '.repeat(d)}for (int ${l} = ${a.ranges[l]![0]}; ${l} < ${a.ranges[l]![1]}; ++${l})`,
    ),
    `${'  '.repeat(operation.loops.length)}${handle}(${[operation.left, operation.right, a.target].map(at).join(', ')});`,
  ];
};

const covers = ({ target, ranges }: Action): boolean =>
  [...target.indices].every((l, d) => ranges[l]![0] === 0 && ranges[l]![1] === target.pattern.shape[d]);
