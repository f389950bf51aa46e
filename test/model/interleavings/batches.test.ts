import { setImmediate as turn } from 'node:timers/promises';
import { resourceStream } from '@waymark/domain/streams.ts';
import { aList, aPinpoint } from '../../api/samples.ts';
import { adding, eventsOf, renaming, sendAsBatch, turns } from './batch.ts';
import { createFixture, type Fixture, made } from './fixture.ts';
import type { InstanceResponse, Request } from './instance.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();
const eventsThatAdd = (ground: Fixture, pinpoint: number): number =>
  eventsOf(installation(), ground).filter(
    ({ envelope, content }) => envelope.type === 'PinpointsAdded' && content?.includes(`[${pinpoint}]`),
  ).length;

describe('requests that wait for the same object', () => {
  it('are decided one after the other and appended in one write', async () => {
    const ground = await createFixture(installation());
    const { responses, sizes } = await sendAsBatch(
      installation(),
      ground,
      ['One', 'Two', 'Three'].map((name) => renaming(ground, name)),
    );
    const all = await Promise.all(responses);
    expect(all.map(({ status, json }) => [status, (json as { name: string }).name])).toEqual([
      [200, 'One'],
      [200, 'Two'],
      [200, 'Three'],
    ]);
    expect(new Set(all.map(({ headers }) => headers['ETag'])).size).toBe(3);
    expect(sizes).toEqual([1, 3]);
  });

  it('are decided each on the state that the previous one left', async () => {
    const ground = await createFixture(installation());
    const { responses, sizes } = await sendAsBatch(
      installation(),
      ground,
      ['One', 'One', 'Two'].map((name) => renaming(ground, name)),
    );
    const [first, second, third] = (await Promise.all(responses)).map(({ headers }) => headers['ETag']);
    expect([second === first, third === first]).toEqual([true, false]);
    expect(sizes).toEqual([1, 2]);
  });

  it('are refused after one of them has deleted the object', async () => {
    const ground = await createFixture(installation());
    const remove: Request = { endpoint: 'DELETE /lists/:id', account: ground.account, id: ground.list };
    const { responses, sizes } = await sendAsBatch(installation(), ground, [remove, renaming(ground, 'Late')]);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([204, 404]);
    expect(sizes).toEqual([1, 1]);
  });

  it('do not affect each other if one is refused, and the refusal is answered after the write', async () => {
    const ground = await createFixture(installation());
    let answered = false;
    const { responses, sizes } = await sendAsBatch(
      installation(),
      ground,
      [renaming(ground, 'One'), renaming(ground, 'Stale', { match: '"another"' }), renaming(ground, 'Two')],
      async () => {
        for (let nth = 0; nth < turns; nth += 1) await turn();
        expect(answered).toBe(false);
      },
    );
    void responses[1]?.then(() => {
      answered = true;
    });
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 412, 200]);
    expect(sizes).toEqual([1, 2]);
  });

  it('are all decided again after a conflict', async () => {
    const ground = await createFixture(installation());
    const { responses, sizes } = await sendAsBatch(
      installation(),
      ground,
      [renaming(ground, 'One'), renaming(ground, 'Between'), renaming(ground, 'Two')],
      async (_, nth) => {
        if (nth === 2) await made(directOn(installation()), renaming(ground, 'Between'));
      },
    );
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(sizes).toEqual([1, 3, 3]);
    expect(eventsOf(installation(), ground).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('are appended in several writes if their content is too much for one', async () => {
    const ground = await createFixture(installation());
    const large = 'x'.repeat(60_000);
    const requests = Array.from({ length: 12 }, (_, nth) =>
      renaming(ground, `${nth}`, { body: aList({ name: `${nth}`, description: large + nth }) }),
    );
    const { responses, sizes } = await sendAsBatch(installation(), ground, requests);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(requests.map(() => 200));
    expect(sizes).toEqual([1, 8, 4]);
  });
});

describe('keyed requests that wait for the same list', () => {
  const createPinpoints = async ({ account }: Fixture): Promise<readonly number[]> => {
    const ids: number[] = [];
    for (let nth = 0; nth < 5; nth += 1)
      ids.push(await made(directOn(installation()), { endpoint: 'POST /pinpoints', account, body: aPinpoint() }));
    return ids;
  };

  const repeatTwice = async (requests: readonly Request[]): Promise<readonly (readonly InstanceResponse[])[]> => {
    const { send } = directOn(installation());
    return [await Promise.all(requests.map(send)), await Promise.all(requests.map(send))];
  };

  const ok = { status: 200, json: { errors: [], total: 1 } };

  it('leave one event each after a crash between claims and write, and a third party that did the work of four', async () => {
    const ground = await createFixture(installation());
    const ids = await createPinpoints(ground);
    const requests = ids.map((id) => adding(ground, id, `crash-${id}`));
    const crashed = Promise.withResolvers<void>();
    const stream = resourceStream('list', ground.list);
    const { sizes } = await sendAsBatch(installation(), ground, requests, async (to) => {
      if (to !== stream) return;
      crashed.resolve();
      await new Promise(() => undefined);
    });
    await crashed.promise;
    expect(sizes).toEqual([1, 5]);
    for (const id of ids.slice(0, 4)) await made(directOn(installation()), adding(ground, id));
    for (const responses of await repeatTwice(requests)) expect(responses).toMatchObject(ids.map(() => ok));
    expect(ids.map((id) => eventsThatAdd(ground, id))).toEqual([1, 1, 1, 1, 1]);
  });

  it('leave one event each after a conflict that turns four of them into no-ops', async () => {
    const ground = await createFixture(installation());
    const ids = await createPinpoints(ground);
    const requests = ids.map((id) => adding(ground, id, `conflict-${id}`));
    const stream = resourceStream('list', ground.list);
    const { responses, sizes } = await sendAsBatch(installation(), ground, requests, async (to, nth) => {
      if (to !== stream || nth !== 2) return;
      for (const id of ids.slice(0, 4)) await made(directOn(installation()), adding(ground, id));
    });
    expect(await Promise.all(responses)).toMatchObject(ids.map(() => ok));
    expect(sizes).toEqual([1, 5, 1]);
    for (const repeated of await repeatTwice(requests)) expect(repeated).toMatchObject(ids.map(() => ok));
    expect(ids.map((id) => eventsThatAdd(ground, id))).toEqual([1, 1, 1, 1, 1]);
  });

  it('go on without the one whose claim another process took', async () => {
    const ground = await createFixture(installation());
    const ids = await createPinpoints(ground);
    const requests = ids.map((id) => adding(ground, id, `taken-${id}`));
    let isTaken = false;
    const { responses, sizes } = await sendAsBatch(installation(), ground, requests, async (to) => {
      if (isTaken || !to.startsWith('request-')) return;
      isTaken = true;
      await Promise.all(requests.slice(0, 1).map(directOn(installation()).send));
    });
    expect(await Promise.all(responses)).toMatchObject(ids.map(() => ok));
    expect(ids.map((id) => eventsThatAdd(ground, id))).toEqual([1, 1, 1, 1, 1]);
    expect(sizes[0]).toBe(1);
  });
});
