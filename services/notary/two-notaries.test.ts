import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CheckpointPlace } from '@waymark/checkpoints/place.ts';
import { openSqliteRecord } from '@waymark/checkpoints/sqlite/record.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import type { NotaryPorts } from './ports.ts';
import { checkedCheckpoints, type SomeInstallation, settled, someInstallation, until } from './testing/some-notary.ts';

const another = 'info: the notary reads the log again: Another notary has signed a checkpoint.';

describe('two notaries', () => {
  let installation: SomeInstallation;
  beforeEach(async () => {
    installation = await someInstallation();
    await installation.write('one', 3);
    await installation.sign();
  });
  afterEach(() => installation.close());

  const errors = (): readonly string[] => installation.logged.filter((line) => line.startsWith('error'));
  /** Lets the other notary sign. */
  const signMore = async (): Promise<void> => {
    await installation.write('one');
    await installation.sign();
  };
  /** Returns the ports of a notary that reads what the log has now, and reads more only once it is released. */
  const held = async (): Promise<{ readonly ports: Partial<NotaryPorts>; readonly release: () => void }> => {
    const log = installation.log();
    const { head } = await log.state();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const subscribe: NotaryPorts['log']['subscribe'] = (after, handle, signal) =>
      log.subscribe(
        after,
        async (events) => {
          await handle(events.filter(({ position }) => position <= head));
          const later = events.filter(({ position }) => position > head);
          if (later.length > 0) await Promise.race([released, once(signal, 'abort')]);
          if (!signal.aborted) await handle(later);
        },
        signal,
      );
    return { ports: { log: { ...log, subscribe } }, release };
  };

  it('at once give one tree', async () => {
    const others = { openRecord: installation.ports().openRecord };
    const notaries = [installation.start({ intervalMs: 15 }), installation.start({ ...others, intervalMs: 20 })];
    for (let nth = 0; nth < 40; nth += 1) {
      await installation.write(`account-${nth % 3}`);
      await pause(10);
    }
    for (const notary of notaries) await notary.close();
    const all = await checkedCheckpoints(installation.log());
    expect(all.map(({ checkpoint }) => checkpoint.number)).toEqual(all.map((_, index) => index + 1));
    expect(all.length).toBeGreaterThan(5);
    expect(errors()).toEqual([]);
    await installation.write('one');
    expect(await installation.sign()).toMatchObject({ state: 'signing', number: all.length + 1 });
  });

  it('raise no alarm where the other one has published what this one has not read yet', async () => {
    const { ports } = await held();
    await settled(installation.start(ports));
    await signMore();
    await until(() => installation.logged.includes(another));
    expect(errors()).toEqual([]);
  });

  it('raise no alarm where the other one has appended the first checkpoint, and publishes it while this one starts', async () => {
    const fresh = await someInstallation();
    try {
      await fresh.write('one');
      const { promise: read, resolve: hasRead } = Promise.withResolvers<void>();
      const openPlaceWith = (changes: (opened: CheckpointPlace) => Partial<CheckpointPlace>): NotaryPorts['openPlace'] => {
        return async () => {
          const opened = await openPlace(fresh.files.place);
          return { ...opened, ...changes(opened) };
        };
      };
      const publishesLate = openPlaceWith(({ publish }) => ({
        publish: async (...parameters) => {
          await read;
          await publish(...parameters);
        },
      }));
      const tellsWhenRead = openPlaceWith(({ latest }) => ({
        latest: async (...parameters) => {
          const found = await latest(...parameters);
          hasRead();
          return found;
        },
      }));
      const other = { openRecord: () => openSqliteRecord(join(fresh.folder, 'other.db')) };
      fresh.start({ ...other, intervalMs: 60_000, openPlace: publishesLate });
      await until(async () => (await fresh.log().lastRevisions([checkpointsStream]))[0] === 0);
      await settled(fresh.start({ openPlace: tellsWhenRead }));
      expect(fresh.logged.filter((line) => line.startsWith('error'))).toEqual([]);
    } finally {
      await fresh.close();
    }
  });

  it('raise no alarm where the other one signs while this one starts', async () => {
    const { ports, release } = await held();
    let times = 0;
    const place: NotaryPorts['openPlace'] = async () => {
      const opened = await openPlace(installation.files.place);
      const latest: typeof opened.latest = async (...parameters) => {
        times += 1;
        if (times === 1) await signMore();
        return opened.latest(...parameters);
      };
      return { ...opened, latest };
    };
    const notary = installation.start({ ...ports, openPlace: place });
    await pause(200);
    expect(notary.status().state).toBe('reading');
    expect(errors()).toEqual([]);
    release();
    await until(() => installation.logged.includes(another));
    expect(errors()).toEqual([]);
  });
});
