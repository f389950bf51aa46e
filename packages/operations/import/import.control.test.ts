import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accountStream, importStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { AppendUndecided, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { type EventStoreLog, openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { type SomeInstallation, someInstallation } from '../testing/some-export.ts';
import { accountsIn, batch, batchesOf, freeIds } from '../testing/some-target.ts';
import { type Batch, createImporter } from './import.ts';

const pinpoints = 6_000;
const pollEveryMs = 20;
/** Longer than the event store lets an append wait: of the appends in progress, earlier ones may be dropped while later ones are written. */
const frozenMs = 3_000;

describeOn(['eventstore', 'control'], 'an import whose event store fails', () => {
  let directory: string;
  let log: EventStoreLog;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-import-'));
    log = openEventStoreLog({ url: urlOf('eventstore') });
  });
  afterAll(async () => {
    await control('resume', 'eventstore').catch(() => undefined);
    await control('start', 'eventstore');
    await log.close();
    rmSync(directory, { recursive: true });
  });

  it('imports the events of an account in their order, despite undecided appends', async () => {
    const source = await settled(log);
    const media = openDiskMedia({ directory: join(directory, 'media') });
    const to = createImporter({ log, media });
    const manifest = source.manifest({ final: true });
    await to.begin('run', manifest);
    const faults = disturb(log, source.incarnation);
    for (const one of batchesOf(source, 1_000)) await insistently(() => to.addEvents(batch(one) satisfies Batch));
    await faults;
    const ended = await insistently(() => to.end('run', manifest, accountsIn(source)));
    expect(ended).toMatchObject({ equal: true, inOrder: true, ended: true, imported: { events: source.events.length } });
  });
});

/** Creates pinpoints and adds some of them to a list right after they are created. */
const settled = async (log: EventStoreLog): Promise<SomeInstallation> => {
  const source = someInstallation(ownName('source'));
  const account = ownName('account');
  const first = (await freeIds(log)) + 1;
  const list = resourceStream('list', first);
  source.append(accountStream(account), sampleEvents.AccountOpened, account);
  source.append(list, { ...sampleEvents.ListCreated, list: first }, account);
  const fields = { ...sampleEvents.PinpointCreated.fields, media: null };
  for (let pinpoint = first; pinpoint < first + pinpoints; pinpoint += 1) {
    source.append(resourceStream('pinpoint', pinpoint), { ...sampleEvents.PinpointCreated, pinpoint, fields }, account);
    if (pinpoint % 40 === 0) {
      source.append(list, { ...sampleEvents.PinpointsAdded, list: first, pinpoints: [pinpoint], notAdded: [] }, account);
    }
  }
  return source;
};

/** Lets the event store fail in two ways, each time after more events have been imported. */
const disturb = async (log: EventStoreLog, incarnation: string): Promise<void> => {
  const failures = [
    async () => {
      await control('kill', 'eventstore');
      await control('start', 'eventstore');
    },
    async () => {
      await control('pause', 'eventstore');
      await pause(frozenMs);
      await control('resume', 'eventstore');
    },
  ];
  let seen = 0;
  for (const fail of failures) {
    for (;;) {
      const notes = await log.read(importStream(incarnation), 0).catch(() => []);
      if (notes.length > seen + 1) {
        seen = notes.length;
        break;
      }
      await pause(pollEveryMs);
    }
    await fail();
  }
};

const insistently = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LogUnavailable || error instanceof AppendUndecided)) throw error;
      await pause(100);
    }
  }
};
