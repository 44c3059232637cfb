/**
 * Largest resident set of this process so far, in MB. Linux counts the memory of the process that started this one into
 * `getrusage`, so the kernel's own mark is read where there is one.
 */
export const peakRssMB = (): number => (highWaterMark() ?? process.resourceUsage().maxRSS) / 1024;

const highWaterMark = (): number | undefined => {
  try {
    /* Not imported: the rest of this package runs in browsers too. */
    const status = process.getBuiltinModule('node:fs').readFileSync('/proc/self/status', 'utf8');
    const found = /^VmHWM:\s+(\d+) kB/m.exec(status);
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
};
