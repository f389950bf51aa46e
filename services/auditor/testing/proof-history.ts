import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import type { Endpoint } from '@waymark/http/api/endpoints.ts';
import type { Answer, Handler } from '@waymark/http/call.ts';
import { createSeals } from '@waymark/http/paging/seals.ts';
import { type ExportVerification, verifyExport } from '@waymark/proof/export/verify.ts';
import { parseVerifierKey } from '@waymark/proof/signed-note.ts';
import type { ProofStore } from '@waymark/proof-store/proof-store.ts';
import { openSqliteProofStore } from '@waymark/proof-store/sqlite/proof-store.ts';
import { type NotarySimulation, notaryOf, signerOf } from '@waymark/proof-store/testing/notary.ts';
import type { ProofOptions } from '../proofs/options.ts';
import { proofRoutes } from '../proofs/proofs.ts';

/** The account of all events. */
export const account = 'contract';

/** The first edit of a pinpoint creates it. `of`: its account, by default `account`. */
export type Edit = { readonly pinpoint: number; readonly name: string; readonly of?: string };

/** A log, and a proof store that is filled from it. */
export type ProofHistory = {
  readonly log: EventLog;
  readonly store: ProofStore;
  readonly notary: NotarySimulation;
  /** Records facts about pinpoints. */
  readonly record: (...edits: readonly Edit[]) => Promise<void>;
  /** Adds what was recorded to the store. */
  readonly follow: () => Promise<void>;
  /** Calls a route of proofs as an application of an account.
   * @param url path and query, or in full */
  readonly get: (url: string, as?: GetOptions) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

/** `over`: what takes the place of the log, or of the store. */
export type GetOptions = { readonly as?: string; readonly over?: Partial<ProofOptions> };

/** Returns edits of some pinpoints, which take turns.
 * @param first the id of the first one */
export const edits = (count: number, pinpoints = 3, first = 1): readonly Edit[] =>
  Array.from({ length: count }, (_, nth) => ({ pinpoint: first + (Math.floor(nth / 8) % pinpoints), name: `n${nth}` }));

const base = 'http://api';
const seals = createSeals(['key'], 'incarnation');

/** What a history is kept in. Events that the log has already are no part of it. */
export type Stores = Pick<ProofHistory, 'log' | 'store' | 'close'>;

const openStores = async (): Promise<Stores> => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-proofs-'));
  const log = await logOfItsOwn();
  const store = openSqliteProofStore(join(folder, 'proofs.db'));
  const close = async (): Promise<void> => {
    store.close();
    await log.close();
    rmSync(folder, { recursive: true });
  };
  return { log, store, close };
};

/** @param stores by default in SQLite */
export const openProofHistory = async (stores?: Stores): Promise<ProofHistory> => {
  const { log, store, close } = stores ?? (await openStores());
  const notary = notaryOf(store);
  let followed = (await log.state()).head;
  /** Appends edits of one pinpoint. */
  const record = async (edits: readonly Edit[]): Promise<void> => {
    const stream = `pinpoint-${edits[0]?.pinpoint}`;
    const [last = 'none'] = await log.lastRevisions([stream]);
    const { PinpointCreated, PinpointEdited } = sampleEvents;
    const events = edits.map(({ pinpoint, name, of = account }, nth) => {
      const isFirst = last === 'none' && nth === 0;
      const fact: DomainEvent = isFirst ? { ...PinpointCreated, account: of, pinpoint } : { ...PinpointEdited, pinpoint, fields: { name } };
      return sealFact(fact, { account: of, origin: operators, sanitized: false });
    });
    await log.append(stream, events, last);
  };
  return {
    ...{ log, store, notary },
    record: async (...edits) => {
      for (let from = 0; from < edits.length; ) {
        const to = edits.findIndex(({ pinpoint }, nth) => nth > from && pinpoint !== edits[from]?.pinpoint);
        await record(edits.slice(from, to < 0 ? undefined : to));
        from = to < 0 ? edits.length : to;
      }
    },
    follow: async () => {
      const events = await eventsAfter(log, followed);
      followed = events.at(-1)?.position ?? followed;
      await notary.add(events.filter(({ stream }) => isHistory(stream)));
    },
    get: async (url, { as = account, over = {} } = {}) => {
      const [path = ''] = url.replace(base, '').split('?');
      const [, kind, id] = /^\/audit\/v1\/([^/]+)\/([^/]+)\/export$/.exec(path) ?? [];
      const isOfObject = kind !== undefined && id !== undefined;
      const route = (isOfObject ? 'GET /audit/v1/:kind/:id/export' : `GET ${path}`) as Endpoint;
      const handler = proofRoutes({ reads: store, log, ...over }, { seals, base })[route] as Handler;
      const access = { account: as, application: 'one', token: 't', scopes: ['audit' as const] };
      const parameters: Record<string, string> = isOfObject ? { kind, id } : {};
      return handler({ request: {} as IncomingMessage, body: undefined as never, url, requestId: 'r', access, parameters });
    },
    close,
  };
};

const eventsAfter = async (log: EventLog, after: number): Promise<readonly RecordedEvent[]> => {
  const { head } = await log.state();
  const events: RecordedEvent[] = [];
  const end = new AbortController();
  const take = async (batch: readonly RecordedEvent[]): Promise<void> => {
    events.push(...batch);
    if ((batch.at(-1)?.position ?? 0) >= head) end.abort();
  };
  if (head > after) await log.subscribe(after, take, end.signal);
  return events;
};

/** Fetches all pages of an export.
 * @param get calls the route */
export const fetchPages = async (get: (url: string) => Promise<Answer>, path: string) => {
  let [text, pages, next]: [string, number, string | undefined] = ['', 0, path];
  while (next !== undefined) {
    const { body, headers }: Answer = await get(next);
    text += body as string;
    pages += 1;
    next = /^<(.*)>; rel="next"$/.exec(headers?.['Link'] ?? '')?.[1];
  }
  return { text, pages };
};

/** Verifies an export offline.
 * @param seed of the key that is trusted */
export const verified = async (text: string, checkpoints: readonly string[] = [], seed = 1): Promise<ExportVerification> => {
  async function* lines() {
    for (const line of text.trimEnd().split('\n')) yield Buffer.from(line);
  }
  return verifyExport(lines(), { keys: [parseVerifierKey(signerOf(seed).verifierKey)], checkpoints });
};
