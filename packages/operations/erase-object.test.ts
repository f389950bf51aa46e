import { accountId } from '@waymark/domain/account/decide.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { ordersStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import type { BodyOf } from './api/calls.ts';
import { eraseObject } from './erase-object.ts';
import { setHold } from './hold.ts';
import { useTarget } from './testing/some-target.ts';

const { PinpointCreated, ApplicationRegistered, ApplicationSuspended, ApplicationDeleted, ChangesetOpened } = sampleEvents;
const name = 'Museum';
const account = accountId(name);
const object = 'pinpoint-12';
const pinpoint = { kind: 'pinpoint', id: 12, account: name } as const;
const bare = { account, object, by: null, reason: null, case: null };

const target = useTarget();
const append = async (stream: string, ...facts: readonly DomainEvent[]): Promise<void> => {
  const events = facts.map((fact) => sealFact({ ...fact, account } as DomainEvent, { account, origin: operators }));
  expect(await target.log().append(stream, events, 'none')).toMatchObject({ outcome: 'appended' });
};
const erase = (order: BodyOf<'POST /operator/forget'> = pinpoint, by: string | null = null, log: EventLog = target.log()) =>
  eraseObject({ log, media: target.options().media, dropCopies: async () => true }, order, by);
const hold = (onHold: boolean, order: BodyOf<'POST /operator/hold'> = pinpoint, by: string | null = null, log: EventLog = target.log()) =>
  setHold(log, onHold, { order, by });
const facts = async (stream: string) => (await target.log().read(stream, 0)).map(decode);
const orders = () => facts(ordersStream(account));

beforeEach(() => append(object, PinpointCreated));

describe('Erasing an object', () => {
  it('records the order first, each time it is given', async () => {
    await erase({ ...pinpoint, reason: 'erasure-request', case: 'case-7' }, 'clerk-3');
    const first = { ...bare, type: 'ErasureOrdered', by: 'clerk-3', reason: 'erasure-request', case: 'case-7' };
    expect(await orders()).toEqual([first]);
    expect(await erase()).toMatchObject({ stream: object, events: 1, revision: 1 });
    expect(await orders()).toEqual([first, { ...bare, type: 'ErasureOrdered' }]);
  });

  it('begins only once the order is in the log', async () => {
    const appended: string[] = [];
    const watched: EventLog = {
      ...target.log(),
      append: (stream, ...rest) => {
        appended.push(stream);
        return target.log().append(stream, ...rest);
      },
    };
    await erase(pinpoint, null, watched);
    expect(appended.slice(0, 2)).toEqual([ordersStream(account), `redacted-${object}`]);
  });

  it('is refused while the object is on hold, and changes nothing then', async () => {
    await hold(true);
    await expect(erase()).rejects.toMatchObject({ status: 409, body: { detail: 'pinpoint-12 is on hold.' } });
    expect(await facts(object)).toHaveLength(1);
    expect(await orders()).toMatchObject([{ type: 'HoldPlaced' }]);
    await hold(false);
    expect(await erase()).toMatchObject({ events: 1 });
  });

  it('is possible while another object is on hold', async () => {
    await append('pinpoint-1', { ...PinpointCreated, pinpoint: 1 });
    await hold(true, { ...pinpoint, id: 1 });
    expect(await erase()).toMatchObject({ events: 1 });
  });

  it('does not begin after a hold that was placed while the order was decided', async () => {
    let placed = false;
    const overtaken: EventLog = {
      ...target.log(),
      append: async (stream, ...rest) => {
        if (!placed && stream === ordersStream(account)) {
          placed = true;
          await hold(true);
        }
        return target.log().append(stream, ...rest);
      },
    };
    await expect(erase(pinpoint, null, overtaken)).rejects.toMatchObject({ status: 409 });
    expect(await facts(object)).toHaveLength(1);
    expect(await orders()).toMatchObject([{ type: 'HoldPlaced' }]);
  });

  it('needs an object of that account, and an id of its kind', async () => {
    for (const order of [
      { ...pinpoint, id: 13 },
      { ...pinpoint, account: 'Other' },
      { ...pinpoint, kind: 'changeset', id: '12' } as const,
    ]) {
      await expect(erase(order)).rejects.toMatchObject({ status: 404 });
      await expect(hold(true, order)).rejects.toMatchObject({ status: 404 });
    }
    for (const order of [{ ...pinpoint, id: '12' }, { ...pinpoint, kind: 'application', id: 12 } as const]) {
      await expect(erase(order)).rejects.toMatchObject({ status: 400 });
    }
    expect(await orders()).toEqual([]);
  });
});

describe('Erasing an application', () => {
  const { application, secret, scopes } = ApplicationRegistered;
  const stream = `application-${application}`;
  const order = { kind: 'application', id: application, account: name } as const;

  it('erases its name, and keeps its scopes, its secrets and its last suspension', async () => {
    await append(stream, ApplicationRegistered, ApplicationSuspended);
    expect(await erase(order)).toMatchObject({ stream, events: 2, revision: 2, files: 0 });
    const [registered, suspended, redacted] = await facts(stream);
    expect([registered, suspended]).toEqual([undefined, undefined]);
    expect(redacted).toMatchObject({ type: 'ApplicationRedacted', account, status: 'suspended', scopes, secrets: [secret], suspended: 1 });
  });

  it('keeps no scopes and secrets of a deleted one', async () => {
    await append(stream, ApplicationRegistered, ApplicationDeleted);
    await erase(order);
    expect((await facts(stream)).at(-1)).toMatchObject({ status: 'deleted', scopes: [], secrets: [] });
  });
});

it('Erasing a changeset erases its comment and its person', async () => {
  const { changeset, comment } = ChangesetOpened;
  await append(`changeset-${changeset}`, ChangesetOpened);
  expect(await erase({ kind: 'changeset', id: changeset, account: name })).toMatchObject({ events: 1, revision: 1 });
  const events = await target.log().read(`changeset-${changeset}`, 0);
  expect(events.map(decode)).toMatchObject([undefined, { type: 'ChangesetRedacted', account, changeset, summary: { count: 1 } }]);
  expect(JSON.stringify(events)).not.toContain(comment);
});

describe('A hold', () => {
  it('is recorded with the person, the reason and the case', async () => {
    expect(await hold(true, { ...pinpoint, reason: 'legal-dispute', case: 'case-7' }, 'clerk-3')).toEqual({ stream: object, onHold: true });
    expect(await hold(false, { ...pinpoint, kind: 'pinpoint' }, 'clerk-4')).toEqual({ stream: object, onHold: false });
    expect(await orders()).toEqual([
      { ...bare, type: 'HoldPlaced', by: 'clerk-3', reason: 'legal-dispute', case: 'case-7' },
      { ...bare, type: 'HoldReleased', by: 'clerk-4' },
    ]);
  });

  it('is refused if the object is on hold already, or is not on hold', async () => {
    await expect(hold(false)).rejects.toMatchObject({ status: 409, body: { detail: 'pinpoint-12 is not on hold.' } });
    await hold(true);
    await expect(hold(true)).rejects.toMatchObject({ status: 409, body: { detail: 'pinpoint-12 is on hold.' } });
    expect(await orders()).toHaveLength(1);
  });

  it('is placed once if it is ordered several times at once', async () => {
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => hold(true)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await orders()).toHaveLength(1);
  });

  it('is not refused because of orders that were read before others were appended', async () => {
    await hold(true);
    const [placed] = await target.log().read(ordersStream(account), 0);
    await hold(false);
    let reads = 0;
    const behind: EventLog = {
      ...target.log(),
      read: async (stream, from) => {
        if (stream !== ordersStream(account)) return target.log().read(stream, from);
        reads += 1;
        return reads === 1 && placed ? [placed] : target.log().read(stream, from);
      },
    };
    expect(await hold(true, pinpoint, null, behind)).toEqual({ stream: object, onHold: true });
    expect(reads).toBe(2);
  });

  it('is refused with 503 if other orders are always appended first', async () => {
    const present = async () => ({ outcome: 'conflict' }) as const;
    await expect(hold(true, pinpoint, null, { ...target.log(), append: present })).rejects.toMatchObject({ status: 503 });
  });

  it('is found beyond the first page of orders', async () => {
    await append('pinpoint-1', { ...PinpointCreated, pinpoint: 1 });
    await hold(true);
    for (let times = 0; times < 101; times += 1) {
      await hold(true, { ...pinpoint, id: 1 });
      await hold(false, { ...pinpoint, id: 1 });
    }
    await expect(erase()).rejects.toMatchObject({ status: 409 });
    expect(await erase({ ...pinpoint, id: 1 })).toMatchObject({ events: 1 });
  });
});
