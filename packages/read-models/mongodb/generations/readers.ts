import type { Collection } from 'mongodb';
import { isDuplicate, orUnavailable, timeoutOptions } from '../client.ts';
import { callMs, readersMax } from '../limits.ts';
import type { Namespace } from '../namespace.ts';

/** `beats`: the number of its registrations, so that no clock matters. Stored: never rename a field. */
type ReaderRow = { readonly _id: string; readonly generation: string; readonly beats: number };

/** The number of heartbeats of an installation's processes. Stored: never rename a field. */
type BeatsRow = { readonly _id: string; readonly beats: number };

export type Registration = { readonly reader: string; readonly beats: number };

const triesMax = 5;

/** Creates the registrations of readers, each with the generation that it uses. */
export const createReaders = (namespace: Namespace) => {
  const readers: Collection<ReaderRow> = namespace.collection('readers');

  const beat = async (reader: string, generation: string): Promise<void> => {
    const change = { $set: { generation }, $inc: { beats: 1 } };
    await readers.updateOne({ _id: { $eq: reader } }, change, { upsert: true, ...timeoutOptions(callMs) });
  };

  return {
    beat: (reader: string, generation: string) => orUnavailable(() => retryOnDuplicate(() => beat(reader, generation))),
    /** Returns the registrations of readers that use one of these generations. */
    of: (names: readonly string[]): Promise<readonly Registration[]> =>
      orUnavailable(async () => {
        const rows = await readers.find({ generation: { $in: [...names] } }, { limit: readersMax, ...timeoutOptions(callMs) }).toArray();
        return rows.map(({ _id, beats }) => ({ reader: _id, beats }));
      }),
    /** Removes a registration unless the reader has registered since. */
    forget: ({ reader, beats }: Registration) =>
      orUnavailable(async () => {
        await readers.deleteOne({ _id: { $eq: reader }, beats: { $eq: beats } }, { ...timeoutOptions(callMs) });
      }),
  };
};

/** Creates the heartbeats of installations. The beats of an installation rise while its processes use the database. */
export const createHeartbeats = (namespace: Namespace) => {
  const beats: Collection<BeatsRow> = namespace.collection('beats');
  const beat = async (installation: string): Promise<void> => {
    await beats.updateOne({ _id: { $eq: installation } }, { $inc: { beats: 1 } }, { upsert: true, ...timeoutOptions(callMs) });
  };
  return {
    beat: (installation: string) => orUnavailable(() => retryOnDuplicate(() => beat(installation))),
    of: (installation: string): Promise<number> =>
      orUnavailable(async () => (await beats.findOne({ _id: { $eq: installation } }, timeoutOptions(callMs)))?.beats ?? 0),
  };
};

/** Repeats an upsert where another process has just created the document. */
const retryOnDuplicate = async (upsert: () => Promise<void>): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await upsert();
      return;
    } catch (error) {
      if (!isDuplicate(error) || tries >= triesMax) throw error;
    }
  }
};
