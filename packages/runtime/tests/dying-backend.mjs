/** Ends the thread that is to make a backend of it. */
export const dying = () => process.exit(1);
