const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whether a text is a UUID of any version, in upper or lower case. */
export const isUuid = (text: string): boolean => pattern.test(text);
