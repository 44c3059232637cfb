import { type HelperRow, type HelperRows } from '@filigree/backend';

/**
 * Atomics that the threads of a SIMD group do together, as one update of all their values to one element: `fold` gives nothing back, `scan` and
 * `count` give each what it would have found had they come one after the other. The update itself is the helper `PREFIX_KIND`. Those who may be at
 * different elements (`peers`) do it one by one: pointers cannot be looked at by others.
 */
export const simdAtomics = (space: 'device' | 'threadgroup', prefix: string): HelperRows => {
  const row =
    (kind: 'add' | 'min' | 'max', result: boolean, body: (t: string) => readonly string[]): HelperRow =>
    (r) => ({
      needs: [`${prefix}_${kind}_${r.a}`, ...(result ? [`add_${r.a}`] : [])],
      text: [
        `static inline __attribute__((always_inline)) ${result ? r.scalar(r.a) : 'void'} ${r.name}(${space} ${r.scalar(r.a)}* p, ${r.scalar(r.a)} v) {`,
        ...body(r.a),
        '}',
      ].join('\n'),
    });
  const fold = (kind: 'add' | 'min' | 'max', all: string): HelperRow =>
    row(kind, false, (t) =>
      /* The extremes of floats are not those of the device, which lose NaN. */
      kind !== 'add' && t === 'f32'
        ? [`  ${prefix}_${kind}_${t}(p, v);`]
        : [`  const auto all = ${all}(v);`, `  if (simd_is_first()) ${prefix}_${kind}_${t}(p, all);`],
    );
  const scan = row('add', true, (t) => [
    '  const auto before = simd_prefix_exclusive_sum(v);',
    '  const auto all = simd_sum(v);',
    '  auto old = all;',
    `  if (simd_is_first()) old = ${prefix}_add_${t}(p, all);`,
    `  return add_${t}(simd_broadcast_first(old), before);`,
  ]);
  return {
    [`${prefix}_fold_add`]: fold('add', 'simd_sum'),
    [`${prefix}_fold_min`]: fold('min', 'simd_min'),
    [`${prefix}_fold_max`]: fold('max', 'simd_max'),
    [`${prefix}_scan_add`]: scan,
    [`${prefix}_count_add`]: scan,
    [`${prefix}_peers_count_add`]: row('add', true, (t) => [`  return ${prefix}_add_${t}(p, v);`]),
  };
};
