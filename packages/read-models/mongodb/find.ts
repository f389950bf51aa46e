import { byResourceKind, type ResourceKind } from '@waymark/domain/streams.ts';
import { type BatchLimits, createBatches } from '@waymark/timing/batches.ts';
import { type ApplicationDocument, type Document, ReadModelsUnavailable, type ReadPosition } from '../read-models.ts';
import { parseApplication } from '../stored-application.ts';
import { orUnavailable, timeoutOptions } from './client.ts';
import { type Collections, type DocumentRow, marker, type PositionRow, queryableId } from './collections.ts';
import { callMs, findsTogetherMax, findsUnderWayMax, findsWaitingMax } from './limits.ts';

export const createFind = (collections: Collections): ((kind: ResourceKind, id: number) => Promise<Document | undefined>) => {
  const together = (kind: ResourceKind) =>
    batched(async (ids: readonly number[]) => {
      const asked = [marker.number, ...ids];
      const rows = await collections[kind]
        .find({ _id: { $in: asked } }, { batchSize: asked.length + 1, ...timeoutOptions(callMs) })
        .toArray();
      const found = new Map(rows.map((row) => [row._id, row]));
      // The marker is part of the same read: documents that a dropped collection lacks are not deleted.
      if (!found.delete(marker.number)) throw noPositionError();
      return found;
    });
  const rows = byResourceKind(together);
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

/** Returns a function that reads a position. */
export const mongoPosition = ({ position }: Pick<Collections, 'position'>): ((partition: number) => Promise<ReadPosition>) => {
  const together = batched(async (partitions: readonly number[]) => {
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

const limits: BatchLimits = { keysMax: findsTogetherMax, inProgressMax: findsUnderWayMax, waitingMax: findsWaitingMax };

/** Returns a function that reads single values. Requests of one turn of the event loop share a query. */
const batched = <Value>(
  read: (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
): ((key: number) => Promise<Value | undefined>) =>
  createBatches(
    limits,
    (keys: readonly number[]) => orUnavailable(() => read(keys)),
    () => new ReadModelsUnavailable('MongoDB: too many requests are waiting.'),
  );
