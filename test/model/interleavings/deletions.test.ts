import fc, { type Scheduler } from 'fast-check';
import { anEvent, aPinpoint, members } from '../../api/samples.ts';
import type { Page } from '../../api/session.ts';
import { parameters, testMs, within } from '../parameters.ts';
import { createFixture, type Fixture } from './fixture.ts';
import type { Instance, InstanceResponse, Request } from './instance.ts';
import { createMortalProcess, directOn, immortal } from './process.ts';
import { stageOn } from './stage.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

const runs = 60;
const withinMs = 20_000;

/** Requests that run concurrently with the deletion of a pinpoint, named by what they do. */
const acts: Readonly<Record<string, (ground: Fixture) => Request>> = {
  'adds it to a list': ({ account, list, doomed, lasting }) => ({
    endpoint: 'POST /lists/:id/pinpoints',
    account,
    id: list,
    body: members(doomed, lasting),
  }),
  'adds it again, with a key': ({ account, list, doomed }) => ({
    endpoint: 'POST /lists/:id/pinpoints',
    account,
    id: list,
    body: members(doomed),
    key: 'once',
  }),
  'removes it from a list': ({ account, fullList, doomed }) => ({
    endpoint: 'DELETE /lists/:id/pinpoints',
    account,
    id: fullList,
    body: members(doomed),
  }),
  'adds it where it was': ({ account, fullList, doomed }) => ({
    endpoint: 'POST /lists/:id/pinpoints',
    account,
    id: fullList,
    body: members(doomed),
  }),
  'makes an event at it': ({ account, doomed }) => ({ endpoint: 'POST /events', account, body: anEvent(doomed) }),
  'makes an event at it, with a key': ({ account, doomed }) => ({ endpoint: 'POST /events', account, body: anEvent(doomed), key: 'once' }),
  'moves an event to it': ({ account, moving, doomed }) => ({ endpoint: 'PUT /events/:id', account, id: moving, body: anEvent(doomed) }),
  'moves an event away from it': ({ account, event, lasting }) => ({
    endpoint: 'PUT /events/:id',
    account,
    id: event,
    body: anEvent(lasting),
  }),
  'renames its event': ({ account, event, doomed }) => ({
    endpoint: 'PUT /events/:id',
    account,
    id: event,
    body: anEvent(doomed, { name: 'Renamed' }),
  }),
  'deletes its event': ({ account, event }) => ({ endpoint: 'DELETE /events/:id', account, id: event }),
  'renames it': ({ account, doomed }) => ({ endpoint: 'PUT /pinpoints/:id', account, id: doomed, body: aPinpoint({ name: 'Renamed' }) }),
  'deletes the list': ({ account, list }) => ({ endpoint: 'DELETE /lists/:id', account, id: list }),
};

type Seen = { readonly pinpoints: readonly number[]; readonly events: readonly { readonly id: number; readonly pinpoint: number }[] };

/** Reads everything that a reader can find at one moment, and checks that it is consistent. */
const look = async ({ send }: Instance, { account, doomed, list, fullList }: Fixture): Promise<Seen & { readonly atDoomed: number[] }> => {
  const results = async (endpoint: Request['endpoint'], query: string) => ((await send({ endpoint, account, query })).json as Page).results;
  const all = (await results('GET /pinpoints', '?limit=500')).map(({ id }) => id);
  const inLists = [...(await results('GET /pinpoints', `?list=${list}`)), ...(await results('GET /pinpoints', `?list=${fullList}`))];
  const events = (await results('GET /events', '?limit=500')).map(({ id, pinpoint }) => ({ id, pinpoint: Number(pinpoint) }));
  const atDoomed = (await results('GET /events', `?pinpoint=${doomed}`)).map(({ id }) => id);
  expect(inLists.map(({ id }) => id).filter((id) => !all.includes(id))).toEqual([]);
  expect(events.filter(({ pinpoint }) => !all.includes(pinpoint))).toEqual([]);
  expect(atDoomed).toEqual(events.filter(({ pinpoint }) => pinpoint === doomed).map(({ id }) => id));
  return { pinpoints: all, events, atDoomed };
};

/** Checks a response. The deletion always succeeds. The others succeed if they came before it or did not need the pinpoint. */
const allowed = (what: string, { status, text }: InstanceResponse): void => {
  if (status === 404 || status === 412) expect(text).toContain('detail');
  else if (status === 400) expect(text).toContain('object does not exist');
  else expect([what, [200, 201, 204].includes(status)]).toEqual([what, true]);
};

const race = async (scheduler: Scheduler, names: readonly string[]): Promise<void> => {
  const ground = await createFixture(installation());
  const { account, doomed, lasting } = ground;
  const reader = directOn(installation());
  let isDeleted = false;
  const stage = stageOn(scheduler, installation(), async () => {
    const { pinpoints, atDoomed } = await look(reader, ground);
    expect(pinpoints).toContain(lasting);
    if (isDeleted) expect([pinpoints.includes(doomed), atDoomed]).toEqual([false, []]);
  });
  const processes = [createMortalProcess(installation(), immortal, stage), createMortalProcess(installation(), immortal, stage)] as const;
  const others = names.map((name, nth) => async () => {
    const response = await processes[nth % 2 === 0 ? 0 : 1].send(acts[name]?.(ground) ?? { endpoint: 'GET /lists', account });
    if (response) allowed(name, response);
  });
  await stage.run([
    async () => {
      const response = await processes[0].send({ endpoint: 'DELETE /pinpoints/:id', account, id: doomed });
      expect(response?.status).toBe(204);
      isDeleted = true;
    },
    ...others,
  ]);
  const { pinpoints, atDoomed } = await look(reader, ground);
  expect([pinpoints, atDoomed]).toEqual([[lasting], []]);
  expect((await reader.send({ endpoint: 'GET /pinpoints/:id', account, id: doomed })).status).toBe(404);
};

describe('a pinpoint that is deleted while other requests use it', () => {
  it(
    'is seen by no reader afterwards, and its memberships and events are never seen without it, in any interleaving',
    async () => {
      const names = fc.subarray(Object.keys(acts), { minLength: 2, maxLength: 6 });
      await fc.assert(fc.asyncProperty(fc.scheduler(), names, within(withinMs, race)), parameters(runs));
    },
    testMs,
  );
});
