import { DiagnosticError, formatDiagnostic } from '@filigree/ir';
import type { Availability } from '../contract.js';
import type { GpuDriver } from './driver.js';

/** Whether there are a device and a compiler for it. What is missing is said by the one that looks for it. */
export const probeGpu = async (
  name: string,
  driver: () => Promise<GpuDriver>,
  compiler: () => Promise<{ readonly version: string }>,
): Promise<Availability> => {
  try {
    const { device } = await driver();
    const { version } = await compiler();
    return { name, usable: true, reason: '', toolchain: `${version}, ${device.name}` };
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    const reason = e.diagnostics.map((d) => formatDiagnostic(d)).join('\n');
    return { name, usable: false, reason, toolchain: '' };
  }
};
