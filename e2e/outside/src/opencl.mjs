import { writeFile } from 'node:fs/promises';
import { cachedFile, contentHash } from '@filigree/backend/native';
import { gpuBackend, probeGpu } from '@filigree/backend/gpu';
import { attempt, fail } from '@filigree/ir';
import { openclDriver } from './driver.mjs';
import { openclLanguage } from './language.mjs';

/**
 * The backend for OpenCL. A device compiles text itself, so an artifact is the text with its options in the first line.
 * @param {{ extensions?: readonly object[], checked?: boolean }} [options]
 */
export const opencl = (options) => {
  /** @type {Promise<object> | undefined} */
  let opened;
  const driver = () => (opened ??= openclDriver());
  return gpuBackend(
    openclLanguage,
    { compile, driver, probe: () => probeGpu('opencl', driver, async () => ({ version: 'OpenCL C 2.0' })) },
    options,
  );
};

export default opencl;

const compile = (sources, options = {}) =>
  attempt(async () => {
    const started = performance.now();
    const text = sources.files.find((f) => f.name === openclLanguage.file)?.contents;
    if (typeof text !== 'string')
      return fail('opencl/sources', `these sources of backend '${sources.backend}' have no ${openclLanguage.file}`, {
        remedy: "pass what this backend's emit made",
      });
    const { fastMath = true, flags = [], cache } = options;
    const words = ['-cl-std=CL2.0', '-cl-fp32-correctly-rounded-divide-sqrt', ...flags];
    if (fastMath === true) words.push('-DFILIGREE_FAST_MATH');
    const whole = `// ${words.join(' ')}\n${text}`;
    const hash = contentHash('opencl', whole);
    const { path, cached } = await cachedFile({
      cache,
      key: hash,
      file: openclLanguage.file,
      build: (into) => writeFile(into, whole),
    });
    return { backend: 'opencl', hash, path, cached, compileMs: performance.now() - started };
  });
