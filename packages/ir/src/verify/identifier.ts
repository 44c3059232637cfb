/** Names of modules, buffers and kernels: identifiers of C, so that every target can keep them. */
export const isIdentifier = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
