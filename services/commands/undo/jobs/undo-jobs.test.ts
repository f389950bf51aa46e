import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { namedMembersMax } from '@waymark/history/reading/undo/undo-questions.ts';
import { createOpenUndos } from '@waymark/history/undo-jobs/open-jobs.ts';
import { readUndoJob } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';
import { openPorts, started } from '../../testing/undo-jobs.ts';
import type { UndoJobPorts } from './ports.ts';
import { runUndoJobs } from './undo-jobs.ts';

const { PinpointCreated: created, ListCreated: list } = sampleEvents;
const logger = { warn: () => undefined, error: () => undefined };
/** A bound that only catches hangs. */
const withinMs = 300_000;

type Tools = { readonly ports: UndoJobPorts; readonly start: (account: string, correlation: string) => Promise<string> };

const withLog = async (events: readonly RecordedEvent[], work: (tools: Tools) => Promise<void>): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-undo-'));
  const { ports, close } = await openPorts(directory, events);
  const open = createOpenUndos(ports.log);
  const start = async (account: string, correlation: string): Promise<string> => {
    const id = await started(ports, account, correlation, true);
    await open.list(id, account, false);
    return id;
  };
  try {
    await work({ ports, start });
  } finally {
    await close();
    rmSync(directory, { recursive: true });
  }
};

const endOf = async ({ log }: UndoJobPorts, id: string) => (await readUndoJob(log, id))?.end;

const ended = async (ports: UndoJobPorts, id: string) => {
  for (;;) {
    const end = await endOf(ports, id);
    if (end !== undefined) return end;
    await pause(10);
  }
};

it(
  'Many long jobs of an account do not keep the job of another account waiting',
  async () => {
    const { record } = recorder();
    const [busy, other] = [randomUUID(), randomUUID()];
    const events = [record(busy, { ...created, account: busy }), record(other, { ...list, account: other })];
    await withLog(events, async ({ ports, start }) => {
      const long = [await start(busy, 'one'), await start(busy, 'two'), await start(busy, 'three')];
      const short = await start(other, 'one');
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const askHistory: UndoJobPorts['askHistory'] = async (question) => {
        if (question.account === busy) await released;
        return ports.askHistory(question);
      };
      const jobs = runUndoJobs({ ...ports, askHistory, isAlone: true, logger });
      try {
        await ended(ports, short);
        expect(await Promise.all(long.map((id) => endOf(ports, id)))).toEqual([undefined, undefined, undefined]);
        release();
        for (const id of long) await ended(ports, id);
      } finally {
        release();
        await jobs.close();
      }
    });
  },
  withinMs,
);

it(
  'A job stops if its changes add and remove more members of a list than the history names in an answer',
  async () => {
    const { record } = recorder();
    const { account } = list;
    const members = Array.from({ length: 1_000 }, (_, nth) => nth + 1);
    const added = { type: 'PinpointsAdded', list: list.list, pinpoints: members, notAdded: [] } as const;
    const removed = { type: 'PinpointsRemoved', list: list.list, pinpoints: members } as const;
    const changes = namedMembersMax / members.length + 1;
    const events = [list, ...Array.from({ length: changes }, (_, nth) => (nth % 2 === 0 ? added : removed))].map((fact) => {
      const event = record(account, fact);
      return { ...event, envelope: { ...event.envelope, correlation: 'script' } };
    });
    await withLog(events, async ({ ports, start }) => {
      const id = await start(account, 'script');
      const jobs = runUndoJobs({ ...ports, isAlone: true, logger });
      expect(await ended(ports, id)).toMatchObject({ outcome: 'stopped', reason: 'too-many-changes' });
      await jobs.close();
    });
  },
  withinMs,
);
