import type { Binary, ClientSession, Collection } from 'mongodb';
import { orUnavailable, timeoutOptions } from '../client.ts';
import { callMs, writerKnownMs, writersMax } from '../limits.ts';
import type { Namespace } from '../namespace.ts';

/** A session that runs transactions, so that other processes can end those that it may leave open. Stored: never rename a field. */
type WriterRow = { readonly _id: string; readonly session: Binary; readonly at: Date };

/** The sessions of writers. If a process is killed, the server keeps its open transaction and locks for up to a minute, and no other
 * process could write the same documents. A writer that is blocked by such a transaction ends it. */
export type Writers = {
  /** Registers a session. Call it before each of its transactions.
   * @throws ReadModelsUnavailable */
  readonly note: (session: ClientSession) => Promise<void>;
  /** Ends the open transactions of all other writers. A writer that is alive tries again.
   * @throws ReadModelsUnavailable */
  readonly endOthers: () => Promise<void>;
};

const renewedMs = 10_000;

export const createWriters = (namespace: Namespace): Writers => {
  const writers: Collection<WriterRow> = namespace.collection('writers');
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
    if (rows.length > 0)
      await namespace.db.admin().command({ killSessions: rows.map(({ session }) => ({ id: session })) }, timeoutOptions(callMs));
    await writers.deleteMany({ at: { $lt: new Date(Date.now() - writerKnownMs) } }, { ...timeoutOptions(callMs) });
  };

  return {
    note: (session) => orUnavailable(async () => (session.id === undefined ? undefined : note(session.id.id))),
    endOthers: () => orUnavailable(endOthers),
  };
};
