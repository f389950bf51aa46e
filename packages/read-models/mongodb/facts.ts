import type { Collection, Db } from 'mongodb';
import { isDuplicate, orUnavailable, timeoutOptions } from './client.ts';
import { callMs, factsCharactersMax } from './limits.ts';

/** Stored: never rename a field. */
type FactsRow = { readonly _id: 'facts'; readonly text: string };

/** The known facts of a log, stored as one text, which another process may have written. All methods throw ReadModelsUnavailable. */
export type MongoFacts = {
  /** Returns the text; undefined where there is none, or where it is not a string or too long. */
  readonly read: () => Promise<string | undefined>;
  /** Replaces the text that was read. Returns false if another one is stored by now. */
  readonly replace: (before: string | undefined, text: string) => Promise<boolean>;
};

const theFacts = { _id: { $eq: 'facts' } } as const;
/** Longer texts are not fetched. */
const readable = `^[\\s\\S]{0,${factsCharactersMax}}$`;

/** @param assertOwn rejects where the database is another installation's, whose facts must stay */
export const createMongoFacts = (db: Db, assertOwn: () => Promise<unknown>): MongoFacts => {
  const facts: Collection<FactsRow> = db.collection('facts');

  /** @param filter the condition that the stored text must meet */
  const update = async (filter: object, text: string): Promise<boolean> =>
    (await facts.updateOne({ ...theFacts, ...filter }, { $set: { text } }, { ...timeoutOptions(callMs) })).matchedCount === 1;
  const insert = async (text: string): Promise<boolean> => {
    try {
      await facts.insertOne({ _id: 'facts', text }, { ...timeoutOptions(callMs) });
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return update({ text: { $not: { $regex: readable } } }, text);
    }
  };

  return {
    read: () => orUnavailable(async () => (await facts.findOne({ ...theFacts, text: { $regex: readable } }, timeoutOptions(callMs)))?.text),
    replace: async (before, text) => {
      await assertOwn();
      return orUnavailable(() => (before === undefined ? insert(text) : update({ text: { $eq: before } }, text)));
    },
  };
};
