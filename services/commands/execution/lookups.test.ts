import type { DomainEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { type EventLog, readEventsMax } from '@waymark/event-log/event-log.ts';
import { added, listCreated, listDeleted, mine } from '@waymark/read-models/testing/facts.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';
import { ownerInLog } from './lookups.ts';

const { ListMembersRestated, ListRedacted } = sampleEvents;

/** Returns a log that has only these events, of one list. */
const logOf = (...facts: readonly DomainEvent[]): EventLog => {
  const { record } = recorder();
  const events = facts.map((fact) => record(mine, fact));
  const log: Pick<EventLog, 'lastRevisions' | 'read'> = {
    lastRevisions: async (streams) => streams.map(() => events.at(-1)?.revision ?? 'none'),
    read: async (_, from) => events.slice(from, from + readEventsMax),
  };
  return log as EventLog;
};

const pieces = (count: number): readonly DomainEvent[] =>
  Array.from({ length: count }, () => ({ ...ListMembersRestated, list: 1, members: [1] }));

describe('The owner of an object in the log', () => {
  it('is the account of a list that is present', async () => {
    expect(await ownerInLog(logOf(listCreated(1), added(1, 1)), 'list', 1)).toBe(mine);
    expect(await ownerInLog(logOf(), 'list', 1)).toBeUndefined();
    expect(await ownerInLog(logOf(listCreated(1), listDeleted(1)), 'list', 1)).toBeUndefined();
  });

  it.each([1, 199, 200, 450])('does not depend on an erasure that has not ended, after %d pieces', async (count) => {
    expect(await ownerInLog(logOf(listCreated(1), added(1, 1), ...pieces(count)), 'list', 1)).toBe(mine);
    expect(await ownerInLog(logOf(listCreated(1), added(1, 1), listDeleted(1), ...pieces(count)), 'list', 1)).toBeUndefined();
  });

  it('is the account of an erased list, unless the list is deleted', async () => {
    const erased = (fields: typeof ListRedacted.fields) => logOf(...pieces(1), { ...ListRedacted, account: mine, list: 1, fields });
    expect(await ownerInLog(erased(ListRedacted.fields), 'list', 1)).toBe(mine);
    expect(await ownerInLog(erased(null), 'list', 1)).toBeUndefined();
  });
});
