import { accountId } from '@waymark/domain/account/decide.ts';
import type { PinpointEvent } from '@waymark/domain/pinpoint/events.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import type { EventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { createIdAllocator } from '@waymark/event-log/id-allocator.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import { withLog } from '../../../cluster/history/facts.ts';
import { clusterLimits } from './limits.ts';

/** Appends creations of pinpoints to the log, evenly over the accounts. The command service would append the same events, only more slowly. */
export const appendCreations = (accounts: readonly string[], count: number): Promise<void> =>
  withLog(async (log) => {
    const ids = createIdAllocator(log);
    let begun = 0;
    const appender = async (): Promise<void> => {
      while (begun < count) {
        const name = accounts[begun % accounts.length] ?? '';
        begun += 1;
        await appendCreation(log, accountId(name), await ids.next('pinpoint'));
      }
    };
    await Promise.all(Array.from({ length: clusterLimits.appendsUnderWay }, appender));
  });

const appendCreation = async (log: EventStoreLog, account: string, pinpoint: number): Promise<void> => {
  const event = sealFact(created(account, pinpoint), { account, origin: { actor: 'bench', token: null, request: null } });
  const { outcome } = await log.append(resourceStream('pinpoint', pinpoint), [event], 'none');
  if (outcome !== 'appended') throw new Error(`pinpoint ${pinpoint} already exists`);
};

const created = (account: string, pinpoint: number): PinpointEvent => ({
  type: 'PinpointCreated',
  account,
  pinpoint,
  fields: {
    name: `Old Harbour Lighthouse ${pinpoint}`,
    address: 'Kade 14, 1779 AB Den Oever, Noord-Holland, Netherlands',
    latitude: 52.9,
    longitude: 5.03,
    altitude: 11.5,
    category: null,
    description: '<p>Built in <strong>1885</strong> and lit every night since: the lantern room is open on Saturdays.</p>',
    mediaCredits: '© Harbour Museum, CC BY 4.0',
    media: null,
    tags: ['lighthouse', 'harbour', 'monument', 'open on saturday'],
  },
});
