import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withPositions } from '@waymark/checkpoints/testing/rewritten.ts';
import { fillLog } from '@waymark/checkpoints/testing/some-log.ts';
import { signerOf, someNotary } from '@waymark/checkpoints/testing/some-notary.ts';
import { tamperings } from '@waymark/checkpoints/testing/tamperings.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { readEvidence } from '@waymark/checkpoints/verification/evidence.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type EventLog, nextRevision } from '@waymark/event-log/event-log.ts';
import { type EventStoreLog, openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { checkLog } from './check-log.ts';

/** A bound that only catches hangs. */
const patienceMs = 300_000;

/** The event store gives revisions itself, so no stream can have a gap. */
const possible = (Object.keys(tamperings) as (keyof typeof tamperings)[]).filter(
  (kind) => !['an event deleted', 'two events swapped'].includes(kind),
);

describeOn(['eventstore', 'control'], 'the log of a cluster', () => {
  const published = mkdtempSync(join(tmpdir(), 'waymark-checkpoints-'));
  let log: EventStoreLog;
  let original: readonly RecordedEvent[];
  const onEmptyStore = async (): Promise<void> => {
    await log?.close();
    for (const action of ['wipe', 'start'] as const) await control(action, 'eventstore');
    log = openEventStoreLog({ url: urlOf('eventstore') });
  };
  const found = async () => {
    const state = await log.state();
    const keys = async () => [signerOf(state.installation).verifierKey];
    const { evidence } = await readEvidence({ openPlace: () => openPlace(published), keys, firstWithinMs: 0 }, state);
    return checkLog(log, evidence);
  };

  beforeAll(async () => {
    await onEmptyStore();
    const sign = someNotary(log, await openPlace(published));
    await log.state();
    await fillLog(log, sign);
    await sign();
    original = await eventsOf(log);
  }, patienceMs);
  afterAll(async () => {
    await log.close();
    rmSync(published, { recursive: true });
  });

  it('is sound where nobody tampered with it, with erasures', async () => {
    expect(await found()).toMatchObject({ faults: [], unchecked: [], checkpoint: { number: 4, compared: 4, younger: 0 } });
  });

  it(
    'is sound on another store that has the same events',
    async () => {
      await onEmptyStore();
      await appendAgain(log, original);
      expect(await found()).toMatchObject({ faults: [], unchecked: [], checkpoint: { number: 4, compared: 4 } });
    },
    patienceMs,
  );

  it.each(possible)(
    'is not sound after %s',
    async (kind) => {
      await onEmptyStore();
      const at = (stream: string) => original.findIndex((event) => event.stream === stream && event.revision === 1);
      await appendAgain(log, tamperings[kind](original, at('pinpoint-1'), at('pinpoint-3')));
      expect((await found()).faults).not.toEqual([]);
    },
    patienceMs,
  );
});

const eventsOf = async (log: EventLog): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  await scan(log, { after: 0, through: (await log.state()).head }, async (batch) => void events.push(...batch));
  return events;
};

/** Appends events to a store that has none, as an intruder does who puts another log in the place of the first one. Where events name positions,
 * they name the new ones. */
const appendAgain = async ({ append, lastRevisions }: EventLog, events: readonly RecordedEvent[]): Promise<void> => {
  const positions: [before: number, now: number][] = [[0, 0]];
  for (const event of events) {
    const { stream, envelope, salt, content } = withPositions(
      event,
      (named) => positions.findLast(([before]) => before <= named)?.[1] ?? 0,
    );
    const [last = 'none'] = await lastRevisions([stream]);
    const one = salt === null || content === null ? ({ envelope, salt: null, content: null } as const) : { envelope, salt, content };
    const appended = await append(stream, [one], last, { imported: true });
    if (appended.outcome !== 'appended') throw new Error(`${stream} has no place ${nextRevision(last)}.`);
    positions.push([event.position, appended.position]);
  }
};
