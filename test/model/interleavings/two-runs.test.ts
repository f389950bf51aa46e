import { resourceStream } from '@waymark/domain/streams.ts';
import { aFile } from '../../api/pictures.ts';
import { aList, aPinpoint, members } from '../../api/samples.ts';
import { createFixture, type Fixture } from './fixture.ts';
import type { InstanceResponse, Request } from './instance.ts';
import { type Meanwhile, sendWithInterference } from './meanwhile.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

const sendWhile = (request: Request, meanwhile: Meanwhile): Promise<InstanceResponse> =>
  sendWithInterference(installation(), request, meanwhile);
/** Sends a request that must be accepted. */
const send = async (request: Request): Promise<InstanceResponse> => {
  const response = await directOn(installation()).send(request);
  expect(response.status).toBeLessThan(300);
  return response;
};

const adding = ({ account, list }: Fixture, ...pinpoints: readonly number[]): Request => ({
  endpoint: 'POST /lists/:id/pinpoints',
  account,
  id: list,
  body: members(...pinpoints),
  key: 'key',
});

const removing = ({ account, list }: Fixture, ...pinpoints: readonly number[]): Request => ({
  endpoint: 'DELETE /lists/:id/pinpoints',
  account,
  id: list,
  body: members(...pinpoints),
});

const deleting = ({ account }: Fixture, pinpoint: number): Request => ({ endpoint: 'DELETE /pinpoints/:id', account, id: pinpoint });

const renaming = ({ account, list }: Fixture, name: string): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id: list,
  body: aList({ name }),
});

const membersOf = async ({ account, list }: Fixture): Promise<readonly number[]> => {
  const { json } = await send({ endpoint: 'GET /pinpoints', account, query: `?list=${list}` });
  return (json as { results: readonly { id: number }[] }).results.map(({ id }) => id);
};

/** Returns the types of the events in a list's stream, in order. */
const eventsOf = async ({ list }: Fixture): Promise<readonly string[]> =>
  (await installation().log.read(resourceStream('list', list), 0)).map(({ envelope }) => envelope.type);

const appends = { list: /^append list-/, pinpoint: /^append pinpoint-/, claim: /^append request-/ } as const;
/** After a conflict: the run has read the stream and found no event of its own. */
const hasReadBack = /^after read list-/;

const hasLeftResponse = /^after append request-/;

describe('a keyed request that two processes run, one of which is delayed', () => {
  it.each([
    ['next to it', 0],
    ['more than a page of events away', 250],
  ])(
    'does not restore a member that was removed after the other run, whose event is %s',
    async (_, others) => {
      const ground = await createFixture(installation());
      const other = Promise.withResolvers<InstanceResponse>();
      const response = await sendWhile(adding(ground, ground.lasting), [
        [appends.list, () => send(renaming(ground, 'Conflict'))],
        [
          hasReadBack,
          async () => {
            for (let nth = 0; nth < others; nth += 1) await send(renaming(ground, `Renamed ${nth}`));
            other.resolve(await send(adding(ground, ground.lasting)));
            await send(removing(ground, ground.lasting));
          },
        ],
      ]);
      expect(response).toEqual(await other.promise);
      expect(await membersOf(ground)).toEqual([]);
    },
    60_000,
  );

  it('does not restore a member that was removed after the other run, which had nothing to change', async () => {
    const ground = await createFixture(installation());
    const other = Promise.withResolvers<InstanceResponse>();
    const response = await sendWhile(adding(ground, ground.lasting), [
      [appends.list, () => send({ ...adding(ground, ground.lasting), key: 'another-key' })],
      [
        hasReadBack,
        async () => {
          other.resolve(await send(adding(ground, ground.lasting)));
          await send(removing(ground, ground.lasting));
        },
      ],
    ]);
    expect(response).toEqual(await other.promise);
    expect([await membersOf(ground), await eventsOf(ground)]).toEqual([[], ['ListCreated', 'PinpointsAdded', 'PinpointsRemoved']]);
  });

  it('returns the response of the event that the log has kept: which ids could not be added', async () => {
    const ground = await createFixture(installation());
    const request = adding(ground, ground.doomed, ground.lasting);
    const other = Promise.withResolvers<InstanceResponse>();
    const response = await sendWhile(request, [
      [
        appends.list,
        async () => {
          await send(deleting(ground, ground.doomed));
          other.resolve(await send(request));
        },
      ],
    ]);
    expect(response.json).toEqual({ total: 1, errors: [expect.objectContaining({ id: ground.doomed, code: 'not_found' })] });
    expect([await other.promise, await send(request)]).toEqual([response, response]);
  });

  it('returns the response of the event that the log has kept: its file', async () => {
    const { account } = await createFixture(installation());
    const request: Request = { endpoint: 'POST /pinpoints', account, body: aPinpoint({ media_file: await aFile() }), key: 'key' };
    const other = Promise.withResolvers<InstanceResponse>();
    let stream = '';
    const response = await sendWhile(request, [
      [
        appends.pinpoint,
        async (appendedTo) => {
          stream = appendedTo;
          other.resolve(await send(request));
        },
      ],
    ]);
    expect([response.status, await other.promise, await send(request)]).toEqual([201, response, response]);
    const kept = await installation().log.read(stream, 0);
    expect(kept.map(({ content }) => content?.includes(/[0-9a-f]{32}\.[a-z]+/.exec(response.text)?.[0] ?? 'no file'))).toEqual([true]);
  });

  describe('and one of which has nothing to change', () => {
    /** Before the second run both pinpoints are deleted: it can add neither, and the list has not changed. */
    const begin = async () => {
      const ground = await createFixture(installation());
      const undo = async (): Promise<void> => {
        await send(deleting(ground, ground.doomed));
        await send(deleting(ground, ground.lasting));
      };
      return { ground, request: adding(ground, ground.doomed, ground.lasting), undo };
    };

    it('counts as a no-op if its response is in the log before the event', async () => {
      const { ground, request, undo } = await begin();
      const other = Promise.withResolvers<InstanceResponse>();
      const response = await sendWhile(request, [
        [
          appends.list,
          async () => {
            await undo();
            other.resolve(await send(request));
          },
        ],
      ]);
      expect(response.json).toMatchObject({ total: 0, errors: [{ code: 'not_found' }, { code: 'not_found' }] });
      expect([await other.promise, await send(request)]).toEqual([response, response]);
      expect(await eventsOf(ground)).toEqual(['ListCreated', 'PinpointsAdded']);
    });

    it('counts as a no-op if the event comes between its response and the check for the event', async () => {
      const { ground, request, undo } = await begin();
      const [goOn, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = sendWhile(request, [
        [
          appends.list,
          async () => {
            await undo();
            held.resolve();
            await goOn.promise;
          },
        ],
      ]);
      await held.promise;
      const response = await sendWhile(request, [
        [
          hasLeftResponse,
          async () => {
            goOn.resolve();
            await first;
          },
        ],
      ]);
      expect(response.json).toMatchObject({ total: 0, errors: [{ code: 'not_found' }, { code: 'not_found' }] });
      expect([await first, await send(request)]).toEqual([response, response]);
      expect(await eventsOf(ground)).toEqual(['ListCreated', 'PinpointsAdded']);
    });

    it('counts as the event if the event is in the log before the response', async () => {
      const { ground, request, undo } = await begin();
      const [goOn, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = sendWhile(request, [
        [
          appends.list,
          async () => {
            await undo();
            held.resolve();
            await goOn.promise;
          },
        ],
      ]);
      await held.promise;
      const second = sendWhile(request, [
        [
          appends.claim,
          async () => {
            goOn.resolve();
            await first;
          },
        ],
      ]);
      const response = await first;
      expect(response.json).toEqual({ total: 2, errors: [] });
      expect([await second, await send(request)]).toEqual([response, response]);
      expect(await eventsOf(ground)).toEqual(['ListCreated', 'PinpointsAdded']);
    });
  });
});

describe('the claim of a membership request that changes nothing', () => {
  it('is not larger than the ids that were not added, whatever else was sent', async () => {
    const ground = await createFixture(installation());
    const invalid = Array.from({ length: 500 }, () => ({ id: 'x'.repeat(2_000) }));
    const unknown = members(...Array.from({ length: 500 }, (_, nth) => Number.MAX_SAFE_INTEGER - nth));
    const request: Request = { ...adding(ground), body: [...invalid, ...unknown] };
    const before = (await installation().log.state()).head;
    const response = await send(request);
    expect(response.json).toMatchObject({ total: 0, errors: { length: 1_000 } });
    const claims = installation().after(before);
    expect(claims.map(({ envelope }) => envelope.type)).toEqual(['RequestClaimed']);
    expect(claims[0]?.content?.length).toBeLessThan(30_000);
    expect(await send(request)).toEqual(response);
  });
});
