/** The name under which a kernel is exported. */
export const exportName = (kernel: string): string => `k:${kernel}`;
