import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withNewPositions } from '@waymark/checkpoints/testing/rewritten.ts';
import { fillLog } from '@waymark/checkpoints/testing/some-log.ts';
import { signerOf, someNotary } from '@waymark/checkpoints/testing/some-notary.ts';
import { tamperings } from '@waymark/checkpoints/testing/tamperings.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { readEvidence } from '@waymark/checkpoints/verification/evidence.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { checkLog } from './check-log.ts';
import { nameImport } from './import/unfinished.ts';
import { logOfEvents } from './testing/log-of-events.ts';

const root = mkdtempSync(join(tmpdir(), 'waymark-check-log-'));
const published = join(root, 'published');
let state: LogState;
let events: readonly RecordedEvent[];
/** The event that names an unfinished import. */
let naming: RecordedEvent;

beforeAll(async () => {
  mkdirSync(published);
  const log = await openSqliteEventLog({ file: join(root, 'log.db') });
  const sign = someNotary(log, await openPlace(published));
  await fillLog(log, sign);
  await sign();
  state = await log.state();
  const all: RecordedEvent[] = [];
  await scan(log, { after: 0, through: state.head }, async (batch) => void all.push(...batch));
  events = all;
  await nameImport(log, 'somewhere');
  [naming] = (await log.read('imports', 0)) as [RecordedEvent];
  await log.close();
});
afterAll(() => rmSync(root, { recursive: true }));

const found = async (changed: readonly RecordedEvent[]) => {
  const source = { openPlace: () => openPlace(published), keys: async () => [signerOf(state.installation).verifierKey], firstWithinMs: 0 };
  const { evidence } = await readEvidence(source, state);
  return checkLog(logOfEvents(withNewPositions(changed), state), evidence);
};

const at = (stream: string, revision: number): number => events.findIndex((one) => one.stream === stream && one.revision === revision);
const tampered = (kind: keyof typeof tamperings): readonly RecordedEvent[] =>
  tamperings[kind](events, at('pinpoint-1', 1), at('pinpoint-3', 1));

describe('the check of a log', () => {
  it('finds nothing in a log that nobody tampered with, with erasures', async () => {
    expect(await found(events)).toMatchObject({ faults: [], unchecked: [], checkpoint: { number: 4, compared: 4, younger: 0 } });
  });

  it.each(Object.keys(tamperings) as (keyof typeof tamperings)[])('finds %s', async (kind) => {
    expect((await found(tampered(kind))).faults).not.toEqual([]);
  });

  it('finds that the first events of a stream are missing', async () => {
    const { faults } = await found(events.filter(({ stream, revision }) => stream !== 'pinpoint-1' || revision > 0));
    expect(faults).toContain('pinpoint-1, revision 1: the revisions before it are missing.');
  });

  it('does not know whether an erasure is still to come while an import runs', async () => {
    const changed = tampered('a content removed, with all before it');
    const { faults, unchecked } = await found([...changed, naming]);
    expect([faults, unchecked]).toEqual([[], [expect.stringMatching(/^pinpoint-1: the contents of the first 2 events are missing/)]]);
    expect((await found(changed)).faults).toHaveLength(1);
  });

  it('compares no checkpoints in a log with too many other faults', async () => {
    const many = events.flatMap((event) => (event.stream === 'pinpoint-1' ? Array.from({ length: 40 }, () => event) : [event]));
    const { unchecked, checkpoint } = await found(many);
    expect(unchecked).toEqual(['The log was not compared with checkpoints: it has too many other faults.']);
    expect(checkpoint).toBeNull();
  });
});
