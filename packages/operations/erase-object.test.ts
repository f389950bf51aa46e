import { accountId } from '@waymark/domain/account/decide.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { ordersStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { eraseObject } from './erase-object.ts';
import { useTarget } from './testing/some-target.ts';

const { PinpointCreated, HoldPlaced, HoldReleased, ErasureOrdered } = sampleEvents;
const name = 'Museum';
const account = accountId(name);

describe('Erasing an object', () => {
  const target = useTarget();
  const append = async (stream: string, after: number | 'none', ...facts: readonly DomainEvent[]): Promise<void> => {
    const events = facts.map((fact) => sealFact({ ...fact, account } as DomainEvent, { account, origin: operators }));
    expect(await target.log().append(stream, events, after)).toMatchObject({ outcome: 'appended' });
  };
  const erase = () => {
    const ports = { log: target.log(), media: target.options().media, dropCopies: async () => true };
    return eraseObject(ports, { kind: 'pinpoint', id: 12, account: name });
  };

  beforeEach(() => append('pinpoint-12', 'none', PinpointCreated));

  it('is refused while the object is on hold', async () => {
    await append(ordersStream(account), 'none', { ...HoldPlaced, object: 'pinpoint-12' });
    await expect(erase()).rejects.toMatchObject({ status: 409 });
    await append(ordersStream(account), 0, { ...HoldReleased, object: 'pinpoint-12' });
    expect(await erase()).toMatchObject({ events: 1 });
  });

  it('is possible while another object is on hold, and after an order to erase it', async () => {
    await append(ordersStream(account), 'none', { ...HoldPlaced, object: 'pinpoint-1' }, { ...ErasureOrdered, object: 'pinpoint-12' });
    expect(await erase()).toMatchObject({ events: 1 });
  });
});
