import type { DomainEvent } from '@waymark/domain/event.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { sealFact } from '@waymark/event-log/seal.ts';

const pinpoint = (id: number): string => resourceStream('pinpoint', id);

/** Returns a function that appends a fact to a stream. */
export const appenderTo =
  ({ append, lastRevisions }: EventLog) =>
  async (stream: string, fact: DomainEvent, account = 'acme'): Promise<void> => {
    const own = 'account' in fact ? { ...fact, account } : fact;
    const [last = 'none'] = await lastRevisions([stream]);
    await append(stream, [sealFact(own, { account, origin: { actor: 'app', token: null, request: null } })], last);
  };

/** Fills a log with the history of two accounts, in which a pinpoint, a list and an application are erased. `between` is called between its
 * parts. */
export const fillLog = async (log: EventLog, between: () => Promise<unknown>): Promise<void> => {
  const { AccountOpened, ApplicationRegistered, PinpointCreated, PinpointEdited, PinpointDeleted, ListCreated, PinpointsAdded } =
    sampleEvents;
  const add = appenderTo(log);
  await add('account-acme', AccountOpened);
  await add('application-app', { ...ApplicationRegistered, application: 'app' });
  for (const id of [1, 2, 3]) await add(pinpoint(id), { ...PinpointCreated, pinpoint: id });
  await between();
  await add('account-other', AccountOpened, 'other');
  for (const id of [1, 2, 3, 1]) await add(pinpoint(id), { ...PinpointEdited, pinpoint: id, fields: { name: `Tower ${id}` } });
  await add('list-1', { ...ListCreated, list: 1 });
  await add('list-1', { ...PinpointsAdded, list: 1, pinpoints: [1, 3], notAdded: [] });
  await between();
  for (const stream of [pinpoint(2), 'list-1', 'application-app']) await erase(log, stream);
  await add(pinpoint(4), { ...PinpointCreated, pinpoint: 4 }, 'other');
  await add(pinpoint(2), { ...PinpointEdited, pinpoint: 2, fields: { name: 'After the erasure' } });
  await between();
  await add(pinpoint(3), { ...PinpointDeleted, pinpoint: 3 });
  for (const nth of [1, 2]) await add(pinpoint(1), { ...PinpointEdited, pinpoint: 1, fields: { name: `North tower ${nth}` } });
  await erase(log, pinpoint(2));
};
