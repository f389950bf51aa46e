import type { NewEvent } from '@waymark/domain/event.ts';
import { tokenStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import { AppendUndecided, type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';
import { fromStoredToken, type StoredToken, toStoredToken } from '../stored-token.ts';
import { isTokenHash, type TokenRecord, type TokenStore, TokenStoreUnavailable } from '../token-store.ts';
import { createIncarnation } from './incarnation.ts';

/** Stores tokens as housekeeping events: `TokenIssued` begins the stream `token-<hash>`, `TokenRevoked` ends it. Finds only tokens that
 * were issued by the log's present incarnation. */
export const createEventLogTokenStore = ({ log }: { readonly log: EventLog }): TokenStore => {
  const incarnation = createIncarnation(log);
  return {
    save: (record) =>
      orUnavailable(async () => {
        const issuedBy = await incarnation.now();
        // After a conflict the token is already saved, usually by an earlier try of this process: no other token has the same hash.
        await appendOnce(log, tokenStream(record.hash), [issued(record, issuedBy)], 'none');
      }),
    find: async (hash, nowMs) => {
      if (!isTokenHash(hash)) return undefined;
      return orUnavailable(async () => {
        const [events, present] = await Promise.all([log.read(tokenStream(hash), 0), incarnation.now()]);
        const [first, revoked] = events;
        if (first?.envelope.type !== 'TokenIssued' || first.content === null || revoked) return undefined;
        const stored: StoredIssue = JSON.parse(first.content);
        const record = fromStoredToken({ ...stored, hash });
        return stored.incarnation === present && record.expiresAtMs > nowMs ? record : undefined;
      });
    },
    revoke: async (hash) => {
      if (!isTokenHash(hash)) return;
      await orUnavailable(async () => {
        const stream = tokenStream(hash);
        const [last] = await log.lastRevisions([stream]);
        // After a conflict the token is already revoked by another caller.
        if (last === 0) await appendOnce(log, stream, [revocation()], last);
      });
    },
  };
};

/** The content of `TokenIssued`. The name of the stream contains the hash. Stored: never rename. */
type StoredIssue = Omit<StoredToken, 'hash'> & { readonly incarnation: string };

const toStored = (record: TokenRecord, issuedBy: string): StoredIssue => {
  const { hash: _, ...stored } = toStoredToken(record);
  return { ...stored, incarnation: issuedBy };
};

const issued = (record: TokenRecord, issuedBy: string): NewEvent =>
  sealHousekeeping({
    type: 'TokenIssued',
    version: 1,
    content: toStored(record, issuedBy),
    origin: { actor: record.application, token: null, request: null },
  });

const revocation = (): NewEvent => sealHousekeeping({ type: 'TokenRevoked', version: 1, content: {}, origin: waymark });

const isUnavailable = (error: unknown): boolean => error instanceof LogUnavailable || error instanceof AppendUndecided;

const orUnavailable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (cause) {
    throw isUnavailable(cause)
      ? new TokenStoreUnavailable('The event log is unavailable, so the token cannot be read or written.', { cause })
      : cause;
  }
};
