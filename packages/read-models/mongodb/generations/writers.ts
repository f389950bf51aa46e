import type { Binary, ClientSession, Collection, Db } from 'mongodb';
import { orUnavailable, timeoutOptions } from '../client.ts';
import { callMs, writerKnownMs, writersMax } from '../limits.ts';

/** A session that transactions are made with, so that others can end what it may leave behind. Stored: never rename a field. */
type WriterRow = { readonly _id: string; readonly session: Binary; readonly at: Date };

/** Who writes. The server keeps an open transaction, and what it has locked, for up to a minute after the process that began it was killed:
 * nobody else could write what it had begun to. Whoever is held up by one ends it. */
export type Writers = {
  /** To be called before each transaction of a session. @throws ReadModelsUnavailable */
  readonly note: (session: ClientSession) => Promise<void>;
  /** Ends the open transactions of everybody else. One that lives tries again. @throws ReadModelsUnavailable */
  readonly endOthers: () => Promise<void>;
};

const renewedMs = 10_000;

export const createWriters = (db: Db): Writers => {
  const writers: Collection<WriterRow> = db.collection('writers');
  const notedAtMs = new Map<string, number>();

  const note = async (session: Binary): Promise<void> => {
    const name = session.toString('hex');
    const now = performance.now();
    if (now - (notedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < renewedMs) return;
    const change = { $set: { session }, $currentDate: { at: true } } as const;
    await writers.updateOne({ _id: { $eq: name } }, change, { upsert: true, ...timeoutOptions(callMs) });
    notedAtMs.set(name, now);
  };

  const endOthers = async (): Promise<void> => {
    const others = { _id: { $nin: [...notedAtMs.keys()] } };
    const rows = await writers.find(others, { sort: { at: -1 }, limit: writersMax, ...timeoutOptions(callMs) }).toArray();
    if (rows.length > 0) await db.admin().command({ killSessions: rows.map(({ session }) => ({ id: session })) }, timeoutOptions(callMs));
    await writers.deleteMany({ at: { $lt: new Date(Date.now() - writerKnownMs) } }, { ...timeoutOptions(callMs) });
  };

  return {
    note: (session) => orUnavailable(async () => (session.id === undefined ? undefined : note(session.id.id))),
    endOthers: () => orUnavailable(endOthers),
  };
};
