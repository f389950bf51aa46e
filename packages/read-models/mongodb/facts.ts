import type { Collection, Db } from 'mongodb';
import { isDuplicate, orUnavailable, timeoutOptions } from './client.ts';
import { callMs, factsCharactersMax } from './limits.ts';

/** Stored: never rename a field. */
type FactsRow = { readonly _id: 'facts'; readonly text: string };

/** Known facts of a log: one text, which somebody else may have written. All throw ReadModelsUnavailable. */
export type MongoFacts = {
  /** Undefined where there is none, or one that is no text or too long. */
  readonly read: () => Promise<string | undefined>;
  /** Writes a text in the place of the one that was read. False where another one is there by now. */
  readonly replace: (before: string | undefined, text: string) => Promise<boolean>;
};

const theFacts = { _id: { $eq: 'facts' } } as const;
/** What is longer is not even fetched. */
const readable = `^[\\s\\S]{0,${factsCharactersMax}}$`;

/** @param insistOurs rejects where the database is another installation's: its facts stay */
export const createMongoFacts = (db: Db, insistOurs: () => Promise<unknown>): MongoFacts => {
  const facts: Collection<FactsRow> = db.collection('facts');

  /** @param filter what the text has to be */
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
      await insistOurs();
      return orUnavailable(() => (before === undefined ? insert(text) : update({ text: { $eq: before } }, text)));
    },
  };
};
