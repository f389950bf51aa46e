/** The release of Waymark that this code is: the version of the root's package.json. */
export const release = '0.1.1';
