import { arrayConstructor, constBuffer, declareBuffer, fail, type Buffer } from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import { sameLayout } from '../layout/tensor-layout.js';
import { sameNumbers } from '../notation/check.js';
import type { TensorDecl } from '../notation/expression.js';
import type { Plan } from '../plan/plan.js';
import { identifiersOf } from './names.js';
import { packTensor } from './pack.js';
import type { Elements, PlacedTensor } from './placement.js';

/** A tensor of the user as the kernels of one module share it. */
export interface ModuleTensor {
  readonly tensor: TensorDecl;
  readonly layout: Layout;
  readonly access: 'read' | 'write' | 'readwrite';
  readonly placed: PlacedTensor;
  readonly buffer: string;
}

/**
 * The tensors of these kernels, each with its buffer. Errors: `emit/layout` where two kernels store a tensor in
 * different ways, `emit/constant` where they disagree about its values, `emit/placement` where all elements would write one
 * tensor, `emit/size`.
 */
export const moduleTensors = (plans: readonly Plan[], elements: Elements): ReadonlyMap<string, ModuleTensor> => {
  const names = [...new Set(plans.flatMap((p) => p.tensors.map((t) => t.tensor.name)))];
  const identifiers = identifiersOf(names);
  agreeOnValues(plans);
  const found = new Map<string, ModuleTensor>();
  for (const plan of plans)
    for (const { tensor, layout, access } of plan.tensors) {
      const before = found.get(tensor.name);
      if (before && !sameLayout(before.layout, layout))
        fail('emit/layout', `${tensor.name} lies in another way in the kernel ${plan.name} than in one before`, {
          remedy: 'give the tensor a layout of its own, or compile the kernels apart',
        });
      const placed = placementOf(tensor, elements);
      found.set(tensor.name, {
        tensor: before?.tensor.values ? before.tensor : tensor,
        layout,
        access: before && before.access !== access ? 'readwrite' : access,
        placed,
        buffer: placed.buffer ?? identifiers.get(tensor.name)!,
      });
    }
  for (const name of Object.keys('placed' in elements ? (elements.placed ?? {}) : {}))
    if (!found.has(name))
      fail('emit/placement', `there is no tensor ${name} to be placed`, {
        remedy: `the tensors are ${names.join(', ')}`,
      });
  if (elements.kind === 'many')
    for (const t of found.values())
      if (t.access !== 'read' && t.placed.kind === 'shared')
        fail('emit/placement', `all elements would write ${t.tensor.name} at the same time`, {
          remedy: 'let every element have its own',
        });
  return found;
};

/** The buffers that hold these tensors, and those with the numbers of indexed ones. */
export const tensorBuffers = (
  tensors: ReadonlyMap<string, ModuleTensor>,
  elements: Elements,
  type: 'f32' | 'f64',
): readonly Buffer[] => {
  const buffers = new Map<string, Buffer>();
  for (const t of tensors.values()) {
    const buffer = bufferOf(t, elements, type);
    const before = buffers.get(buffer.name);
    if (before && (before.length !== buffer.length || before.role === 'const' || buffer.role === 'const'))
      fail('emit/placement', `${t.tensor.name} does not fit the buffer ${buffer.name} that another tensor lies in`, {
        remedy: 'only tensors of one layout and without known values can lie in one buffer',
      });
    buffers.set(buffer.name, before && before.role !== buffer.role ? { ...buffer, role: 'inout' } : (before ?? buffer));
    if (t.placed.kind === 'indexed' && elements.kind === 'many')
      buffers.set(t.placed.by, declareBuffer(t.placed.by, 'i32', elements.count, 'input'));
  }
  return [...buffers.values()];
};

/** Indices are 32 bits long, and where an element begins is one. */
export const MOST_NUMBERS = 2 ** 31 - 1;

/**
 * Known values of a tensor are part of the code of every kernel: there is only one set of them, and nothing writes
 * them.
 */
export const agreeOnValues = (plans: readonly Plan[]): void => {
  const known = new Map<string, { readonly values: Float64Array; readonly plan: Plan }>();
  const uses = plans.flatMap((plan) => plan.tensors.map((t) => ({ plan, ...t })));
  for (const { plan, tensor } of uses) {
    const { name, values } = tensor;
    const before = known.get(name);
    if (values && before && !sameNumbers(values, before.values))
      fail('emit/constant', `${name} has other values in the kernel ${plan.name} than in ${before.plan.name}`, {
        remedy: 'give the tensors different names, or compile the kernels apart',
      });
    if (values && !before) known.set(name, { values, plan });
  }
  for (const { plan, tensor, access } of uses) {
    const constant = known.get(tensor.name);
    if (constant && access !== 'read')
      fail(
        'emit/constant',
        `${tensor.name} is assigned in the kernel ${plan.name}, but has constant values in ${constant.plan.name}`,
        { remedy: 'declare it without values in both, or give the tensors different names' },
      );
  }
};

const placementOf = (tensor: TensorDecl, elements: Elements): PlacedTensor => {
  if (elements.kind === 'one') return { kind: 'shared' };
  return elements.placed?.[tensor.name] ?? { kind: tensor.values ? 'shared' : 'element' };
};

const bufferOf = (
  { tensor, layout, access, placed, buffer }: ModuleTensor,
  elements: Elements,
  type: 'f32' | 'f64',
): Buffer => {
  if (tensor.values && access === 'read' && placed.kind === 'shared') {
    const Values = arrayConstructor(type) as typeof Float32Array | typeof Float64Array;
    return constBuffer(buffer, type, packTensor(tensor, layout, tensor.values, new Values(layout.size)));
  }
  const count = placed.kind === 'shared' || elements.kind === 'one' ? 1 : elements.count;
  const length = layout.size * count;
  if (length > MOST_NUMBERS)
    fail(
      'emit/size',
      `${tensor.name} takes ${layout.size} numbers for each of ${count} elements, more than the ${MOST_NUMBERS} that an index counts`,
      { remedy: `work on at most ${Math.floor(MOST_NUMBERS / layout.size)} elements at a time` },
    );
  return declareBuffer(buffer, type, length, access === 'read' ? 'input' : access === 'write' ? 'output' : 'inout');
};
