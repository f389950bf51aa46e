import { ReadModelsUnavailable } from '../../read-models.ts';
import { mine } from '../../testing/facts.ts';
import { slowModels } from '../../testing/slow-models.ts';
import { leaseMs, refreshMs } from '../limits.ts';
import { createLiveModels } from '../read-side.ts';
import { createLease } from './lease.ts';
import { visiblePosition } from './live.ts';
import type { Pointer } from './pointer.ts';

/** What happens before MongoDB responds. */
type Meanwhile = {
  readonly passedMs: number;
  readonly pointer?: Pointer;
  readonly isUnavailable?: boolean;
  readonly isAskedAgain?: boolean;
};

const before: Pointer = { revision: 1, read: '1-a', awaited: ['1-a'], still: [] };
const promoted: Pointer = { revision: 2, read: '1-b', awaited: ['1-b'], still: [] };

const reading = ({ passedMs, pointer = before, isUnavailable = false, isAskedAgain = false }: Meanwhile) => {
  let now = 10 * leaseMs;
  const answeredAt = now + passedMs;
  let stored: () => Pointer = () => before;
  const lease = createLease(
    async () => stored(),
    () => now,
  );
  const answering = async (): Promise<void> => {
    now += passedMs / 2;
    if (now < answeredAt) return;
    stored = () => {
      if (isUnavailable) throw new ReadModelsUnavailable('The read models are unavailable.');
      return pointer;
    };
    if (!isAskedAgain) return;
    await lease.known();
    await Promise.resolve();
  };
  const { models, write } = slowModels(
    answering,
    () => mine,
    () => 0,
  );
  write(7);
  return {
    ...createLiveModels(lease, () => models, 1),
    visiblePosition: visiblePosition(lease, () => models),
  };
};

const reads: readonly [string, (models: ReturnType<typeof reading>) => Promise<unknown>][] = [
  ['document', ({ find }) => find('pinpoint', 7)],
  ['position', ({ position }) => position(0)],
  ['visible position', (models) => models.visiblePosition(0)],
];

describe.each(reads)('a %s from MongoDB', (_, read) => {
  it.each([true, false])(
    'that is late is accepted where the pointer has not changed meanwhile (another call has read it since: %s)',
    async (isAskedAgain) => {
      expect(await read(reading({ passedMs: leaseMs, isAskedAgain }))).toBeDefined();
    },
  );

  it.each([true, false])(
    'that is late is rejected where another generation was promoted meanwhile (another call has read the pointer since: %s)',
    async (isAskedAgain) => {
      const late = reading({ passedMs: leaseMs, pointer: promoted, isAskedAgain });
      await expect(read(late)).rejects.toThrow('Another generation became live meanwhile.');
    },
  );

  it('that is late is rejected where the pointer cannot be read again', async () => {
    await expect(read(reading({ passedMs: leaseMs, isUnavailable: true }))).rejects.toThrow(ReadModelsUnavailable);
  });

  it('that is in time is accepted, even if the pointer has changed: no process relies on the change yet', async () => {
    expect(await read(reading({ passedMs: leaseMs - refreshMs, pointer: promoted, isAskedAgain: true }))).toBeDefined();
  });
});
