import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { readUndoJob } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { noClaim } from '../../idempotency/idempotency.ts';
import { type Commands, createCommands } from '../../service.ts';
import { openStores, type Stores } from '../../testing/stores.ts';
import { accountJobsMax } from './limits.ts';
import { startUndoJob } from './start-job.ts';

const { PinpointCreated: created } = sampleEvents;
const { account } = created;
const hourMs = 60 * 60_000;

describe('an undo of a correlation', () => {
  let directory: string;
  let stores: Stores;
  let commands: Commands;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-undo-'));
    stores = await openStores(directory);
    commands = createCommands(stores.options);
  });
  afterEach(async () => {
    await stores.close();
    rmSync(directory, { recursive: true });
  });

  const changedAt = async (pinpoint: number, ms: number, correlation: string): Promise<void> => {
    const event = sealFact({ ...created, pinpoint }, { account, origin: { ...operators, correlation } });
    const old = { ...event, envelope: { ...event.envelope, time: new Date(ms).toISOString() } };
    await commands.log.append(`pinpoint-${pinpoint}`, [old], 'none', { imported: true });
  };
  const start = (correlation: string, span: { readonly from: string; readonly to: string } | undefined) =>
    startUndoJob(commands, noClaim(operators), { account, correlation, application: null, from: null, to: null, ...span, isDryRun: false });

  it('whose changes are more than 24 hours apart needs a span of time', async () => {
    const firstMs = Date.parse('2026-06-01T08:00:00.000Z');
    await changedAt(1, firstMs, 'long');
    await changedAt(2, firstMs + 24 * hourMs, 'short');
    await changedAt(3, firstMs + 25 * hourMs, 'long');
    await changedAt(4, firstMs + 26 * hourMs, 'short');
    await expect(start('long', undefined)).rejects.toMatchObject({ status: 400, body: { from: [expect.stringContaining('24 hours')] } });
    const span = { from: new Date(firstMs).toISOString(), to: new Date(firstMs + 30 * hourMs).toISOString() };
    const id = await start('long', span);
    expect(await readUndoJob(commands.log, id)).toMatchObject({ isDryRun: false, start: { correlation: 'long', ...span }, end: undefined });
    await start('short', undefined);
  });

  it('is refused while too many jobs of the account have not ended', async () => {
    await changedAt(1, Date.now(), 'import');
    const id = await start('import', undefined);
    for (let open = 1; open < accountJobsMax; open += 1) await start('import', undefined);
    await expect(start('import', undefined)).rejects.toMatchObject({ status: 503 });
    await commands.openUndos.list(id, account, true);
    await start('import', undefined);
  });
});
