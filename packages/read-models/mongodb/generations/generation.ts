import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Db, MongoClient } from 'mongodb';
import type { ContradictoryEvent } from '../../projection/projection.ts';
import type { ReadModels, ReadPosition } from '../../read-models.ts';
import { createApply } from '../apply.ts';
import { collectionsOf, dropCollections, prepareCollections } from '../collections.ts';
import { createFind, mongoApplication, mongoApplications, mongoPosition, mongoPositions } from '../find.ts';
import { mongoHighestIds } from '../highest-ids.ts';
import { createMembership } from '../membership.ts';
import { createPages } from '../pages.ts';
import { digestedRows } from '../rows.ts';
import type { Step } from '../steps.ts';
import { createDigest, type Digest } from './digest.ts';
import type { GenerationContext } from './stored-generation.ts';

/** One generation of the read models: its own collections, filled from the log by a feeder. */
export type Generation = {
  readonly name: string;
  /** Its read models, whether it is live or not. */
  readonly models: ReadModels;
  /** Returns the position of each partition; undefined where nothing was applied yet, or where all data was lost.
   * @throws ReadModelsUnavailable */
  readonly positions: () => Promise<readonly (ReadPosition | undefined)[]>;
  /** Applies all steps, each of another partition, in one transaction, or none: false where one of them did not match. After an error the
   * steps may or may not have been applied; `positions` shows it.
   * @throws NewerEvent, RangeError, ReadModelsUnavailable */
  readonly applyTogether: (steps: readonly Step[]) => Promise<boolean>;
  readonly digest: () => Promise<Digest>;
  /** Returns the highest id of each kind, deleted objects included.
   * @throws ReadModelsUnavailable */
  readonly highestIds: () => Promise<Readonly<Record<ResourceKind, number>>>;
  /** Creates its missing collections and indexes. */
  readonly prepare: () => Promise<void>;
  /** Drops its collections. */
  readonly drop: () => Promise<void>;
};

export type GenerationParts = GenerationContext & {
  readonly client: MongoClient;
  readonly db: Db;
  readonly partitions: number;
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
    digest: () => createDigest(client, digestedRows(collections)),
    highestIds: () => mongoHighestIds(collections),
    prepare: () => prepareCollections(collections),
    drop: () => dropCollections(collections, inTransaction),
  };
};
