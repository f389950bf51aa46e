import { createDigest, type Digest } from '@waymark/read-models/mongodb/generations/digest.ts';
import type { At } from '@waymark/read-models/mongodb/rows.ts';
import type { MongoClient } from 'mongodb';
import { type Collections, goesOn } from './collections.ts';
import { hasOwnKeys } from './rows.ts';

/** The position of each partition, and the SHA-256 (hex) over all rows at that moment, as `sqliteHistoryDigest` has it. */
export type MongoHistoryDigest = Digest & {
  /** Whether nothing of erased content is left. Otherwise the rows are equal to those of no other history. */
  readonly isClean: boolean;
};

/** @throws ReadModelsUnavailable */
export const mongoHistoryDigest = async (client: MongoClient, collections: Collections): Promise<MongoHistoryDigest> => {
  let isClean = true;
  const unclean = (): void => {
    isClean = false;
  };
  const digest = await createDigest(client, { position: collections.position, rows: (at) => historyRows(collections, at, unclean) });
  return { ...digest, isClean };
};

/** Yields every row in the form and the order of `sqliteHistoryRows`, which has no row for an entry that searches do not find. */
export async function* historyRows(
  { entry, interval, member, relation, mark }: Collections,
  at: At,
  unclean: () => void = () => undefined,
): AsyncGenerator<readonly unknown[]> {
  for await (const row of entry.find({ position: { $gt: 0 } }, { ...at, sort: { position: 1 } })) {
    const { position, account, stream, revision, clock, present, moved, origins } = row;
    const { event, type, time, actor, request, correlation, cause, value } = row;
    const own = [position, account, stream, revision, clock, Number(present), moved, origins];
    yield ['entry', ...own, event, type, time, actor, request, correlation, cause, value];
    if (!hasOwnKeys(row)) yield ['wrong keys', position];
  }
  const sets = interval.find({ within: { $gt: '' } }, { ...at, sort: { within: 1, item: 1, since: -1 } });
  for await (const { within, item, since, until, of } of sets) yield ['interval', within, item, since, until === goesOn ? null : until, of];
  for await (const { pinpoint, list } of member.find({}, { ...at, sort: { pinpoint: 1, list: 1 } })) yield ['member', pinpoint, list];
  for await (const row of relation.find({ stream: { $gt: '' } }, { ...at, sort: { stream: 1, position: -1 } }))
    yield ['relation_change', row.stream, row.position, row.other, Number(row.began)];
  for await (const { _id, before, first, revision, position, clean } of mark.find({ _id: { $gt: '' } }, { ...at, sort: { _id: 1 } })) {
    if (!clean) unclean();
    yield ['mark', _id, before, first, revision, position, Number(clean)];
  }
}
