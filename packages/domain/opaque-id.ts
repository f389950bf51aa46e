/** Matches an opaque id of a person or of a case, with the flag `u`: at most 64 characters without blanks and `@`. So it is no mail address
 * and no name of several words. A character is one UTF-16 unit, as release 0.2.0 counts. */
export const opaqueIdPattern = '^[^\\s@\\p{Cc}\\p{Cs}\\u{10000}-\\u{10FFFF}]{1,64}$';

const opaqueId = new RegExp(opaqueIdPattern, 'u');

export const isOpaqueId = (value: unknown): value is string => typeof value === 'string' && opaqueId.test(value);
