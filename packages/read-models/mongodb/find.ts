import type { ResourceKind } from '@waymark/domain/streams.ts';
import { type ApplicationDocument, type Document, ReadModelsUnavailable, type ReadPosition } from '../read-models.ts';
import { parseApplication } from '../stored-application.ts';
import { orUnavailable, timeoutOptions } from './client.ts';
import { type Collections, type DocumentRow, marker, type PositionRow, queryableId } from './collections.ts';
import { callMs, findsTogetherMax, findsUnderWayMax, findsWaitingMax } from './limits.ts';

export const createFind = (collections: Collections): ((kind: ResourceKind, id: number) => Promise<Document | undefined>) => {
  const together = (kind: ResourceKind) =>
    batchRequests(async (ids: readonly number[]) => {
      const asked = [marker.number, ...ids];
      const rows = await collections[kind]
        .find({ _id: { $in: asked } }, { batchSize: asked.length + 1, ...timeoutOptions(callMs) })
        .toArray();
      const found = new Map(rows.map((row) => [row._id, row]));
      // The marker is part of the same read: documents that a dropped collection lacks are not deleted.
      if (!found.delete(marker.number)) throw noPositionError();
      return found;
    });
  const rows = {
    pinpoint: together('pinpoint'),
    list: together('list'),
    category: together('category'),
    happening: together('happening'),
  };
  return async (kind, id) => {
    const row = await rows[kind](queryableId(id));
    return row && documentOf(row);
  };
};

export const documentOf = (row: DocumentRow): Document => ({
  id: row._id,
  account: row.account,
  revision: row.revision,
  shown: row.shown,
  present: row.present,
  text: row.text,
  file: row.file,
  lists: row.lists,
  happenings: row.happenings,
});

/** Returns a function that reads a position. Requests of one tick share a query. */
export const mongoPosition = ({ position }: Pick<Collections, 'position'>): ((partition: number) => Promise<ReadPosition>) => {
  const together = batchRequests(async (partitions: readonly number[]) => {
    const rows = await position.find({ _id: { $in: [...partitions] } }, { ...timeoutOptions(callMs) }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  return async (partition) => {
    const row = await together(partition);
    if (!row) throw new ReadModelsUnavailable(`The read models have no position in partition ${partition} yet.`);
    return positionOf(row);
  };
};

/** Returns the position of each partition below `partitions`; undefined where it has none.
 * @throws ReadModelsUnavailable */
export const mongoPositions = ({ position }: Pick<Collections, 'position'>, partitions: number): Promise<(ReadPosition | undefined)[]> =>
  orUnavailable(async () => {
    const rows = await position.find({}, { ...timeoutOptions(callMs) }).toArray();
    const positions = new Map(rows.map((row) => [row._id, positionOf(row)]));
    return Array.from({ length: partitions }, (_, partition) => positions.get(partition));
  });

export const positionOf = ({ incarnation, position, event }: PositionRow): ReadPosition => ({ incarnation, position, event });

export const mongoApplication =
  ({ application }: Pick<Collections, 'application'>) =>
  (id: string): Promise<ApplicationDocument | undefined> =>
    orUnavailable(async () => {
      const rows = await application.find({ _id: { $in: [marker.text, String(id)] } }, { ...timeoutOptions(callMs) }).toArray();
      if (!rows.some(({ _id }) => _id === marker.text)) throw noPositionError();
      const row = rows.find(({ _id }) => _id !== marker.text);
      return row && parseApplication(row.document);
    });

export const mongoApplications =
  ({ application }: Pick<Collections, 'application'>) =>
  (after: string, limit: number): Promise<readonly ApplicationDocument[]> =>
    orUnavailable(async () => {
      const options = { sort: { _id: 1 }, limit, batchSize: limit + 1, ...timeoutOptions(callMs) } as const;
      const rows = await application.find({ _id: { $gt: after } }, options).toArray();
      if (rows.length === 0 && !(await application.findOne({ _id: { $eq: marker.text } }, { ...timeoutOptions(callMs) })))
        throw noPositionError();
      return rows.map(({ document }) => parseApplication(document));
    });

export const noPositionError = (): ReadModelsUnavailable =>
  new ReadModelsUnavailable('The read models have no position yet, or were dropped.');

/** Combines the keys requested in one tick, or while too many queries are in progress, into one query. A query starts after its requests,
 * so that no caller receives a value read before its request. */
export const batchRequests = <Value>(
  read: (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
): ((key: number) => Promise<Value | undefined>) => {
  type Asker = { readonly key: number; readonly resolve: (value: Value | undefined) => void; readonly reject: (error: unknown) => void };
  let waiting: Asker[] = [];
  let inProgress = 0;
  let called = false;

  const ask = (): void => {
    called = false;
    while (waiting.length > 0 && inProgress < findsUnderWayMax) {
      const askers = waiting.slice(0, findsTogetherMax);
      waiting = waiting.slice(findsTogetherMax);
      inProgress += 1;
      void answer(askers).finally(() => {
        inProgress -= 1;
        ask();
      });
    }
  };

  const answer = async (askers: readonly Asker[]): Promise<void> => {
    try {
      const values = await orUnavailable(() => read([...new Set(askers.map(({ key }) => key))]));
      for (const { key, resolve } of askers) resolve(values.get(key));
    } catch (error) {
      for (const { reject } of askers) reject(error);
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= findsWaitingMax) {
        reject(new ReadModelsUnavailable('MongoDB: too many requests are waiting.'));
        return;
      }
      waiting.push({ key, resolve, reject });
      if (called) return;
      called = true;
      setImmediate(ask);
    });
};
