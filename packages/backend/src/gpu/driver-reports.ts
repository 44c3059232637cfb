/** What happened, and what a user can do about it. */
type Report = readonly [what: string, remedy: string];

/** What drivers report alike, whatever number each has for it, of a backend of this name. */
export const driverReports = (
  backend: string,
): Readonly<Record<'full' | 'old' | 'broken' | 'elsewhere' | 'foreign' | 'greedy' | 'long' | 'failed', Report>> & {
  /** Of whom there is no device, such as `a GPU of AMD`. */
  readonly none: (whose: string) => Report;
} => ({
  full: ['the device is out of memory', 'use smaller buffers, or dispose of programs that are not needed'],
  old: ['the driver is older than the toolchain', 'install a newer driver'],
  none: (whose) => ['there is no device', `use a machine with ${whose}, or another backend`],
  broken: ['the compiled kernels are broken', 'clear the cache folder and compile again'],
  elsewhere: [
    'the kernels were compiled for another architecture',
    `compile for this one: ${backend}({ architecture })`,
  ],
  foreign: ['a kernel touched memory that is not its own', `run it with ${backend}({ checked: true })`],
  greedy: ['a kernel wants more registers or memory than the device has', 'use smaller scratch buffers'],
  long: ['a kernel ran too long', 'make it shorter, or use a device without a display'],
  failed: ['a kernel failed on the device', `run it with ${backend}({ checked: true })`],
});
