import { entriesAlong } from '../emit/storage.js';
import { packTensor } from '../emit/pack.js';
import type { ProjectTensor } from './model.js';
import { braced, literal, realOf } from './text.js';

/** The header of a tensor: its layout as constants, where entries lie, its values where they are known, views (§4.9). */
export const tensorHeader = (namespace: string, { id, tensor, layout }: ProjectTensor, type: 'f32' | 'f64'): string => {
  const real = realOf(type);
  const d = tensor.shape.length;
  const list = (xs: readonly number[]): string => braced((xs.length === 0 ? [1] : xs).map(String));
  const n = Math.max(1, d);
  const where = positionBody(tensor.shape, layout);
  /* Where nothing is stored no index is asked. */
  const parameters = tensor.shape.map((_, k) => (where === NOWHERE ? 'std::size_t' : `std::size_t i${k}`)).join(', ');
  return [
    '#pragma once',
    '#include <cstddef>',
    '#include "../view.h"',
    '',
    `namespace ${namespace} {`,
    'namespace tensor {',
    '',
    `/** ${tensor.name}: ${tensor.shape.join(' x ') || 'a number'}, ${describe(layout)}. */`,
    `struct ${id} {`,
    `  typedef ${real} real;`,
    `  static constexpr std::size_t Dimensions = ${d};`,
    `  static constexpr std::size_t Shape[${n}] = ${list(tensor.shape)};`,
    '  /** Numbers that its storage takes. */',
    `  static constexpr std::size_t Size = ${layout.size};`,
    ...(layout.kind === 'dense'
      ? [
          `  static constexpr std::size_t Start[${n}] = ${list(layout.box.map(([a]) => a))};`,
          `  static constexpr std::size_t Stop[${n}] = ${list(layout.box.map(([, b]) => b))};`,
          `  static constexpr std::size_t Stride[${n}] = ${list(layout.strides)};`,
        ]
      : []),
    ...(layout.kind === 'csc'
      ? [
          `  static constexpr int ColumnStart[] = ${braced(Array.from(layout.columnStart, String))};`,
          `  static constexpr int Rows[] = ${braced(layout.size === 0 ? ['0'] : Array.from(layout.rows, String))};`,
        ]
      : []),
    ...(layout.kind === 'compressed'
      ? [`  static constexpr int Position[] = ${braced(Array.from(layout.position, String))};`]
      : []),
    '',
    '  /** Where an entry lies, or -1 where it is not stored and zero. */',
    `  static constexpr std::ptrdiff_t position(${parameters}) {`,
    ...where.map((l) => `    ${l}`),
    '  }',
    ...(tensor.values
      ? [
          '',
          '  /** The values, as they lie in memory. */',
          `  alignas(64) static constexpr real Values[${Math.max(1, layout.size)}] = ${braced(
            layout.size === 0 ? ['0'] : Array.from(packTensor(tensor, layout, tensor.values), (x) => literal(x, type)),
          )};`,
        ]
      : []),
    '',
    `  static View<${id}, real> view(real* data) { return View<${id}, real>(data); }`,
    `  static ConstView<${id}, real> view(const real* data) { return ConstView<${id}, real>(data); }`,
    '};',
    '',
    '}',
    '}',
    '',
  ].join('\n');
};

const describe = (layout: ProjectTensor['layout']): string =>
  layout.kind === 'dense'
    ? `column-major in the box ${layout.box.map(([a, b]) => `[${a}, ${b})`).join(' x ') || 'of one'}`
    : layout.kind === 'csc'
      ? `${layout.size} entries by columns`
      : `${layout.size} entries in column-major order`;

const NOWHERE = ['return -1;'];

const positionBody = (shape: readonly number[], layout: ProjectTensor['layout']): readonly string[] => {
  if (layout.kind === 'csc')
    return [
      'for (int p = ColumnStart[i1]; p < ColumnStart[i1 + 1]; ++p)',
      '  if (static_cast<std::size_t>(Rows[p]) == i0) return p;',
      'return -1;',
    ];
  if (layout.kind === 'compressed') {
    const at = shape.reduceRight((text, n, k) => (text === '' ? `i${k}` : `i${k} + ${n} * (${text})`), '');
    return [`return Position[${at || '0'}];`];
  }
  if (layout.size === 0) return NOWHERE;
  const outside = entriesAlong(layout, shape).flatMap(([start, stop], k) => [
    ...(start > 0 ? [`i${k} < ${start}`] : []),
    ...(stop < shape[k]! ? [`i${k} >= ${stop}`] : []),
  ]);
  const at = layout.box.map(([start], k) => {
    const i = start > 0 ? `(i${k} - ${start})` : `i${k}`;
    return layout.strides[k] === 1 ? i : `${i} * ${layout.strides[k]}`;
  });
  return [
    ...(outside.length > 0 ? [`if (${outside.join(' || ')}) return -1;`] : []),
    `return static_cast<std::ptrdiff_t>(${at.join(' + ') || '0'});`,
  ];
};

/** The header with the views that all tensors share. */
export const viewHeader = (namespace: string): string =>
  `#pragma once
#include <cassert>
#include <cstddef>

namespace ${namespace} {

/** A tensor in memory, to read and write by its indices. */
template <class Tensor, class Real>
class View {
public:
  explicit View(Real* data) : data_(data) {}

  /** The entry, which must be stored. */
  template <class... Index>
  Real& operator()(Index... index) const {
    const std::ptrdiff_t at = Tensor::position(static_cast<std::size_t>(index)...);
    assert(at >= 0 && "the entry is not stored");
    return data_[at];
  }

  /** The entry, zero where it is not stored. */
  template <class... Index>
  Real get(Index... index) const {
    const std::ptrdiff_t at = Tensor::position(static_cast<std::size_t>(index)...);
    return at < 0 ? Real(0) : data_[at];
  }

  template <class... Index>
  static constexpr bool stored(Index... index) {
    return Tensor::position(static_cast<std::size_t>(index)...) >= 0;
  }

  Real* data() const { return data_; }

private:
  Real* data_;
};

/** A tensor in memory, to read by its indices; what is not stored is zero. */
template <class Tensor, class Real>
class ConstView {
public:
  explicit ConstView(const Real* data) : data_(data) {}

  template <class... Index>
  Real operator()(Index... index) const {
    const std::ptrdiff_t at = Tensor::position(static_cast<std::size_t>(index)...);
    return at < 0 ? Real(0) : data_[at];
  }

  template <class... Index>
  Real get(Index... index) const {
    return (*this)(index...);
  }

  const Real* data() const { return data_; }

private:
  const Real* data_;
};

}
`;
