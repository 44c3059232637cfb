import type { Instance } from '@filigree/runtime';

/**
 * Which kernel writes each entry of an output: runs the kernels one by one over an output of NaN, and sees which entries each
 * fills. Leaves the output as a full run does.
 */
export const kernelClasses = (instance: Instance, output: string): Int32Array => {
  const buffer = instance.buffers[output] as Float64Array;
  const classes = new Int32Array(buffer.length).fill(-1);
  buffer.fill(NaN);
  instance.module.kernels.forEach(({ name }, k) => {
    instance.launch(name, []);
    for (let i = 0; i < buffer.length; i++) if (classes[i] < 0 && !Number.isNaN(buffer[i])) classes[i] = k;
  });
  return classes;
};
