import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';
import { openPorts, runToEnd, started } from '../../testing/undo-jobs.ts';

const { PinpointCreated: created, ListCreated: list } = sampleEvents;
const { account } = created;
/** More members than one query looks up, and more edits than one query of the history reads. */
const members = 1_100;
const edits = Number(process.env['WAYMARK_UNDO_EDITS'] ?? 1_500);
/** A bound that only catches hangs. */
const withinMs = 600_000;

it(
  'An undo takes back many changes of an object: members with one event for each request, fields with one event',
  async () => {
    const { record } = recorder();
    const by = (correlation: string, fact: DomainEvent): RecordedEvent => {
      const event = record(account, fact);
      return { ...event, envelope: { ...event.envelope, correlation } };
    };
    const ids = Array.from({ length: members }, (_, nth) => nth + 1);
    const [half, rest] = [ids.slice(0, members / 2), ids.slice(members / 2)];
    const events = [
      ...ids.map((pinpoint) => by('others', { ...created, pinpoint })),
      by('others', { ...list, list: 7 }),
      by('script', { type: 'PinpointsAdded', list: 7, pinpoints: half, notAdded: [] }),
      by('script', { type: 'PinpointsAdded', list: 7, pinpoints: rest, notAdded: [] }),
      ...Array.from({ length: edits }, (_, nth) => by('script', { type: 'PinpointEdited', pinpoint: 1, fields: { name: `Name ${nth}` } })),
    ];
    const directory = mkdtempSync(join(tmpdir(), 'waymark-undo-'));
    const { ports, close } = await openPorts(directory, events);
    try {
      const lines = await runToEnd(ports, await started(ports, account, 'script', false), []);
      expect(lines.map(({ object, outcome, revision }) => [object, outcome, revision])).toEqual([
        ['pinpoint-1', 'undone', edits + 1],
        ['list-7', 'undone', 4],
      ]);
      const removed = (await ports.log.read('list-7', 3)).map(({ content }) => JSON.parse(content ?? '{}').pinpoints);
      expect(removed).toEqual([half, rest]);
      const [undone] = await ports.log.read('pinpoint-1', edits + 1);
      expect(JSON.parse(undone?.content ?? '{}').fields).toEqual({ name: created.fields.name });
    } finally {
      await close();
      rmSync(directory, { recursive: true });
    }
  },
  withinMs,
);
