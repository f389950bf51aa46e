import { unavailable } from '@waymark/http/errors.ts';
import type { Document } from '@waymark/read-models/read-models.ts';
import { createTurnsByKey } from '@waymark/timing/turns-by-key.ts';
import { largeChangeRows, largeChangesWaitingMax } from '../limits.ts';

/** Runs a change of a pinpoint. Its deletion and its restoration hide or show each of its memberships and happenings. Where these are many, such
 * changes of an account take turns: the writes of all accounts wait for those that are appended together.
 * @param document the pinpoint as the read models have it; undefined if they do not
 * @throws HttpError 503 if too many changes of the account wait; otherwise what the change throws */
export type InTurn = <Value>(account: string, document: Document | undefined, change: () => Promise<Value>) => Promise<Value>;

export const createLargeChanges = (): InTurn => {
  const tooMany = () => unavailable('Too many pinpoints with many events or lists are being deleted or restored.');
  const turns = createTurnsByKey(1, { max: largeChangesWaitingMax, tooMany });
  return (account, document, change) => (rowsOf(document) < largeChangeRows ? change() : turns(account, change));
};

const rowsOf = (document: Document | undefined): number => (document === undefined ? 0 : document.lists + document.happenings);
