import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';
import { openPorts, runToEnd, started } from '../../testing/undo-jobs.ts';

const { ListCreated: list } = sampleEvents;
const { account } = list;
/** The limit of the event store. */
const appendBytesMax = 1_048_576;
/** A log that was renewed gives out ids above 1,000,000,000. */
const firstId = 1_000_000_001;
const requests = 5;
const membersOfRequest = 19_900;
/** A bound that only catches hangs. */
const withinMs = 300_000;

it(
  'An undo of a list appends no more at once than the event store accepts, however many members it removes',
  async () => {
    const { record } = recorder();
    const addedBy = (request: number): readonly number[] =>
      Array.from({ length: membersOfRequest }, (_, nth) => firstId + request * membersOfRequest + nth);
    const added = Array.from({ length: requests }, (_, request) => addedBy(request));
    const facts = [list, ...added.map((pinpoints) => ({ type: 'PinpointsAdded', list: list.list, pinpoints, notAdded: [] }) as const)];
    const events = facts.map((fact) => {
      const event = record(account, fact);
      return { ...event, envelope: { ...event.envelope, correlation: fact === list ? 'others' : 'script' } };
    });
    const directory = mkdtempSync(join(tmpdir(), 'waymark-undo-'));
    const { ports, close } = await openPorts(directory, events);
    const sizes: number[] = [];
    const append: EventLog['append'] = (stream, appended, ...order) => {
      sizes.push(appended.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0));
      return ports.log.append(stream, appended, ...order);
    };
    try {
      const lines = await runToEnd({ ...ports, log: { ...ports.log, append } }, await started(ports, account, 'script', false), []);
      expect(lines).toMatchObject([{ object: `list-${list.list}`, outcome: 'undone', revision: 2 * requests }]);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(appendBytesMax);
    } finally {
      await close();
      rmSync(directory, { recursive: true });
    }
  },
  withinMs,
);
