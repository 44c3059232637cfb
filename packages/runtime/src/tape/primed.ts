/** What follows the name of a parameter or an array in that of its tangent. */
export const PRIME = "'";
