import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Db, MongoClient } from 'mongodb';
import type { ContradictoryEvent } from '../../projection/projection.ts';
import type { ReadModels, ReadPosition } from '../../read-models.ts';
import { createApply, type Step } from '../apply.ts';
import { collectionsOf, prepareCollections } from '../collections.ts';
import { createFind, mongoApplication, mongoApplications, mongoPosition, mongoPositions } from '../find.ts';
import { mongoHighestIds } from '../highest-ids.ts';
import { createMembership } from '../membership.ts';
import { createPages } from '../pages.ts';
import type { InTransaction, Within } from '../transactions.ts';
import { createDigest, type Digest } from './digest.ts';

/** One generation of the read side: collections of its own, filled from the log by whoever feeds it. */
export type Generation = {
  readonly name: string;
  /** What it holds, whether it is live or not. */
  readonly models: ReadModels;
  /** Where each partition stands; undefined where nothing was applied yet, or all was lost. @throws ReadModelsUnavailable */
  readonly positions: () => Promise<readonly (ReadPosition | undefined)[]>;
  /** All steps, each of a partition of its own, in one transaction, or none: false where one of them did not match. After an error it may
   * have happened or not: `positions` tells. @throws NewerEvent, RangeError, ReadModelsUnavailable */
  readonly applyTogether: (steps: readonly Step[]) => Promise<boolean>;
  readonly digest: () => Promise<Digest>;
  /** The highest id of each kind, deleted objects included. @throws ReadModelsUnavailable */
  readonly highestIds: () => Promise<Readonly<Record<ResourceKind, number>>>;
  /** Makes its collections and indexes where they are missing. */
  readonly prepare: () => Promise<void>;
};

export type GenerationParts = {
  readonly client: MongoClient;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  /** Of those that write: what others left open does not hold them up for long. */
  readonly writing: InTransaction;
  readonly partitions: number;
  /** Called in the transaction that makes a generation's first position. @throws ReadModelsUnavailable where it is known no more */
  readonly begin: (name: string, at: Within) => Promise<void>;
  readonly contradicted?: ContradictoryEvent | undefined;
};

export const openGeneration = (name: string, parts: GenerationParts): Generation => {
  const { client, db, inTransaction, writing, partitions, begin, contradicted } = parts;
  const collections = collectionsOf(db, name);
  const applyTogether = createApply(collections, writing, (at) => begin(name, at), contradicted);
  return {
    name,
    models: {
      find: createFind(collections),
      page: createPages(collections, inTransaction),
      membership: createMembership(collections, inTransaction),
      application: mongoApplication(collections),
      applications: mongoApplications(collections),
      position: mongoPosition(collections),
      apply: (partition, after, events, to) => applyTogether([{ partition, after, events, to }]),
    },
    positions: () => mongoPositions(collections, partitions),
    applyTogether,
    digest: () => createDigest(client, collections),
    highestIds: () => mongoHighestIds(collections),
    prepare: () => prepareCollections(collections),
  };
};
