/** The resources with numeric ids. Each has its own sequence. */
export const resourceKinds = ['pinpoint', 'list', 'category', 'happening'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** Returns a record with a value for each kind. */
export const byResourceKind = <Value>(of: (kind: ResourceKind) => Value): Readonly<Record<ResourceKind, Value>> => ({
  pinpoint: of('pinpoint'),
  list: of('list'),
  category: of('category'),
  happening: of('happening'),
});

/** As `byResourceKind`, for values that are all requested at once.
 * @throws the first error of a request */
export const awaitByResourceKind = async <Value>(
  of: (kind: ResourceKind) => Promise<Value>,
): Promise<Readonly<Record<ResourceKind, Value>>> => {
  const [pinpoint, list, category, happening] = await Promise.all([of('pinpoint'), of('list'), of('category'), of('happening')]);
  return { pinpoint, list, category, happening };
};

export const resourceStream = (resource: ResourceKind, id: number): string => `${resource}-${id}`;
export const applicationStream = (application: string): string => `application-${application}`;
/** Returns whether a text can be the id of an application. No other text names a stream. */
export const isApplicationId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);
export const accountStream = (account: string): string => `account-${account}`;
export const changesetStream = (changeset: string): string => `changeset-${changeset}`;
/** Stores the orders about an account's objects. */
export const ordersStream = (account: string): string => `orders-${account}`;
export const allocatorStream = (resource: ResourceKind): string => `allocator-${resource}`;
/** `key`: a keyed hash over application, path and idempotency key, in hex. */
export const requestStream = (key: string): string => `request-${key}`;
/** `hash`: SHA-256 over the token, in base64url. */
export const tokenStream = (hash: string): string => `token-${hash}`;
/** Stores the refused requests of an account on a day. `day`: YYYY-MM-DD, in UTC. */
export const refusalsStream = (account: string, day: string): string => `${refusalsPrefix}${account}-${day}`;
export const refusalsPrefix = 'refusals-';
/** `incarnation`: the incarnation of the log that events were imported from. */
export const importStream = (incarnation: string): string => `import-${incarnation}`;

/** Stores an undo job and its reports. `undo`: the id of the job. */
export const undoStream = (undo: string): string => `undo-${undo}`;
/** Stores a dry run of an undo job. */
export const dryUndoStream = (undo: string): string => `dry-undo-${undo}`;
/** Its last event names the process that runs an undo job, and how far the job is. */
export const undoingStream = (undo: string): string => `undoing-${undo}`;
/** Lists the undo jobs that have started and ended. */
export const undosStream = 'undos';

/** Lists every import that was started. */
export const importsStream = 'imports';

/** Its last event decides whether a cluster accepts writes. */
export const writesStream = 'writes';

/** Its last event names the operation that the operator service of a cluster runs, and those that were interrupted. `database`: the database of
 * the cluster's read models. */
export const operationsStream = (database: string): string => `operations-${database}`;

/** Its last event records up to which time expired tokens and claims were dropped. */
export const prunedStream = 'pruned';

/** Its last event records up to which position expired refusals were dropped. */
export const prunedRefusalsStream = 'pruned-refusals';

/** Records the signed checkpoints of the log, in their order. They are never dropped: they announce keys, and show how origins continue each
 * other. */
export const checkpointsStream = 'checkpoints';

/** Its first event names the installation that the log belongs to; later events name the accepted signing keys. */
export const installationStream = 'installation';

/** Stores the remains of another stream's erased events. */
export const redactedStream = (stream: string): string => `redacted-${stream}`;
/** Lists all erasures. */
export const erasuresStream = 'forgotten';

/** Returns the object of a numbered object's stream; undefined for every other stream. */
export const resourceOfStream = (stream: string): { readonly resource: ResourceKind; readonly id: number } | undefined => {
  const dash = stream.indexOf('-');
  const [name, digits] = [stream.slice(0, dash), stream.slice(dash + 1)];
  const resource = resourceKinds.find((one) => one === name);
  const id = Number(digits);
  return resource && id > 0 && Number.isSafeInteger(id) && `${id}` === digits ? { resource, id } : undefined;
};

/** The prefixes of the names of aggregates' streams. No other stream has them. */
export const historyPrefixes: readonly string[] = [
  ...['pinpoint-', 'list-', 'category-', 'happening-', 'application-', 'account-'],
  ...['changeset-', 'orders-', 'undo-'],
];

/** Returns whether a stream is history. Streams of aggregates are history and belong to the partition of their account. All others are
 * housekeeping and belong to no partition. */
export const isHistory = (stream: string): boolean => historyPrefixes.some((prefix) => stream.startsWith(prefix));
