import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { mine, numbers, pinpointCreated, pinpointDeleted } from '@waymark/read-models/testing/facts.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryReads } from '../../history.ts';
import { openSqliteHistory } from '../../sqlite/history.ts';
import { type ExpectedChange, expectedChanges } from '../../testing/expected-changes.ts';
import { answer } from '../answer.ts';
import { answerFully } from '../answer-fully.ts';
import type { ChangesQuestion } from '../questions.ts';
import { changes } from './changes.ts';
import type { ChangesLimits } from './limits.ts';

const newFile = temporaryFiles();

type Line = Pick<ExpectedChange, 'change' | 'revisions'> & {
  readonly object: { readonly kind: string; readonly id: number };
  readonly last: { readonly id: string };
  readonly diff: string | null;
  readonly ended?: Readonly<Record<string, { readonly at_least: number; readonly complete: boolean }>>;
};

const streams: Readonly<Record<string, string>> = { pinpoints: 'pinpoint', lists: 'list', categories: 'category', events: 'happening' };

const streamOf = ({ object: { kind, id } }: Line): string => `${streams[kind]}-${id}`;

const summary = (line: Line): ExpectedChange => {
  const { change, revisions, last, ended } = line;
  const counts = ended && Object.fromEntries(Object.entries(ended).map(([kind, { at_least }]) => [kind, at_least]));
  return { stream: streamOf(line), change, last: last.id, revisions, ...(counts ? { ended: counts } : {}) };
};

type Asked = Pick<ChangesQuestion, 'account' | 'list' | 'limit'> & { readonly from: number; readonly to: number };

/** Returns all lines, page by page; the outcome if there are none. */
const walk = async (reads: HistoryReads, { from, to, ...asked }: Asked, limits?: ChangesLimits): Promise<readonly Line[] | string> => {
  const lines: Line[] = [];
  const [first, second] = [from, to].map((position) => ({ position, event: '' }));
  for (let after: ChangesQuestion['after'] = null; ; ) {
    const range = { from: first ?? '', to: second ?? '' };
    const reply = await changes(reads, { type: 'changes', base: '', ...asked, ...range, after }, limits);
    if (reply.outcome !== 'changes-page') return reply.outcome;
    expect(reply.items.length).toBeLessThanOrEqual(asked.limit);
    lines.push(...reply.items.map((text) => JSON.parse(text) as Line));
    if (reply.next === null) return lines;
    after = reply.next;
  }
};

const using = async (events: readonly RecordedEvent[], use: (reads: HistoryReads) => Promise<void>, isCleaned = false): Promise<void> => {
  const history = openSqliteHistory(newFile());
  await applyAll(history.apply, events);
  while (isCleaned && (await history.clean()));
  await history.read(use);
  await history.close();
};

/** Positions of the account's events, and the beginning. */
const positionsOf = (events: readonly RecordedEvent[], account: string, picks: readonly number[]): readonly [number, number] => {
  const own = [0, ...events.filter(({ envelope }) => envelope.account === account).map(({ position }) => position)];
  const [from = 0, to = 0] = picks.map((pick) => own[pick % own.length] ?? 0).sort((one, other) => one - other);
  return [from, to];
};

const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 2, maxLength: 2 });
const limit = fc.integer({ min: 1, max: 6 });
/** Limits so small that a page ends early, and that each way is taken. */
const smallLimits = fc.record({
  together: fc.integer({ min: 1, max: 5 }),
  readsMax: fc.integer({ min: 1, max: 60 }),
  membersMax: fc.constantFrom(0, 2, 1_000),
});

const lists = [1, 2, 3, 4];

describe('the changes between two moments', () => {
  it('are what differs between two folds of the log, each once, the newest first, page by page', async () => {
    const property = fc.asyncProperty(
      histories({ minLength: 20, maxLength: 120 }),
      fc.array(picks, { minLength: 3, maxLength: 3 }),
      limit,
      smallLimits,
      ({ events }, ranges, few, limits) =>
        using(events, async (reads) => {
          const expected = expectedChanges(events);
          for (const account of accounts) {
            for (const [from, to] of ranges.map((range) => positionsOf(events, account, range))) {
              const asked = { account, from, to, list: null, limit: few };
              const lines = await walk(reads, asked, limits);
              if (typeof lines === 'string') throw new Error(lines);
              expect(lines.map(summary)).toEqual(expected.objects(account, from, to));
              for (const line of lines) await checkDiff(reads, account, line);
            }
          }
        }),
    );
    await fc.assert(property, { numRuns: 100, endOnFailure: true });
  });

  it('of a list are those of its members, whichever way they are found', async () => {
    const property = fc.asyncProperty(
      histories({ minLength: 40, maxLength: 120 }),
      fc.array(picks, { minLength: 2, maxLength: 2 }),
      limit,
      smallLimits,
      ({ events }, ranges, few, limits) =>
        using(events, async (reads) => {
          const expected = expectedChanges(events);
          for (const list of lists) {
            const account = events.find(({ stream }) => stream === `list-${list}`)?.envelope.account;
            if (account === undefined) continue;
            for (const [from, to] of ranges.map((range) => positionsOf(events, account, range))) {
              for (const some of [limits, undefined]) {
                const lines = await walk(reads, { account, from, to, list, limit: few }, some);
                if (typeof lines === 'string') throw new Error(lines);
                expect(lines.map(summary)).toEqual(expected.membersOf(`list-${list}`, from, to));
              }
            }
          }
        }),
    );
    await fc.assert(property, { numRuns: 100, endOnFailure: true });
  });

  it('are read on where a page ended early without a line, after many changes of an object that came and went', async () => {
    const { record } = recorder();
    const edit = (nth: number): DomainEvent => ({ ...sampleEvents.PinpointEdited, pinpoint: 2, fields: { name: `Name ${nth}` } });
    const facts = [pinpointCreated(1), pinpointCreated(2), ...numbers(1, 4_500).map(edit), pinpointDeleted(2)];
    const history = openSqliteHistory(newFile());
    const events = facts.map((fact) => record(mine, fact));
    await applyAll(history.apply, events, [1_000]);
    const range = { from: { position: 0, event: '' }, to: { position: events.at(-1)?.position ?? 0, event: '' } };
    const question = { type: 'changes', account: mine, base: '', ...range, list: null, after: null, limit: 20 } as const;
    const part = await history.read((reads) => answer(reads, question));
    expect(part).toMatchObject({ outcome: 'changes-page', items: [], next: { position: expect.any(Number) } });
    const reply = await answerFully(history, question);
    expect(reply).toMatchObject({ outcome: 'changes-page', items: [expect.stringContaining('"added"')], next: null });
    await history.close();
  });

  it('after an erasure still have each object; a list of a time before its erasure is gone', async () => {
    const property = fc.asyncProperty(
      erasures({ minLength: 30, maxLength: 100 }),
      fc.array(picks, { minLength: 2, maxLength: 2 }),
      fc.boolean(),
      ({ written, left }, ranges, isCleaned) =>
        using(
          isCleaned ? written : left,
          async (reads) => {
            const expected = expectedChanges(written);
            for (const account of accounts) {
              for (const [from, to] of ranges.map((range) => positionsOf(written, account, range))) {
                const lines = await walk(reads, { account, from, to, list: null, limit: 3 });
                if (typeof lines === 'string') throw new Error(lines);
                expect(lines.map(withoutEnded)).toEqual(expected.objects(account, from, to).map(withoutEndedCounts));
                for (const line of lines) await checkDiff(reads, account, line);
                for (const list of lists) await checkErasedList(reads, expected, { account, from, to, list, limit: 3 });
              }
            }
          },
          isCleaned,
        ),
    );
    await fc.assert(property, { numRuns: 60, endOnFailure: true });
  });
});

const withoutEndedCounts = ({ ended: _, ...rest }: ExpectedChange): ExpectedChange => rest;
const withoutEnded = (line: Line): ExpectedChange => withoutEndedCounts(summary(line));

/** A line links to a difference exactly where there is one. A happening also has to be seen at both moments. */
const checkDiff = async (reads: HistoryReads, account: string, line: Line): Promise<void> => {
  const { from, to } = line.revisions;
  const stream = streamOf(line);
  const question = { type: 'diff', account, stream, base: '', from: from ?? -1, to, beyond: 0, limit: 1 } as const;
  const { outcome } = await answer(reads, question);
  const isSeen = line.object.kind !== 'events' || line.change === 'changed';
  const isThere = (outcome === 'found' || outcome === 'part') && from !== to && isSeen;
  expect([stream, from, to, line.diff !== null]).toEqual([stream, from, to, isThere]);
};

const checkErasedList = async (
  reads: HistoryReads,
  expected: ReturnType<typeof expectedChanges>,
  asked: Asked & { readonly list: number },
): Promise<void> => {
  const stream = `list-${asked.list}`;
  const owner = (await reads.lastEntries([stream], Number.MAX_SAFE_INTEGER - 1)).get(stream)?.account;
  const mark = await reads.erased(stream);
  const lines = await walk(reads, asked);
  if (owner === undefined) expect(lines).toBe('not-found');
  else if (owner !== asked.account) expect(lines).toBe('forbidden');
  else if (mark && asked.from < mark.position) expect(lines).toBe('erased');
  else if (typeof lines === 'string') throw new Error(lines);
  else expect(lines.map(withoutEnded)).toEqual(expected.membersOf(stream, asked.from, asked.to).map(withoutEndedCounts));
};
