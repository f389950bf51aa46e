import { sampleEnvelope } from '@waymark/domain/testing/samples.ts';
import type { LoggedEvent } from './notary.ts';

/** Returns events of several accounts. Each account's events are spread over its streams.
 * @param accounts the account of each event, as a number */
export const eventsOf = (accounts: readonly number[], streamsEach = 3): readonly LoggedEvent[] => {
  const revisions = new Map<string, number>();
  return accounts.map((account, nth) => {
    const stream = `pinpoint-${account * 1_000 + (nth % streamsEach)}`;
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    return { stream, revision, position: 1 + 2 * nth, envelope: { ...sampleEnvelope, id: `event-${nth}`, account: `account-${account}` } };
  });
};
