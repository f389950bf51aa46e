import type { Collection, Db } from 'mongodb';
import { guarded, isDuplicate, within } from './mongodb-client.ts';
import { callMs, readersMax } from './mongodb-limits.ts';

/** `beats`: how often it registered, so that nobody's clock matters. */
type ReaderRow = { readonly _id: string; readonly generation: string; readonly beats: number };

export type Registration = { readonly reader: string; readonly beats: number };

const triesMax = 5;

/** Which generation each reader uses. */
export const readersOf = (db: Db) => {
  const readers: Collection<ReaderRow> = db.collection('readers');

  const beat = async (reader: string, generation: string): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const change = { $set: { generation }, $inc: { beats: 1 } };
        await readers.updateOne({ _id: { $eq: reader } }, change, { upsert: true, ...within(callMs) });
        return;
      } catch (error) {
        // Somebody else has just made it.
        if (!isDuplicate(error) || tries >= triesMax) throw error;
      }
    }
  };

  return {
    beat: (reader: string, generation: string) => guarded(() => beat(reader, generation)),
    /** Registrations of readers that use one of these generations. */
    of: (names: readonly string[]): Promise<readonly Registration[]> =>
      guarded(async () => {
        const rows = await readers.find({ generation: { $in: [...names] } }, { limit: readersMax, ...within(callMs) }).toArray();
        return rows.map(({ _id, beats }) => ({ reader: _id, beats }));
      }),
    /** Unless it has registered since. */
    forget: ({ reader, beats }: Registration) =>
      guarded(async () => {
        await readers.deleteOne({ _id: { $eq: reader }, beats: { $eq: beats } }, { ...within(callMs) });
      }),
  };
};
