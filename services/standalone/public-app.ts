import type { RequestListener } from 'node:http';
import type { Applications } from '@waymark/access/applications.ts';
import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { createMemoryFailureLimit } from '@waymark/access/failure-limits.ts';
import { createMemoryRateLimit } from '@waymark/access/rate-limits.ts';
import type { TokenStore } from '@waymark/access/tokens/token-store.ts';
import { auditorRoutes } from '@waymark/auditor/app.ts';
import { authRoutes, requestsQuota } from '@waymark/auth/app.ts';
import { commandRoutes } from '@waymark/commands/app.ts';
import { release } from '@waymark/domain/release.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import { openApiRoute } from '@waymark/http/api/openapi/document.ts';
import { createApp } from '@waymark/http/app.ts';
import type { NoteFailure } from '@waymark/http/authentication-failures.ts';
import { createEntityTags } from '@waymark/http/conditional-requests.ts';
import { limitedByAddress } from '@waymark/http/limited-routes.ts';
import { createCursors } from '@waymark/http/paging/cursors.ts';
import { createSeals } from '@waymark/http/paging/seals.ts';
import { noFailureLimit, noRateLimit, type Quota, type RateLimit } from '@waymark/http/rate-limit.ts';
import type { NoteRefused } from '@waymark/http/refused-requests.ts';
import { createRequestIdHash, storedRequestIds } from '@waymark/http/request-id-hash.ts';
import type { RequestLifecycleOptions } from '@waymark/http/request-lifecycle.ts';
import type { ClientAddresses } from '@waymark/http/server/addresses.ts';
import type { Media } from '@waymark/media/media.ts';
import { closable, type WriteGate } from '@waymark/operations/write-gate.ts';
import type { ProofReads } from '@waymark/proof-store/proof-store.ts';
import { gatewayRoutes, mediaRoute } from '@waymark/query-gateway/app.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { completeFiles } from '@waymark/read-models/representations/files.ts';
import { admissionOf } from '@waymark/runtime/admission.ts';
import type { Keys } from '@waymark/runtime/private-files.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import type { Counters } from './counters.ts';
import type { Settings } from './settings.ts';

export type PublicAppOptions = Omit<RequestLifecycleOptions, 'corsOrigins' | 'hashRequestId' | 'noteRefused'> & {
  readonly settings: Settings;
  /** What the caches of this thread take their shares of, in bytes. */
  readonly threadBytes: number;
  readonly addresses: ClientAddresses;
  readonly noteFailure: NoteFailure;
  readonly noteRefused: NoteRefused;
  readonly log: EventLog;
  readonly models: ReadModels;
  readonly media: Media;
  readonly writes: WriteGate;
  readonly tokens: TokenStore;
  readonly applications: Applications;
  readonly keys: Keys;
  readonly counters: Counters;
  readonly incarnation: string;
  readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
  /** Asks the history, once it is at a position of the log: by default, at that of every write that was acknowledged before. */
  readonly askHistory: (question: Question, at?: Position) => Promise<Reply>;
  /** The accounts' trees. */
  readonly proofs: ProofReads;
  /** Called when an undo job was started in this thread. */
  readonly undoStarted: () => void;
  /** Returns the position of the log up to which writes may be acknowledged. */
  readonly followed: () => Position;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
};

/** The window of the rate limit per application. */
const windowSeconds = 10;

/** Creates the listener that serves commands, queries, tokens and files on one port. */
export const createPublicApp = (options: PublicAppOptions): RequestListener => {
  const { settings, base, keys, incarnation, tokens, applications, counters, threadBytes: memoryBytes } = options;
  const tags = createEntityTags(incarnation, base);
  const complete = (text: string): string => completeFiles(text, base);
  const hashRequestId = createRequestIdHash(keys.requestIds);
  const limited = (quota: Quota): RateLimit =>
    settings.WAYMARK_RATE_LIMITS === 'off' ? noRateLimit : createMemoryRateLimit(quota, counters.rates);
  const admission = admissionOf({
    amounts: counters.amounts,
    known: counters.known,
    settings,
    addresses: options.addresses,
    note: options.noteFailure,
    failures: (quota) =>
      settings.WAYMARK_RATE_LIMITS === 'off' ? noFailureLimit : createMemoryFailureLimit(quota, counters.rates, counters.amounts),
  });
  const authenticate = createBearerAuthentication(tokens, applications, admission, memoryBytes);
  const points = settings.WAYMARK_RATE_LIMIT_REQUESTS * windowSeconds;
  return createApp({
    ...options,
    corsOrigins: new Set(splitList(settings.WAYMARK_CORS_ORIGINS)),
    addressOf: options.addresses.of,
    hashRequestId,
    authenticate,
    rateLimit: limited({ name: 'requests', points, seconds: windowSeconds }),
    routes: {
      ...gatewayRoutes({ ...options, tags, complete, cursors: createCursors(keys.cursors, incarnation) }),
      ...auditorRoutes({
        ask: options.askHistory,
        seals: createSeals(keys.cursors, incarnation),
        streams: {
          source: { positions: (accounts) => accounts.map(options.followed), ask: options.askHistory },
          ...{ authenticate, amounts: counters.amounts, closing: options.closing, keys: keys.cursors, incarnation },
        },
        proofs: { reads: options.proofs, log: options.log },
        storedRequestIds: (text) => storedRequestIds(keys.requestIds, text),
        log: options.log,
        refusals: { days: settings.WAYMARK_REFUSALS_DAYS },
        base,
      }),
      ...closable(
        options.writes,
        commandRoutes({
          ...options,
          tags,
          complete,
          memoryBytes,
          idempotencyKey: keys.idempotency,
          hashRequestId,
          onOwnerMismatch: undefined,
        }),
      ),
    },
    openRoutes: [
      ...authRoutes({ ...options, admission, hashRequestId, requests: limited(requestsQuota) }),
      ...limitedByAddress(admission, [mediaRoute(options.media), openApiRoute({ base, release })]),
    ],
  });
};
