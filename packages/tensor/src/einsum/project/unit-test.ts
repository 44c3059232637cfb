import { fieldText, methodOf, scalarsOf } from './fields.js';
import {
  tensorsOf,
  writes,
  type KernelClass,
  type ProjectKernel,
  type ProjectModel,
  type ProjectTensor,
} from './model.js';
import { naiveCode } from './naive-code.js';
import { braced, realOf, scalarName } from './text.js';

/** Largest difference that passes, in the Frobenius norm relative to that of the plain evaluation. */
const TOLERANCE = { f32: '1e-4', f64: '1e-11' } as const;

/** A program that compares a kernel with plain nested loops (§4.9); its exit status is the number of members that fail. */
export const unitTest = (model: ProjectModel, group: KernelClass): string =>
  [
    `#include "${model.name}/kernel/${group.file}.h"`,
    '#include "testing.h"',
    '#include <vector>',
    '',
    ...group.kernels.flatMap((k) => memberTest(model, group, k)),
    'int main() {',
    '  int failures = 0;',
    ...group.kernels.map((k) => `  failures += test_${k.id}() ? 0 : 1;`),
    '  return failures;',
    '}',
    '',
  ].join('\n');

const memberTest = (model: ProjectModel, group: KernelClass, kernel: ProjectKernel): readonly string[] => {
  const tensors = tensorsOf(model, kernel);
  const real = realOf(model.type);
  const scalars = kernel.plan.scalars;
  const dense = (t: ProjectTensor): string => `dense_${t.id}`;
  const byName = new Map(tensors.map((t) => [t.tensor.name, t]));
  const given = tensors.filter((t) => !t.tensor.values);
  return [
    ...tensors.flatMap((t) => patternOf(t)),
    `static bool test_${kernel.id}() {`,
    `  using namespace ${model.name};`,
    ...tensors.flatMap((t) => [
      `  std::vector<double> ${dense(t)}(${t.tensor.shape.reduce((n, x) => n * x, 1)}, 0.0);`,
      ...(t.tensor.values ? [] : [`  aligned_array<${real}> stored_${t.id}(tensor::${t.id}::Size);`]),
    ]),
    ...given.map((t, k) => `  fill<${real}>(${dense(t)}, ${t.tensor.pattern ? patternName(t) : 'nullptr'}, ${k + 1});`),
    ...tensors.flatMap((t) =>
      overEntries(
        t,
        t.tensor.values
          ? `${dense(t)}[n] = tensor::${t.id}::view(tensor::${t.id}::Values).get(${indexList(t)});`
          : `put<tensor::${t.id}>(stored_${t.id}.data(), ${dense(t)}[n]${comma(indexList(t))});`,
      ),
    ),
    ...scalars.map((s, k) => `  const ${real} ${localName(s)} = ${real}(${(0.75 + 0.125 * k).toFixed(3)});`),
    '',
    `  kernel::${group.name} kernel;`,
    ...given.map((t) => `  kernel.${fieldText(t)} = stored_${t.id}.data();`),
    ...scalarsOf(group)
      .filter((s) => scalars.includes(s))
      .map((s) => `  kernel.${scalarName(s)} = ${localName(s)};`),
    `  kernel.${methodOf(kernel)}();`,
    '',
    ...naiveCode(
      kernel.decl.assignments,
      (t) => dense(byName.get(t.name)!),
      localName,
      (t) => (t.pattern ? patternName(byName.get(t.name)!) : undefined),
    ).map((l) => `  ${l}`),
    '',
    '  difference found;',
    ...given
      .filter((t) => writes(kernel, t.tensor.name))
      .flatMap((t) =>
        overEntries(t, `found.add(tensor::${t.id}::view(stored_${t.id}.data()).get(${indexList(t)}), ${dense(t)}[n]);`),
      ),
    `  return found.report("${kernel.decl.name}", ${TOLERANCE[model.type]});`,
    '}',
    '',
  ];
};

const localName = (s: string): string => `scalar_${scalarName(s)}`;

const indexList = (t: ProjectTensor): string => t.tensor.shape.map((_, d) => `i${d}`).join(', ');

const comma = (text: string): string => (text === '' ? '' : `, ${text}`);

/* One array of a tensor's pattern serves all members of a family. */
const patternName = (t: ProjectTensor): string => `pattern_${t.id}`;

const patternOf = (t: ProjectTensor): readonly string[] =>
  t.tensor.pattern && !t.tensor.values
    ? [
        `#ifndef HAVE_${patternName(t)}`,
        `#define HAVE_${patternName(t)}`,
        `static const unsigned char ${patternName(t)}[] = ${braced(Array.from(t.tensor.pattern.bits, String), '  ')};`,
        '#endif',
      ]
    : [];

/** A statement for each entry, its position in a dense array as `n`. */
const overEntries = (t: ProjectTensor, statement: string): readonly string[] => {
  const loops = t.tensor.shape.map((n, d) => `for (std::size_t i${d} = 0; i${d} < ${n}; ++i${d})`).reverse();
  const at = t.tensor.shape.reduceRight((text, n, d) => (text === '' ? `i${d}` : `i${d} + ${n} * (${text})`), '');
  return [
    `  ${loops.join(' ')}${loops.length > 0 ? ' ' : ''}{`,
    `    const std::size_t n = ${at || '0'};`,
    `    ${statement}`,
    '  }',
  ];
};

/** What the test programs share. */
export const testingHeader = (): string => `#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/** Zeros that begin at a whole cache line. */
template <class Real>
class aligned_array {
public:
  explicit aligned_array(std::size_t size) : bytes_(size * sizeof(Real) + 64) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(bytes_.data());
    data_ = reinterpret_cast<Real*>((at + 63) / 64 * 64);
    for (std::size_t n = 0; n < size; ++n) data_[n] = Real(0);
  }
  aligned_array(const aligned_array&) = delete;
  Real* data() { return data_; }

private:
  std::vector<char> bytes_;
  Real* data_;
};

/** Repeatable numbers in [-1, 1) where the pattern has entries, rounded to the type that kernels work on. */
template <class Real>
void fill(std::vector<double>& entries, const unsigned char* pattern, unsigned seed) {
  std::uint32_t state = 2463534242u + 747796405u * seed;
  for (std::size_t n = 0; n < entries.size(); ++n) {
    state = state * 1664525u + 1013904223u;
    if (pattern == nullptr || pattern[n])
      entries[n] = static_cast<double>(static_cast<Real>((state >> 8) / 8388608.0 - 1.0));
  }
}

/** Writes an entry where the layout has it. */
template <class Tensor, class... Index>
void put(typename Tensor::real* data, double value, Index... index) {
  const std::ptrdiff_t at = Tensor::position(index...);
  if (at >= 0) data[at] = static_cast<typename Tensor::real>(value);
}

/** The Frobenius norm of a difference. */
struct difference {
  double squares = 0, norm = 0;
  void add(double found, double expected) {
    squares += (found - expected) * (found - expected);
    norm += expected * expected;
  }
  bool report(const char* kernel, double tolerance) const {
    const double relative = norm > 0 ? std::sqrt(squares / norm) : std::sqrt(squares);
    const bool passed = relative <= tolerance;
    std::printf("%s: relative difference %.2e, %s\\n", kernel, relative, passed ? "passed" : "FAILED");
    return passed;
  }
};
`;
