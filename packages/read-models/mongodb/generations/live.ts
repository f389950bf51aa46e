import type { ReadModels } from '../../read-models.ts';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { readBy } from './control.ts';
import type { Lease } from './lease.ts';

const noLiveGeneration = () => new ReadModelsUnavailable('No generation is live.');

/** Creates a function that reads the generation that is live for a version. A result is rejected if the pointer changed while it was read.
 * @throws ReadModelsUnavailable */
export const createLiveReads =
  (lease: Lease, version: number) =>
  async <Value>(read: (name: string) => Promise<Value>): Promise<Value> => {
    const known = await lease.known();
    const name = readBy(version, known.pointer);
    if (name === undefined) throw noLiveGeneration();
    const value = await read(name);
    await lease.check(known);
    return value;
  };

/** Creates a function that returns the visible position. A result is rejected if the pointer changed while the positions were read. */
export const visiblePosition =
  (lease: Lease, models: (name: string) => Pick<ReadModels, 'position'>): ((partition: number) => Promise<number>) =>
  async (partition) => {
    const known = await lease.known();
    const { awaited } = known.pointer;
    if (awaited.length === 0) throw noLiveGeneration();
    const positions = await Promise.all(awaited.map((name) => models(name).position(partition)));
    await lease.check(known);
    return Math.min(...positions.map(({ position }) => position));
  };
