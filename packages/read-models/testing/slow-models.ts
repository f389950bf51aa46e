import { setImmediate as turn } from 'node:timers/promises';
import type { Document, ReadModels, ReadPosition } from '../read-models.ts';

/** Creates read models of one kind that hold only versions. `wait` delays each request and each result. */
export const slowModels = (wait: () => Promise<unknown>, accountOf: (id: number) => string, partitionOf: (id: number) => number) => {
  const versions = new Map<number, number>();
  const positions = new Map<number, number>();
  let head = 0;
  const reads = { finds: 0, looks: 0 };

  const documentOf = (id: number): Document | undefined => {
    const version = versions.get(id);
    if (version === undefined) return undefined;
    return {
      id,
      account: accountOf(id),
      revision: version,
      shown: true,
      present: true,
      text: String(version),
      file: null,
      lists: 0,
      happenings: 0,
    };
  };
  const slowly = async <Value>(value: () => Value): Promise<Value> => {
    await wait();
    const found = value();
    await wait();
    return found;
  };
  const models: Pick<ReadModels, 'find' | 'position'> = {
    find: (_kind, id) => {
      reads.finds += 1;
      return slowly(() => documentOf(id));
    },
    position: (partition): Promise<ReadPosition> => {
      reads.looks += 1;
      return slowly(() => ({ incarnation: 'one', position: positions.get(partition) ?? 0, event: `${positions.get(partition) ?? 0}` }));
    },
  };
  return {
    models: models as ReadModels,
    reads,
    /** Writes a new version of a document and the next position of its partition, together.
     * @returns the version */
    write: (id: number): number => {
      head += 1;
      versions.set(id, head);
      positions.set(partitionOf(id), head);
      return head;
    },
    version: (id: number): number => versions.get(id) ?? -1,
  };
};

/** Waits until all background work has settled. */
export const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 5; turns += 1) await turn();
};
