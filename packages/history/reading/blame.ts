import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { apiName, apiValue, inApiOrder } from './api-values.ts';
import { valuesBefore } from './changed-fields.ts';
import { type People, readPeople } from './people.ts';
import type { Question, Reply } from './questions.ts';
import { versionAt } from './version.ts';

/** Returns, for every field of an object, the event that set its present value, and the value before. */
export const blame = async (reads: HistoryReads, { stream, base }: Extract<Question, { type: 'blame' }>): Promise<Reply> => {
  const last = (await reads.lastStates([stream])).get(stream);
  const version = await versionAt(reads, stream, last?.revision ?? 0);
  if ('outcome' in version) return version;
  const { entry, values } = version;
  const setters = await reads.entriesAt(stream, Object.values(entry.origins));
  const [people, ...valuesOfSetters] = await Promise.all([
    readPeople(reads, setters),
    ...setters.map(async (setter) => [setter.revision, await valuesBefore(reads, setter)] as const),
  ]);
  const before = new Map(valuesOfSetters);
  const fields = inApiOrder(Object.keys(entry.origins)).map((name) => {
    const revision = entry.origins[name] as number;
    const setter = setters.find((one) => one.revision === revision) as HistoryEntry;
    const old = apiValue(before.get(revision)?.[name], base);
    return [apiName(name), { value: apiValue(values[name], base), ...setBy(setter, old, people) }] as const;
  });
  return { outcome: 'found', text: JSON.stringify({ revision: entry.revision, fields: Object.fromEntries(fields) }) };
};

/** Names the event that set a field. A field that was not set since an erasure names the erasure instead. */
const setBy = (setter: HistoryEntry, old: unknown, people: People): object => {
  const { revision, time, event } = setter;
  const set = { revision, time, id: event, actor: people.actor(setter), changeset: people.changeset(setter) };
  return setter.type.endsWith('Redacted') ? { set: null, before: null, erased: set } : { set, before: old, erased: null };
};
