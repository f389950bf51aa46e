import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { apiName, apiValue, inApiOrder } from './api-values.ts';
import { valuesBefore } from './changed-fields.ts';
import { type People, peopleOf, statesOfPeople } from './people.ts';
import type { Question, Reply } from './questions.ts';
import { versionAt } from './version.ts';

/** Returns, for every field of an object, the event that set its present value, and the value before. */
export const blame = async (reads: HistoryReads, { stream, base }: Extract<Question, { type: 'blame' }>): Promise<Reply> => {
  const last = (await reads.lastStates([stream])).get(stream);
  const origins = Object.values(last?.origins ?? {});
  const preceding = origins.filter((revision) => revision > 0).map((revision) => revision - 1);
  // Those that are asked for below are read together.
  const entries = await reads.entriesAt(stream, [last?.revision ?? 0, ...origins, ...preceding]);
  const setters = entries.filter(({ revision }) => origins.includes(revision));
  const states = await statesOfPeople(reads, setters);
  const [version, people, ...valuesOfSetters] = await Promise.all([
    versionAt(reads, stream, last?.revision ?? 0),
    peopleOf(reads, states),
    ...setters.map(async (setter) => [setter.revision, await valuesBefore(reads, setter)] as const),
  ]);
  if ('outcome' in version) return version;
  const { entry, values } = version;
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
