import type { AccountStates } from './account-states.ts';
import { described, type Entry, type Read, type Seen } from './history.ts';
import { factRanges, type Operation } from './operations.ts';

type Reads = {
  readonly entries: readonly Entry[];
  readonly operations: readonly Operation[];
  readonly states: AccountStates;
  readonly twoVersions: boolean;
};

type Placed = { readonly endedMs: number; readonly at: number };

/** Checks that each read shows the account after some number of facts. These include the facts that were acknowledged before the read
 * began, and those shown by a read that had ended by then. They do not include facts that were requested only after it ended. If several
 * numbers fit, the lowest one is used, because it restricts later reads least. Readers of two versions of the read models may show a write
 * that is not acknowledged yet in either order. */
export const findingsOfReads = ({ entries, operations, states, twoVersions }: Reads): readonly string[] => {
  const { visibleAt, until } = factRanges(operations, states.last);
  const findings: string[] = [];
  const placed: Placed[] = [];
  for (const entry of [...entries].sort((a, b) => a.startedMs - b.startedMs)) {
    const answered = answeredBy(entry);
    if (answered === undefined) continue;
    const written = visibleAt(entry.startedMs);
    const read = twoVersions ? 0 : Math.max(0, ...placed.filter(({ endedMs }) => endedMs < entry.startedMs).map(({ at }) => at));
    const from = entry.settled ? states.last : Math.max(written, read);
    const at = firstFitting(states, entry.requested as Read, answered, from, until(entry.endedMs));
    if (at !== undefined) placed.push({ endedMs: entry.endedMs, at });
    else findings.push(describeFinding({ entry, answered, states, from, written }));
  }
  return findings;
};

/** Returns undefined if the result shows nothing of the state. */
const answeredBy = ({ result }: Entry): readonly Seen[] | 'absent' | undefined => {
  if (result.type === 'absent') return 'absent';
  return result.type === 'seen' ? result.objects : undefined;
};

const firstFitting = (
  states: AccountStates,
  read: Read,
  answered: readonly Seen[] | 'absent',
  from: number,
  until: number,
): number | undefined => {
  const sought = textOf(answered);
  for (let at = from; at <= until; at += 1) if (textOf(states.shown(read, at) ?? 'absent') === sought) return at;
  return undefined;
};

const textOf = (objects: readonly Seen[] | 'absent'): string =>
  objects === 'absent' ? objects : objects.map(({ id, value, pinpoint }) => `${id}=${value}@${pinpoint ?? ''}`).join(' ');

type Wrong = {
  readonly entry: Entry;
  readonly answered: readonly Seen[] | 'absent';
  readonly states: AccountStates;
  readonly from: number;
  readonly written: number;
};

const describeFinding = ({ entry, answered, states, from, written }: Wrong): string => {
  const read = entry.requested as Read;
  const before = firstFitting(states, read, answered, 0, from - 1);
  const after = firstFitting(states, read, answered, from, states.last);
  const expected = `after ${from} facts: ${textOf(states.shown(read, from) ?? 'absent')}`;
  if (entry.settled) return `the final state does not match the log (${expected}): ${described(entry)}`;
  if (after !== undefined) return `a read that shows a change that was requested only later (${after} facts): ${described(entry)}`;
  if (before === undefined) return `a half read: the account never had this state (${expected}): ${described(entry)}`;
  const isStale = firstFitting(states, read, answered, written, from - 1) === undefined;
  const why = isStale ? 'a stale read, older than an acknowledged write' : 'a read that goes back behind an earlier read';
  return `${why} (${before} facts instead of ${from}; ${expected}): ${described(entry)}`;
};
