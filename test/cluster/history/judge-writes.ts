import type { AccountStates } from './account-states.ts';
import { described, type Entry, type Fact, type Kind, type Result, type Write } from './history.ts';
import { factRanges, type Operation } from './operations.ts';

type Done = Extract<Result, { type: 'done' }>;
type Named = { readonly kind: Kind; readonly id: number };
type Context = { readonly facts: readonly Fact[]; readonly states: AccountStates; readonly window: ReturnType<typeof factRanges> };

/** Checks that each acknowledged write is in the log once and each other write at most once, as requested and in an order that the times
 * allow. Checks that refused writes are not in the log, and that each refusal was right. */
export const findingsOfWrites = (operations: readonly Operation[], facts: readonly Fact[], states: AccountStates): readonly string[] => {
  const context: Context = { facts, states, window: factRanges(operations, states.last) };
  return [
    ...findingsOfLog(operations, facts),
    ...operations.flatMap((operation) => findingsOf(operation, context)),
    ...findingsOfOrder(operations),
  ];
};

const findingsOfLog = (operations: readonly Operation[], facts: readonly Fact[]): readonly string[] => {
  const known = new Set(operations.map(({ name }) => name));
  const seen = new Set<string>();
  const ids = new Set<string>();
  const findings: string[] = [];
  for (const { operation, change } of facts) {
    const what = JSON.stringify(change);
    if (operation === null || !known.has(operation)) findings.push(`the log has a change that no client requested: ${operation} ${what}`);
    else if (seen.has(operation)) findings.push(`applied twice: ${operation} ${what}`);
    if (operation !== null) seen.add(operation);
    if (change.type !== 'created') continue;
    const id = `${change.kind}/${change.id}`;
    if (ids.has(id)) findings.push(`an id was assigned twice: ${what}`);
    ids.add(id);
  }
  return findings;
};

const findingsOf = (operation: Operation, context: Context): readonly string[] => {
  const { requested, at, entries } = operation;
  const fact = at === undefined ? undefined : context.facts[at - 1];
  const findings: string[] = [];
  if (fact && !matchesRequest(requested, fact))
    findings.push(`the log has something else than the request: ${operation.name} ${JSON.stringify({ requested, fact })}`);
  const done = entries.filter((entry): entry is Entry & { result: Done } => entry.result.type === 'done');
  const [first] = done;
  if (first && fact === undefined && !neededNoEvent(requested, first, context)) findings.push(`acknowledged and lost: ${described(first)}`);
  for (const entry of done) {
    if (fact?.change.type === 'created' && entry.result.id !== fact.change.id)
      findings.push(`another id than in the log: ${described(entry)}`);
    if (first && answerText(entry.result) !== answerText(first.result))
      findings.push(`a repeated request was answered otherwise: ${described(first)} and ${described(entry)}`);
    findings.push(...wronglyNotAdded(entry, context));
  }
  for (const entry of entries.filter(({ result }) => result.type === 'absent')) {
    if (at !== undefined) findings.push(`refused, and done: ${described(entry)}`);
    else if (!isRightlyAbsent(entry, context)) findings.push(`reported as missing, but it exists: ${described(entry)}`);
  }
  if (fact && at !== undefined) findings.push(...usesOfDeleted(operation, fact, at, context));
  return findings;
};

const answerText = ({ id, refused, total, etag }: Done): string => JSON.stringify({ id, refused, total, etag });

const matchesRequest = (requested: Write, { change }: Fact): boolean => {
  switch (requested.type) {
    case 'create':
      return (
        change.type === 'created' &&
        change.kind === requested.kind &&
        change.value === requested.value &&
        change.pinpoint === requested.pinpoint
      );
    case 'edit':
      return (
        change.type === 'edited' &&
        change.kind === requested.kind &&
        change.id === requested.id &&
        change.value === requested.value &&
        (change.pinpoint ?? requested.pinpoint) === requested.pinpoint
      );
    case 'delete':
      return change.type === 'deleted' && change.kind === requested.kind && change.id === requested.id;
    case 'add':
      return (
        change.type === 'added' && change.list === requested.list && change.pinpoints.every((one) => requested.pinpoints.includes(one))
      );
    case 'remove':
      return (
        change.type === 'removed' && change.list === requested.list && change.pinpoints.every((one) => requested.pinpoints.includes(one))
      );
  }
};

/** Whether no event was needed, because the list already had the requested memberships by its own facts. */
const neededNoEvent = (requested: Write, entry: Entry & { readonly result: Done }, { states, window }: Context): boolean => {
  if (requested.type !== 'add' && requested.type !== 'remove') return false;
  const refused = new Set(entry.result.refused);
  const concerned = requested.pinpoints.filter((pinpoint) => !refused.has(pinpoint));
  const from = window.visibleAt(entry.startedMs);
  const until = window.until(entry.endedMs);
  // Pinpoints are checked in the read models, which may not have the latest events yet.
  const isThere = (pinpoint: number): boolean => someAt(from, until, (at) => shows(states, 'pinpoints', pinpoint, at));
  if (requested.type === 'add' && !concerned.every(isThere)) return false;
  return someAt(window.doneAt(entry.startedMs), until, (at) =>
    concerned.every((pinpoint) => states.isMember(requested.list, pinpoint, at) === (requested.type === 'add')),
  );
};

const someAt = (from: number, until: number, holds: (at: number) => boolean): boolean => {
  for (let at = from; at <= until; at += 1) if (holds(at)) return true;
  return false;
};

const shows = (states: AccountStates, kind: Kind, id: number, at: number): boolean =>
  states.shown({ type: 'one', kind, id }, at) !== undefined;

/** Returns the object that a write names and requires. */
const subjectOf = (requested: Write): Named | undefined => {
  if (requested.type === 'create') return undefined;
  return 'list' in requested ? { kind: 'lists', id: requested.list } : { kind: requested.kind, id: requested.id };
};

const placeOf = (requested: Write): Named | undefined =>
  (requested.type === 'create' || requested.type === 'edit') && requested.pinpoint !== undefined
    ? { kind: 'pinpoints', id: requested.pinpoint }
    : undefined;

/** Whether the object of a refused write was missing. All acknowledged writes count, visible or not: before it reports an object as
 * missing, the service queries the log. */
const isRightlyAbsent = (entry: Entry, { states, window }: Context): boolean => {
  const { requested, startedMs, endedMs, result } = entry;
  const named = result.type === 'absent' && result.pinpoint ? placeOf(requested as Write) : subjectOf(requested as Write);
  if (named === undefined) return false;
  return someAt(window.doneAt(startedMs), window.until(endedMs), (at) => !shows(states, named.kind, named.id, at));
};

const wronglyNotAdded = (entry: Entry & { readonly result: Done }, { states, window }: Context): readonly string[] => {
  const from = window.doneAt(entry.startedMs);
  const until = window.until(entry.endedMs);
  return (entry.result.refused ?? [])
    .filter((id) => !someAt(from, until, (at) => !shows(states, 'pinpoints', id, at)))
    .map((id) => `pinpoint ${id} was reported as missing, but it existed: ${described(entry)}`);
};

/** Finds uses of objects whose deletion was visible before the request began. */
const usesOfDeleted = (
  { requested, startedMs, name }: Operation,
  { change }: Fact,
  at: number,
  { states, window }: Context,
): readonly string[] => {
  const from = window.visibleAt(startedMs);
  const isThere = ({ kind, id }: Named): boolean =>
    someAt(from, at - 1, (before) => {
      const { pinpoint } = states.own(kind, id, before) ?? {};
      // The object is read from its own stream, its place from read models that may not have the latest events: the two moments may differ.
      return pinpoint === undefined
        ? shows(states, kind, id, before)
        : someAt(from, at - 1, (then) => shows(states, 'pinpoints', pinpoint, then));
    });
  return neededBy(requested, change)
    .filter((needed) => !isThere(needed))
    .map(({ kind, id }) => `done with a missing object (${kind}/${id}): ${name} ${JSON.stringify(change)}`);
};

const neededBy = (requested: Write, change: Fact['change']): readonly Named[] => [
  ...[subjectOf(requested), placeOf(requested)].filter((named) => named !== undefined),
  ...(change.type === 'added' ? change.pinpoints.map((id): Named => ({ kind: 'pinpoints', id })) : []),
];

/** Checks that a write that was acknowledged before another one was requested comes before it in the log. */
const findingsOfOrder = (operations: readonly Operation[]): readonly string[] => {
  const placed = operations.flatMap(({ at, ...operation }) => (at === undefined ? [] : [{ ...operation, at }])).sort((a, b) => a.at - b.at);
  const findings: string[] = [];
  // From the end: the earliest acknowledgement of all later facts.
  let earliest = { doneMs: Number.POSITIVE_INFINITY, name: '' };
  for (const { startedMs, doneMs, name } of placed.reverse()) {
    if (earliest.doneMs < startedMs)
      findings.push(`${name} comes before ${earliest.name} in the log, but was requested after the latter was acknowledged`);
    if (doneMs < earliest.doneMs) earliest = { doneMs, name };
  }
  return findings;
};
