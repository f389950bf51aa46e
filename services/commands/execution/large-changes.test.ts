import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import type { Call } from '@waymark/http/call.ts';
import { commandRoutes } from '../app.ts';
import { largeChangeRows, largeChangesWaitingMax } from '../limits.ts';
import type { CommandsOptions } from '../service.ts';
import { openStores } from '../testing/stores.ts';

const { PinpointCreated: created } = sampleEvents;
const { account } = created;
const ids = [1, 2, 3, 4];

const callOf = (id: number, body: object): Call => ({
  request: Object.assign(new IncomingMessage(new Socket()), { headers: { 'content-type': 'application/json' } }),
  body: { read: async () => Buffer.from(JSON.stringify(body)), release: () => undefined },
  url: '',
  access: { account, application: 'app', token: 'token', scopes: ['audit', 'write'] },
  requestId: 'request',
  parameters: { kind: 'pinpoints', id: `${id}` },
});

/** Counts the appends that are in progress at once. */
const counted = (log: EventLog) => {
  let [now, most] = [0, 0];
  const append: EventLog['append'] = async (...given) => {
    now += 1;
    most = Math.max(most, now);
    return log.append(...given).finally(() => {
      now -= 1;
    });
  };
  const takeMost = (): number => {
    const taken = most;
    most = 0;
    return taken;
  };
  return { log: { ...log, append }, takeMost };
};

/** Returns read models in which each pinpoint has happenings. */
const withHappenings = (models: CommandsOptions['models'], happenings: number): CommandsOptions['models'] => ({
  ...models,
  find: async (kind, id) => {
    const document = await models.find(kind, id);
    return document && { ...document, happenings };
  },
});

describe('the deletion and the restoration of pinpoints', () => {
  let directory: string;
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-large-'));
    stores = await openStores(directory);
    for (const id of ids) {
      const fact = { ...created, pinpoint: id, fields: { ...created.fields, media: null } };
      await stores.options.log.append(`pinpoint-${id}`, [sealFact(fact, { account, origin: operators })], 'none');
    }
    await followed();
  });
  afterEach(async () => {
    await stores.close();
    rmSync(directory, { recursive: true });
  });
  const followed = () => stores.options.askHistory({ type: 'restorable', account, stream: 'pinpoint-1', revision: 0 });

  /** Deletes all pinpoints at once, and restores them at once. Returns how many appends were in progress at once, of each. */
  const atOnce = async (happenings: number): Promise<readonly unknown[]> => {
    const { log, takeMost } = counted(stores.options.log);
    const routes = commandRoutes({ ...stores.options, log, models: withHappenings(stores.options.models, happenings) });
    await Promise.all(ids.map(async (id) => routes['DELETE /pinpoints/:id']?.(callOf(id, {}))));
    await followed();
    const deletions = takeMost();
    await Promise.all(ids.map(async (id) => routes['POST /audit/v1/:kind/:id/restore']?.(callOf(id, { revision: 0 }))));
    return [deletions, takeMost()];
  };

  it('are appended one after the other where a pinpoint has many events', async () => {
    expect(await atOnce(largeChangeRows)).toEqual([1, 1]);
  });

  it('are appended together where it has few', async () => {
    expect(await atOnce(largeChangeRows - 1)).toEqual([ids.length, ids.length]);
  });

  it('are refused where too many with many events wait', async () => {
    const models = withHappenings(stores.options.models, largeChangeRows);
    const remove = commandRoutes({ ...stores.options, models })['DELETE /pinpoints/:id'];
    const sent = Array.from({ length: largeChangesWaitingMax + 2 }, async () => remove?.(callOf(1, {})));
    const settled = await Promise.allSettled(sent);
    const statuses = settled.map((one) => (one.status === 'fulfilled' ? one.value?.status : one.reason.status));
    expect(statuses.filter((status) => status === 503)).toHaveLength(1);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  });
});
