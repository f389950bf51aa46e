// Long because it has the response of every call.

import type { Credentials } from '@waymark/access/registry.ts';
import type { ComparedCheckpoint } from '@waymark/checkpoints/verification/comparison.ts';
import type { Dropping, LogState } from '@waymark/event-log/event-log.ts';
import type { Comparison } from '../import/stored-facts.ts';
import type { ShownNotary } from './notary-status.ts';

export type { Credentials };

type Readiness = {
  readonly release: string;
  readonly ready: boolean;
  readonly missing: readonly string[];
  /** The address of the API. */
  readonly api: string;
};

export type StandaloneStatus = Readiness & {
  readonly writes: 'open' | 'closed';
  readonly dataDirectory: string;
  readonly incarnation: string;
  readonly head: number;
  readonly readPosition: number;
  readonly waitingAppends: number;
  readonly memoryBytes: number;
  readonly uptimeSeconds: number;
  /** Null while it does not respond. */
  readonly notary: ShownNotary | null;
};

/** Lacks the state of the log while the log does not respond. */
export type ClusterStatus = Readiness &
  Partial<LogState> & {
    readonly warnings: readonly string[];
    readonly writes: 'open' | 'closed' | 'unknown';
    readonly engines: object;
    readonly partitions: readonly object[];
    /** The generation of the history that is read; null without one. */
    readonly historyGeneration: string | null;
    readonly processes: readonly object[];
  };

export type ApplicationEntry = {
  readonly client_id: string;
  readonly account: string;
  readonly name: string;
  readonly status: string;
  readonly scopes: readonly string[];
  readonly secret_ids: readonly string[];
};

export type NewApplication = Credentials & { readonly account: string; readonly name: string; readonly scopes: readonly string[] };

/** Standalone, `events` is present; in a cluster, the others. `history`: the new history. `comparison`: the comparison with the previous read models; null if those
 * were of another version. */
export type Rebuilt = {
  readonly events?: number;
  readonly generation?: string;
  readonly history?: { readonly generation: string };
  readonly seconds: number;
  readonly comparison?: RowComparison | null;
};

type RowComparison = {
  readonly outcome: 'equal' | 'different' | 'undecided';
  readonly rows: number;
  readonly different: number;
  readonly examples: readonly string[];
};

export type Verification = {
  /** Whether there are no findings of any kind, except about clocks. */
  readonly sound: boolean;
  /** The faults of the log, as sentences. */
  readonly log: readonly string[];
  /** Where a clock was set back, as sentences. The installation is sound nevertheless: only reads as of a time around that may have changed. */
  readonly clocks: readonly string[];
  /** Whether the read models equal those computed from the log, byte for byte; `position`: the position up to which both were compared. */
  readonly readModels: { readonly equal: boolean; readonly position: number };
  /** The same of the history. */
  readonly history?: { readonly equal: boolean; readonly position: number };
  /** The last checkpoint of the notary that covers the events of the log; null if there is none to compare the log with. */
  readonly checkpoint?: ComparedCheckpoint | null;
  /** The checks that were not possible, with the reasons, as sentences. */
  readonly unchecked: readonly string[];
};

export type Pruned = {
  readonly removed: number;
  readonly kept: number;
  /** The installations whose import has not ended. While there are any, every file is kept, because its events may still be imported. */
  readonly unfinishedImports: readonly string[];
};

export type ObjectErased = {
  readonly stream: string;
  /** The revision of the event that contains the present state. All events before it are erased. */
  readonly revision: number;
  readonly events: number;
  readonly log: Dropping;
  /** The number of files that the object had before and that were deleted. */
  readonly files: number;
  /** Whether the copies between the log and the read models are deleted too. If false, they expire by themselves within hours. */
  readonly copies: boolean;
};

/** `stream`: the stream of the object. */
export type Hold = { readonly stream: string; readonly onHold: boolean };
/** `name`: null if it has none, or if it was erased. */
type Actor = { readonly kind: 'application' | 'operator'; readonly id: string; readonly name: string | null };

/** The changeset of a change, as its application claims it. */
type Changeset = { readonly id: string; readonly comment: string | null; readonly by: string | null };

type ValueChange = { readonly old: unknown; readonly new: unknown };

/** What one event did to an object, as `GET /audit/v1/:kind/:id/history` has it. An event of the object itself has `changes`, which are null
 * if they were erased; an event of another object has `related`. */
export type HistoryItem = {
  readonly id: string;
  readonly revision: number | null;
  readonly time: string;
  readonly action: string;
  readonly actor: Actor;
  readonly changeset: Changeset | null;
  readonly request_id: string | null;
  readonly correlation_id: string;
  readonly cause: string | null;
  readonly as_of: string | null;
  readonly changes?: Readonly<Record<string, ValueChange>> | null;
  readonly members?: { readonly added: readonly number[]; readonly removed: readonly number[] };
  readonly related?: Readonly<Record<string, string | number | null>>;
};

/** Newest first. `next`: the position before which the next page continues; null at the end. */
export type HistoryPage = { readonly results: readonly HistoryItem[]; readonly next: number | null };

/** What one event of an account did, as `GET /audit/v1/activity` has it. `object`: the object that it changed. */
export type ActivityItem = HistoryItem & { readonly object: { readonly kind: string; readonly id: number | string } };

/** As `HistoryPage`. */
export type ActivityPage = { readonly results: readonly ActivityItem[]; readonly next: number | null };

/** The difference between two revisions. Of a list it has the members that differ, in the order of their ids, as many as the limit of the
 * request. `next`: the id beyond which they continue; null at the end. */
export type Difference = {
  readonly from: number;
  readonly to: number;
  readonly fields: Readonly<Record<string, FieldDifference>>;
  readonly members?: { readonly added: readonly number[]; readonly removed: readonly number[] };
  readonly next?: number | null;
};

/** `metres`: of a location. `words`, `links`, `complete`: of a description. */
export type FieldDifference = ValueChange & {
  readonly metres?: number;
  readonly words?: readonly { readonly change: 'same' | 'added' | 'removed' | 'restyled'; readonly text: string }[];
  readonly links?: readonly { readonly attribute: string; readonly old: string | null; readonly new: string | null }[];
  readonly complete?: boolean;
};

export type Blame = { readonly revision: number; readonly fields: Readonly<Record<string, BlamedField>> };

type Setting = {
  readonly revision: number;
  readonly time: string;
  readonly id: string;
  readonly actor: Actor;
  readonly changeset: Changeset | null;
};

/** `set`: the event that set the field. A field that was not set since an erasure names the erasure instead. */
export type BlamedField = {
  readonly value: unknown;
  readonly before: unknown;
  readonly set: Setting | null;
  readonly erased: Setting | null;
};

export type Renewed = { readonly before: string; readonly incarnation: string };

export type BackupDone = { readonly directory: string; readonly files: number; readonly head: number };

export type ExportDone = {
  readonly directory: string;
  readonly final: boolean;
  /** The events of the whole export; `newEvents` are those that this run has added. */
  readonly events: number;
  readonly newEvents: number;
  readonly files: number;
  readonly newFiles: number;
  /** Files that events name but that are missing in the store. */
  readonly missingFiles: number;
  readonly position: number;
  readonly digest: string;
};

/** The stores that were emptied. */
export type AdoptedInstead = { readonly instead_of: string; readonly topic: boolean; readonly database: boolean };

/** The fields of the one or the other adoption. */
type Adopted = Partial<AdoptedInstead> & { readonly signing_key?: 'accepted' };

/** What a cluster already has of an export. `digest`: the digest of all these events. */
export type Reached = { readonly events: number; readonly files: number; readonly digest: string; readonly ended: boolean };

export type ImportEnded = Comparison & { readonly ended: boolean };

export type Nothing = Readonly<Record<string, never>>;

/** The response of each call. Sent: never rename a field. */
export type Answers = {
  readonly 'GET /operator/status': StandaloneStatus | ClusterStatus;
  readonly 'GET /operator/applications': { readonly applications: readonly ApplicationEntry[] };
  readonly 'POST /operator/applications': NewApplication;
  readonly 'DELETE /operator/applications/:id': Nothing;
  readonly 'POST /operator/applications/:id/rotate': Credentials;
  readonly 'POST /operator/applications/:id/suspend': Nothing;
  readonly 'POST /operator/applications/:id/resume': Nothing;
  readonly 'POST /operator/applications/:id/scopes': { readonly client_id: string; readonly scopes: readonly string[] };
  readonly 'DELETE /operator/applications/:id/secrets/:secret': Nothing;
  readonly 'DELETE /operator/first-application': { readonly file: string };
  readonly 'POST /operator/rebuild': Rebuilt;
  readonly 'POST /operator/verify': Verification;
  readonly 'POST /operator/media/prune': Pruned;
  readonly 'POST /operator/renew': Renewed;
  readonly 'POST /operator/forget': ObjectErased;
  readonly 'POST /operator/hold': Hold;
  readonly 'POST /operator/release': Hold;
  readonly 'POST /operator/history': HistoryPage;
  readonly 'POST /operator/diff': Difference;
  readonly 'POST /operator/blame': Blame;
  readonly 'POST /operator/activity': ActivityPage;
  readonly 'POST /operator/writes': { readonly writes: 'open' | 'closed' };
  readonly 'POST /operator/backup': BackupDone;
  readonly 'POST /operator/export': ExportDone;
  readonly 'POST /operator/adopt': Adopted;
  readonly 'POST /operator/import/begin': Reached;
  readonly 'POST /operator/import/missing': { readonly missing: readonly string[] };
  readonly 'POST /operator/import/marks': Nothing;
  readonly 'POST /operator/import/media/:name': { readonly sha256: string };
  readonly 'POST /operator/import/events': Reached;
  readonly 'POST /operator/import/end': ImportEnded;
};
