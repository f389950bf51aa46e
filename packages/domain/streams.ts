/** Resources that are numbered, each in a sequence of its own. */
export const numbered = ['pinpoint', 'list', 'category', 'happening'] as const;
export type Numbered = (typeof numbered)[number];

export const numberedStream = (resource: Numbered, id: number): string => `${resource}-${id}`;
export const applicationStream = (application: string): string => `application-${application}`;
export const accountStream = (account: string): string => `account-${account}`;
export const allocatorStream = (resource: Numbered): string => `allocator-${resource}`;
/** `key`: hex of a keyed hash over application, path and idempotency key. */
export const requestStream = (key: string): string => `request-${key}`;

const historyPrefixes = ['pinpoint-', 'list-', 'category-', 'happening-', 'application-', 'account-'];

/** Streams of aggregates are history, ordered per account; all others are housekeeping, in no account's order. */
export const isHistory = (stream: string): boolean => historyPrefixes.some((prefix) => stream.startsWith(prefix));
