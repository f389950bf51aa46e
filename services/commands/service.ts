import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import { createIdAllocator, type IdAllocator } from '@waymark/event-log/id-allocator.ts';
import { type Call, idOf } from '@waymark/http/call.ts';
import type { EntityTags } from '@waymark/http/conditional-requests.ts';
import { forbidden, notFound } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import { createExecute, type Execute } from './execution/execute.ts';
import type { Stores } from './execution/load.ts';
import { createLookups, type Living, type Lookups } from './execution/lookups.ts';
import { createOwners, type Owners } from './execution/owners.ts';
import { createStreamTurns } from './execution/streams-in-turn.ts';
import { createDescriptionSanitizer, type SanitizeDescription } from './html/descriptions.ts';
import type { RunOnce } from './idempotency/idempotency.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { type Accept, acceptInto } from './resources/uploads.ts';

export type CommandsOptions = Stores & {
  readonly media: Media;
  readonly tags: EntityTags;
  /** Completes the file references of an answer's text with the public base URL. */
  readonly complete: (text: string) => string;
  /** Waits, bounded, until every reader sees what stands at a position of an account's order. False: not in time. */
  readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
  /** Secret under which idempotency keys are hashed. */
  readonly idempotencyKey: string;
  /** What the process plans with: caches are shares of it. */
  readonly memoryBytes: number;
  /** Where the read side may be changed by somebody who cannot change the log: whose an object is counts by its stream, and this is told of a
   * difference. Undefined in the standalone form: one directory holds both, so that the one is no better protected than the other. */
  readonly onForeign?: (stream: string, account: string) => void;
};

/** What the routes of every resource work with. */
export type Commands = CommandsOptions & {
  readonly execute: Execute;
  readonly once: RunOnce;
  readonly ids: IdAllocator;
  readonly lookups: Lookups;
  readonly accept: Accept;
  readonly described: SanitizeDescription;
  /** The object that the path names, if it is one of the caller's account. @throws HttpError 404, 403 */
  readonly owned: (kind: ResourceKind, call: Call) => Promise<Owned>;
};

export type Owned = Living & { readonly id: number };

export const createCommands = (options: CommandsOptions): Commands => {
  const owners: Owners | undefined = options.onForeign && createOwners(options.log, options.onForeign);
  const looks = createLookups(options, owners);
  return {
    ...options,
    execute: createExecute({ ...options, owners }, createStreamTurns()),
    once: createIdempotency(options.log, options.idempotencyKey),
    ids: createIdAllocator(options.log),
    lookups: looks,
    accept: acceptInto(options.media),
    described: createDescriptionSanitizer(options.memoryBytes),
    owned: async (kind, call) => {
      const id = idOf(call);
      owners?.ask(resourceStream(kind, id));
      const found = await looks.living(kind, id);
      if (found === undefined) throw notFound();
      if (found.account !== call.access.account) throw forbidden();
      return { id, ...found };
    },
  };
};
