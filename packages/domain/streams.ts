/** Resources that are numbered, each in a sequence of its own. */
export const resourceKinds = ['pinpoint', 'list', 'category', 'happening'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

export const resourceStream = (resource: ResourceKind, id: number): string => `${resource}-${id}`;
export const applicationStream = (application: string): string => `application-${application}`;
export const accountStream = (account: string): string => `account-${account}`;
export const allocatorStream = (resource: ResourceKind): string => `allocator-${resource}`;
/** `key`: hex of a keyed hash over application, path and idempotency key. */
export const requestStream = (key: string): string => `request-${key}`;
/** `hash`: SHA-256 over the token, base64url. */
export const tokenStream = (hash: string): string => `token-${hash}`;
/** `incarnation`: of the log that events were imported from. */
export const importStream = (incarnation: string): string => `import-${incarnation}`;

/** Names every import that was begun. */
export const importsStream = 'imports';

/** Its last event says whether a cluster takes writes. */
export const writesStream = 'writes';

/** Its last event says up to where expired tokens and claims were dropped. */
export const prunedStream = 'pruned';

/** Its first event names the installation that the log belongs to; the others name signing keys that it has accepted. */
export const installationStream = 'installation';

/** Where what is left of another stream's erased events is kept. */
export const redactedStream = (stream: string): string => `redacted-${stream}`;
/** Names all that was erased. */
export const erasuresStream = 'forgotten';

/** What a numbered object's stream is about; undefined for every other stream. */
export const resourceOfStream = (stream: string): { readonly resource: ResourceKind; readonly id: number } | undefined => {
  const [, name, digits] = /^([a-z]+)-([1-9]\d*)$/.exec(stream) ?? [];
  const resource = resourceKinds.find((one) => one === name);
  const id = Number(digits);
  return resource && Number.isSafeInteger(id) ? { resource, id } : undefined;
};

/** What the names of aggregates' streams begin with, and no others'. */
export const historyPrefixes: readonly string[] = ['pinpoint-', 'list-', 'category-', 'happening-', 'application-', 'account-'];

/** Streams of aggregates are history, ordered per account; all others are housekeeping, in no account's order. */
export const isHistory = (stream: string): boolean => historyPrefixes.some((prefix) => stream.startsWith(prefix));
