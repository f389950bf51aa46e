import { applicationStream } from '@waymark/domain/streams.ts';
import type { HistoryEntry, LastState } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { fieldValues } from './field-values.ts';

/** The actor of an entry, as readers get it. `name`: its present name; null if it has none, or if its name was erased. */
export type Actor = { readonly kind: 'application' | 'operator'; readonly id: string; readonly name: string | null };

/** The changeset of an entry, as the application claims it. `by` is null where no person was named, and both are null once they were erased. */
export type Changeset = { readonly id: string; readonly comment: string | null; readonly by: string | null };

/** The part of an entry that names its actor and its changeset. */
export type Attributed = Pick<HistoryEntry, 'account' | 'actor' | 'correlation'>;

/** Who made some entries, and in which changesets. */
export type People = {
  readonly actor: (entry: Attributed) => Actor;
  readonly changeset: (entry: Attributed) => Changeset | null;
};

/** The actor of events that operators caused. */
const operator = 'operator';

/** Reads the actors and changesets of entries: names are joined when they are read, so an erased name is nowhere else. */
export const readPeople = async (reads: HistoryReads, entries: readonly Attributed[]): Promise<People> =>
  peopleOf(reads, await statesOfPeople(reads, entries));

/** Returns the states of the objects that name the actors and changesets of entries, by stream. */
export const statesOfPeople = (reads: HistoryReads, entries: readonly Attributed[]): Promise<ReadonlyMap<string, LastState>> => {
  const applications = entries.map(({ actor }) => actor).filter((actor) => actor !== operator);
  return reads.lastStates(
    distinct([...applications.map(applicationStream), ...entries.map((entry) => changesetStream(entry.correlation))]),
  );
};

/** Reads the actors and changesets that some states name. */
export const peopleOf = async (reads: HistoryReads, states: ReadonlyMap<string, LastState>): Promise<People> => {
  const known = await valuesOf(reads, states);
  return {
    actor: ({ actor, account }) => {
      if (actor === operator) return { kind: 'operator', id: actor, name: null };
      const application = known.get(applicationStream(actor));
      return { kind: 'application', id: actor, name: application?.account === account ? textOf(application.values['name']) : null };
    },
    changeset: ({ correlation, account }) => {
      const changeset = known.get(changesetStream(correlation));
      if (changeset?.account !== account) return null;
      return { id: correlation, comment: textOf(changeset.values['comment']), by: textOf(changeset.values['by']) };
    },
  };
};

const changesetStream = (id: string): string => `changeset-${id}`;

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the present values of objects, with their accounts. */
const valuesOf = async (reads: HistoryReads, states: ReadonlyMap<string, LastState>) => {
  const known = await Promise.all(
    [...states].map(
      async ([stream, { account, origins }]) => [stream, { account, values: await fieldValues(reads, { stream, origins }) }] as const,
    ),
  );
  return new Map(known);
};
