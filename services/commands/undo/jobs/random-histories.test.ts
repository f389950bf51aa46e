import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { UndoLine } from '@waymark/domain/undo/events.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import fc from 'fast-check';
import { openPorts, runToEnd, started } from '../../testing/undo-jobs.ts';

const runs = Number(process.env['WAYMARK_UNDO_HISTORIES'] ?? 100);
/** A bound that only catches hangs. */
const withinMs = 600_000;

const correlations = ['import', 'script', 'editor'];

const withoutRevisions = (lines: readonly UndoLine[]) =>
  lines.map((line) => ({ ...line, revision: null })).sort((one, other) => (one.object < other.object ? -1 : 1));

describe('an undo job over random histories', () => {
  it(
    'reports the same as its dry run, also if it is interrupted, and changes nothing twice',
    async () => {
      const outcomes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          histories({ minLength: 10, maxLength: 60, apart: true }),
          fc.array(fc.nat({ max: 2 }), { minLength: 60, maxLength: 60 }),
          fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
          async ({ events }, origins, failAfter) => {
            const whole = events.filter(({ stream }) => !events.some((event) => event.stream === stream && event.content === null));
            const written = whole.map((event, nth) => {
              const correlation = correlations[origins[nth % origins.length] ?? 0] ?? '';
              return { ...event, envelope: { ...event.envelope, correlation } };
            });
            const directory = mkdtempSync(join(tmpdir(), 'waymark-undo-'));
            const { ports, close } = await openPorts(directory, written);
            try {
              for (const account of accounts) {
                if (!written.some(({ envelope }) => envelope.account === account)) continue;
                const dryRun = await runToEnd(ports, await started(ports, account, 'import', true), failAfter);
                const id = await started(ports, account, 'import', false);
                const lines = await runToEnd(ports, id, failAfter);
                expect(withoutRevisions(lines)).toEqual(withoutRevisions(dryRun));
                for (const { outcome, reason, object, revision } of lines) {
                  outcomes.add(reason ?? outcome);
                  const byJob = (await ports.log.read(object, 0)).filter(({ envelope }) => envelope.cause === id);
                  expect(byJob.at(-1)?.revision ?? null).toBe(revision);
                  if (resourceOfStream(object)?.resource !== 'list') expect(byJob.length).toBeLessThanOrEqual(1);
                }
              }
            } finally {
              await close();
              rmSync(directory, { recursive: true });
            }
          },
        ),
        { numRuns: runs, endOnFailure: true },
      );
      expect([...outcomes]).toEqual(expect.arrayContaining(['undone', 'changed-since', 'deleted-since', 'in-use', 'never-deleted']));
    },
    withinMs,
  );
});
