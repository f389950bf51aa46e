import { resourceStream } from '@waymark/domain/streams.ts';
import { aFile } from '../../api/pictures.ts';
import { aList, aPinpoint, members } from '../../api/samples.ts';
import { type Ground, groundIn } from './ground.ts';
import type { Request, Told } from './instance.ts';
import { type Meanwhile, sendWhileOn } from './meanwhile.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const world = useInstallation();

const sendWhile = (request: Request, meanwhile: Meanwhile): Promise<Told> => sendWhileOn(world(), request, meanwhile);
/** Sends a request that must be accepted. */
const send = async (request: Request): Promise<Told> => {
  const told = await directOn(world()).send(request);
  expect(told.status).toBeLessThan(300);
  return told;
};

const adding = ({ account, list }: Ground, ...pinpoints: readonly number[]): Request => ({
  endpoint: 'POST /lists/:id/pinpoints',
  account,
  id: list,
  body: members(...pinpoints),
  key: 'key',
});

const removing = ({ account, list }: Ground, ...pinpoints: readonly number[]): Request => ({
  endpoint: 'DELETE /lists/:id/pinpoints',
  account,
  id: list,
  body: members(...pinpoints),
});

const deleting = ({ account }: Ground, pinpoint: number): Request => ({ endpoint: 'DELETE /pinpoints/:id', account, id: pinpoint });

const renaming = ({ account, list }: Ground, name: string): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id: list,
  body: aList({ name }),
});

const membersOf = async ({ account, list }: Ground): Promise<readonly number[]> => {
  const { json } = await send({ endpoint: 'GET /pinpoints', account, query: `?list=${list}` });
  return (json as { results: readonly { id: number }[] }).results.map(({ id }) => id);
};

/** Returns the types of the events in a list's stream, in order. */
const eventsOf = async ({ list }: Ground): Promise<readonly string[]> =>
  (await world().log.read(resourceStream('list', list), 0)).map(({ envelope }) => envelope.type);

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
      const ground = await groundIn(world());
      const other = Promise.withResolvers<Told>();
      const told = await sendWhile(adding(ground, ground.lasting), [
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
      expect(told).toEqual(await other.promise);
      expect(await membersOf(ground)).toEqual([]);
    },
    60_000,
  );

  it('does not restore a member that was removed after the other run, which had nothing to change', async () => {
    const ground = await groundIn(world());
    const other = Promise.withResolvers<Told>();
    const told = await sendWhile(adding(ground, ground.lasting), [
      [appends.list, () => send({ ...adding(ground, ground.lasting), key: 'another-key' })],
      [
        hasReadBack,
        async () => {
          other.resolve(await send(adding(ground, ground.lasting)));
          await send(removing(ground, ground.lasting));
        },
      ],
    ]);
    expect(told).toEqual(await other.promise);
    expect([await membersOf(ground), await eventsOf(ground)]).toEqual([[], ['ListCreated', 'PinpointsAdded', 'PinpointsRemoved']]);
  });

  it('returns the response of the event that the log has kept: which ids could not be added', async () => {
    const ground = await groundIn(world());
    const request = adding(ground, ground.doomed, ground.lasting);
    const other = Promise.withResolvers<Told>();
    const told = await sendWhile(request, [
      [
        appends.list,
        async () => {
          await send(deleting(ground, ground.doomed));
          other.resolve(await send(request));
        },
      ],
    ]);
    expect(told.json).toEqual({ total: 1, errors: [expect.objectContaining({ id: ground.doomed, code: 'not_found' })] });
    expect([await other.promise, await send(request)]).toEqual([told, told]);
  });

  it('returns the response of the event that the log has kept: its file', async () => {
    const { account } = await groundIn(world());
    const request: Request = { endpoint: 'POST /pinpoints', account, body: aPinpoint({ media_file: await aFile() }), key: 'key' };
    const other = Promise.withResolvers<Told>();
    let stream = '';
    const told = await sendWhile(request, [
      [
        appends.pinpoint,
        async (appendedTo) => {
          stream = appendedTo;
          other.resolve(await send(request));
        },
      ],
    ]);
    expect([told.status, await other.promise, await send(request)]).toEqual([201, told, told]);
    const kept = await world().log.read(stream, 0);
    expect(kept.map(({ content }) => content?.includes(/[0-9a-f]{32}\.[a-z]+/.exec(told.text)?.[0] ?? 'no file'))).toEqual([true]);
  });

  describe('and one of which has nothing to change', () => {
    /** Before the second run both pinpoints are deleted: it can add neither, and the list has not changed. */
    const begin = async () => {
      const ground = await groundIn(world());
      const undo = async (): Promise<void> => {
        await send(deleting(ground, ground.doomed));
        await send(deleting(ground, ground.lasting));
      };
      return { ground, request: adding(ground, ground.doomed, ground.lasting), undo };
    };

    it('counts as a no-op if its response is in the log before the event', async () => {
      const { ground, request, undo } = await begin();
      const other = Promise.withResolvers<Told>();
      const told = await sendWhile(request, [
        [
          appends.list,
          async () => {
            await undo();
            other.resolve(await send(request));
          },
        ],
      ]);
      expect(told.json).toMatchObject({ total: 0, errors: [{ code: 'not_found' }, { code: 'not_found' }] });
      expect([await other.promise, await send(request)]).toEqual([told, told]);
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
      const told = await sendWhile(request, [
        [
          hasLeftResponse,
          async () => {
            goOn.resolve();
            await first;
          },
        ],
      ]);
      expect(told.json).toMatchObject({ total: 0, errors: [{ code: 'not_found' }, { code: 'not_found' }] });
      expect([await first, await send(request)]).toEqual([told, told]);
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
      const told = await first;
      expect(told.json).toEqual({ total: 2, errors: [] });
      expect([await second, await send(request)]).toEqual([told, told]);
      expect(await eventsOf(ground)).toEqual(['ListCreated', 'PinpointsAdded']);
    });
  });
});

describe('the claim of a membership request that changes nothing', () => {
  it('is not larger than the ids that were not added, whatever else was sent', async () => {
    const ground = await groundIn(world());
    const invalid = Array.from({ length: 500 }, () => ({ id: 'x'.repeat(2_000) }));
    const unknown = members(...Array.from({ length: 500 }, (_, nth) => Number.MAX_SAFE_INTEGER - nth));
    const request: Request = { ...adding(ground), body: [...invalid, ...unknown] };
    const before = (await world().log.state()).head;
    const told = await send(request);
    expect(told.json).toMatchObject({ total: 0, errors: { length: 1_000 } });
    const claims = world().after(before);
    expect(claims.map(({ envelope }) => envelope.type)).toEqual(['RequestClaimed']);
    expect(claims[0]?.content?.length).toBeLessThan(30_000);
    expect(await send(request)).toEqual(told);
  });
});
