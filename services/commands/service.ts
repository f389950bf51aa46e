import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import { createIdAllocator } from '@waymark/event-log/id-allocator.ts';
import type { Reply } from '@waymark/history/reading/questions.ts';
import type { EventQuestion, ScopeQuestion, UndoQuestion } from '@waymark/history/reading/undo/undo-questions.ts';
import { createOpenUndos, type OpenUndos } from '@waymark/history/undo-jobs/open-jobs.ts';
import { type Call, idOf } from '@waymark/http/call.ts';
import type { EntityTags } from '@waymark/http/conditional-requests.ts';
import { forbidden, notFound } from '@waymark/http/errors.ts';
import type { HashRequestId } from '@waymark/http/request-id-hash.ts';
import type { Media } from '@waymark/media/media.ts';
import { createLargeChanges, type InTurn } from './execution/large-changes.ts';
import type { Stores } from './execution/load.ts';
import { createLookups, type Living, type Lookups } from './execution/lookups.ts';
import { createOwners, type Owners } from './execution/owners.ts';
import { createDescriptionSanitizer, type SanitizeDescription } from './html/descriptions.ts';
import { type Claim, createIdempotency, noClaim, type RunOnce } from './idempotency/idempotency.ts';
import { createOrigins } from './origin.ts';
import { type Accept, acceptInto } from './resources/uploads.ts';

export type CommandsOptions = Stores & {
  readonly media: Media;
  readonly tags: EntityTags;
  /** Completes the file references in the text of a response with the public base URL. */
  readonly complete: (text: string) => string;
  /** Waits, for a limited time, until every reader sees the account's events up to a position. False if the time was too short. */
  readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
  /** The secret for hashing idempotency keys. */
  readonly idempotencyKey: string;
  /** Hashes the request ids that events must not hold. */
  readonly hashRequestId: HashRequestId;
  /** Asks the history what is to be restored or undone, once it has every write that was acknowledged before. Only the role `audit` asks.
   * @throws HistoryUnavailable */
  readonly askHistory: (question: UndoQuestion | ScopeQuestion | EventQuestion) => Promise<Reply>;
  /** Called when an undo job was started, so that the process need not wait to run it. */
  readonly undoStarted: () => void;
  /** The memory that the process plans with; caches use shares of it. */
  readonly memoryBytes: number;
  /** Called if the owner of an object differs between its stream and the read models. It is given if an intruder may change the read models
   * without being able to change the log: the owner in the stream counts then. Undefined in the standalone form: one directory holds both,
   * so that neither is better protected than the other. */
  readonly onOwnerMismatch: ((stream: string, account: string) => void) | undefined;
};

/** The dependencies of the routes of every resource. */
export type Commands = CommandsOptions & {
  readonly once: RunOnce;
  /** Returns the claim of a PUT or a DELETE, which have no idempotency key.
   * @throws HttpError 400 */
  readonly noClaim: (call: Call) => Claim;
  /** Returns the id of a new object: a repeated request gets the same id again. */
  readonly newId: (kind: ResourceKind, claim: Claim) => Promise<number>;
  readonly lookups: Lookups;
  /** Undefined where the read models are trusted for the owner of an object. */
  readonly owners: Owners | undefined;
  readonly openUndos: OpenUndos;
  /** Lets the large changes of an account take turns. */
  readonly inTurn: InTurn;
  readonly accept: Accept;
  readonly described: SanitizeDescription;
  /** Returns the object that the path names, if it belongs to the caller's account.
   * @throws HttpError 404, 403 */
  readonly owned: (kind: ResourceKind, call: Call) => Promise<Owned>;
};

export type Owned = Living & { readonly id: number };

export const createCommands = (options: CommandsOptions): Commands => {
  const owners: Owners | undefined = options.onOwnerMismatch && createOwners(options.log, options.onOwnerMismatch);
  const lookups = createLookups(options, owners);
  const ids = createIdAllocator(options.log);
  const originOf = createOrigins(options.hashRequestId);
  return {
    ...options,
    once: createIdempotency(options.log, options.idempotencyKey, originOf),
    noClaim: (call) => noClaim(originOf(call)),
    newId: async (kind, claim) => claim.key?.object ?? ids.next(kind),
    lookups,
    owners,
    openUndos: createOpenUndos(options.log),
    inTurn: createLargeChanges(),
    accept: acceptInto(options.media),
    described: createDescriptionSanitizer(options.memoryBytes),
    owned: async (kind, call) => {
      const id = idOf(call);
      owners?.prefetch(resourceStream(kind, id));
      const found = await lookups.living(kind, id);
      if (found === undefined) throw notFound();
      if (found.account !== call.access.account) throw forbidden();
      return { id, ...found };
    },
  };
};
