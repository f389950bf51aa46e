import type { DomainEvent } from '@waymark/domain/event.ts';
import { encode } from '@waymark/domain/event-types.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '../erasure/erase.ts';
import { summarize } from '../erasure/erasure-summary.ts';
import type { EventLog } from '../event-log.ts';
import { newEventId, seal } from '../seal.ts';
import { appended, newStream, someFact } from '../testing/some-events.ts';
import { all, bare } from './erase.ts';

const unsealed = { account: 'contract', origin: { actor: 'contract', token: null, request: null }, sanitized: false };

/** The part of the contract that covers erasing a list whose members several events restate. */
export const eraseInPiecesContract = (log: () => EventLog) => {
  it('completes an erasure of the next release, which restates the members of a list in events before the last one', async () => {
    const list = Number(newStream().split('-')[1]);
    const stream = `list-${list}`;
    const { ListCreated, PinpointsAdded, ListMembersRestated, ListRedacted, ListEdited } = sampleEvents;
    const append = async (after: number | 'none', ...says: readonly DomainEvent[]): Promise<void> => {
      const events = says.map((fact) => someFact({ ...fact, list } as DomainEvent));
      await appended(log().append(stream, events, after));
    };
    const restated = (from: number, to: number, members: readonly number[]): DomainEvent => ({ ...ListMembersRestated, from, to, members });
    await append('none', ListCreated, { ...PinpointsAdded, pinpoints: [12, 3] });
    const before = await all(log(), stream);
    await append(1, restated(1, 10, [3]), { ...ListEdited, fields: { name: 'Meanwhile' } }, restated(11, 20, [12]));
    const { members: _, ...rest } = { members: [], ...ListRedacted };
    const fact = { ...rest, list, account: 'contract', summary: await summarize(log(), stream, 2), restatedFrom: 2 };
    const sealed = seal({ ...unsealed, id: newEventId(), type: fact.type, version: 2, content: encode(fact) });
    await appended(log().append(stream, [sealed], 4));
    const after = (await all(log(), stream)).slice(2);
    expect(await erase(log(), stream)).toMatchObject({ count: 2, redacted: { revision: 5 } });
    expect(await all(log(), stream)).toEqual([...before.map(bare), ...after]);
    await append(5, { ...PinpointsAdded, pinpoints: [15] });
    await erase(log(), stream);
    const last = (await all(log(), stream)).at(-1);
    expect(JSON.parse(last?.content ?? '')).toMatchObject({ members: [3, 12, 15], summary: { count: 7 } });
  });
};
