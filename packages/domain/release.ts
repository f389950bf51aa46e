/** The release of this code: the version in the root's package.json. */
export const release = '0.6.0';
