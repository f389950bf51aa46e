import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { isFile } from '@waymark/domain/fields.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import {
  type Kept,
  planRestore,
  planUndo,
  type Surroundings,
  type UndoPlan,
  type UndoStep,
  type Values,
} from '@waymark/domain/undo/plan.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { UndoReply } from '@waymark/history/reading/undo/undo-questions.ts';
import type { Media } from '@waymark/media/media.ts';
import { type Aggregate, categories, happenings, lists, pinpoints } from '../execution/aggregates.ts';
import { type LoadedState, load } from '../execution/load.ts';
import { type KnownPinpoints, loadWithMembers } from '../execution/members.ts';
import { membersTogether } from '../limits.ts';
import type { Commands } from '../service.ts';
import { type Command, categoryCommand, happeningCommand, keptBecause, listCommand, pinpointCommand, type UndoneObject } from './steps.ts';

/** An event that restores or undoes. `undoes`: the revision of the event whose members it takes back; null if it changes fields or presence. */
export type DecidedStep = { readonly fact: DomainEvent; readonly undoes: number | null };

/** The events that restore or undo, and what is kept. `position`: the one of the object's last event; 0 if readers see it already. `pinpoints`:
 * those that the object refers to after the events: of a list, members among those that the changes have added. */
export type DecidedSource = {
  readonly steps: readonly DecidedStep[];
  readonly kept: Kept;
  readonly position: Position;
  readonly pinpoints: readonly number[];
};

/** What a decision reads. `restored`: pinpoints that count as present, because the same operation brings them back. */
export type DecisionPorts = Pick<Commands, 'log' | 'models' | 'media' | 'lookups'> & { readonly restored?: ReadonlySet<number> };

/** Decides what the history has found, on the state of the object. Returns `conflict` where the object is at another revision in the log.
 * @throws LogUnavailable, MediaUnavailable */
export const decideSource = (commands: DecisionPorts, object: UndoneObject, source: UndoReply): Promise<DecidedSource | 'conflict'> =>
  deciding[object.kind](commands, object, source);

type Decide = (commands: DecisionPorts, object: UndoneObject, source: UndoReply) => Promise<DecidedSource | 'conflict'>;

const decidingOn =
  <Of extends AggregateTypes>(aggregate: Aggregate<Of>, command: Command<Of>): Decide =>
  async (commands, object, source) => {
    const found = await loadFor(commands, aggregate, object.id, source);
    if (found === 'conflict' || found.loaded.revision !== source.last) return 'conflict';
    const { loaded, surroundings } = found;
    const plan = source.outcome === 'restorable' ? planRestore(source.fields, surroundings) : planUndo(source.changes, surroundings);
    const { state, ...decided } = await decideSteps(commands, aggregate, object, loaded.state, plan, command);
    return { ...decided, position: loaded.position, pinpoints: pinpointsOf(state, source) };
  };

const deciding: Readonly<Record<ResourceKind, Decide>> = {
  pinpoint: decidingOn(pinpoints, pinpointCommand),
  list: decidingOn(lists, listCommand),
  category: decidingOn(categories, categoryCommand),
  happening: decidingOn(happenings, happeningCommand),
};

type Loaded<State> = { readonly loaded: LoadedState<State>; readonly surroundings: Surroundings };

/** Loads the state of an object up to the end of its stream, and what a plan needs to know of other objects. */
const loadFor = async <Of extends AggregateTypes>(
  commands: DecisionPorts,
  aggregate: Aggregate<Of>,
  id: number,
  source: UndoReply,
): Promise<Loaded<Of['state']> | 'conflict'> => {
  const missingFiles = await missingOf(commands.media, filesOf(source));
  const named = source.outcome === 'undoable' ? source.changes.memberships.flatMap(({ added, removed }) => [...added, ...removed]) : [];
  if (named.length === 0) return { loaded: await load(commands, aggregate, id), surroundings: { ...noSurroundings, missingFiles } };
  const found = await loadWithAllMembers(commands, aggregate, id, [...new Set(named)]);
  if (found === 'conflict') return found;
  const { loaded, known } = found;
  const { restored = noIds } = commands;
  const pinpoints = new Set([...known.pinpoints, ...named.filter((one) => restored.has(one))]);
  return { loaded, surroundings: { missingFiles, members: membersIn(loaded.state), pinpoints, full: known.full } };
};

type WithMembers<State> = { readonly loaded: LoadedState<State>; readonly known: KnownPinpoints };

/** Loads a list with those of its members that are named, however many, in parts. Returns `conflict` if the list changes between two parts. */
const loadWithAllMembers = async <Of extends AggregateTypes>(
  commands: DecisionPorts,
  aggregate: Aggregate<Of>,
  id: number,
  named: readonly number[],
): Promise<WithMembers<Of['state']> | 'conflict'> => {
  let all: WithMembers<Of['state']> | undefined;
  for (let from = 0; from < named.length || all === undefined; from += membersTogether) {
    const part = await loadWithMembers(commands, aggregate, id, named.slice(from, from + membersTogether), 'all');
    if (all !== undefined && part.loaded.revision !== all.loaded.revision) return 'conflict';
    all = all === undefined ? part : joined(all, part);
  }
  return all;
};

const joined = <State>(one: WithMembers<State>, other: WithMembers<State>): WithMembers<State> => ({
  loaded: { ...one.loaded, state: { ...one.loaded.state, members: union(membersIn(one.loaded.state), membersIn(other.loaded.state)) } },
  known: { pinpoints: union(one.known.pinpoints, other.known.pinpoints), full: union(one.known.full, other.known.full) },
});

const union = (one: ReadonlySet<number>, other: ReadonlySet<number>): ReadonlySet<number> => new Set([...one, ...other]);

const noIds: ReadonlySet<number> = new Set();

/** Returns the pinpoints that an object refers to, if it is present. */
const pinpointsOf = (state: unknown, source: UndoReply): readonly number[] => {
  if (typeof state !== 'object' || state === null || !('status' in state) || state.status !== 'present') return [];
  if ('members' in state) {
    const members = membersIn(state);
    const added = source.outcome === 'undoable' ? source.changes.memberships.flatMap((change) => change.added) : [];
    return added.filter((id) => members.has(id));
  }
  const { fields } = state as { readonly fields?: { readonly pinpoint?: number } };
  return fields?.pinpoint === undefined ? [] : [fields.pinpoint];
};

const noSurroundings: Omit<Surroundings, 'missingFiles'> = { members: new Set(), pinpoints: new Set(), full: new Set() };

const membersIn = (state: unknown): ReadonlySet<number> =>
  typeof state === 'object' && state !== null && 'members' in state ? (state.members as ReadonlySet<number>) : new Set();

/** Returns the names of the files that an object may get again. */
const filesOf = (source: UndoReply): readonly string[] => {
  if (source.outcome === 'restorable') return namesIn(source.fields);
  const { before, current, present } = source.changes;
  return [...namesIn(before), ...(present ? [] : namesIn(current))];
};

const namesIn = (values: Values): readonly string[] => Object.values(values).flatMap((value) => (isFile(value) ? [value.name] : []));

const missingOf = async (media: Media, names: readonly string[]): Promise<ReadonlySet<string>> => {
  const found = await Promise.all(names.map(async (name) => [name, await media.get(name)] as const));
  return new Set(found.flatMap(([name, file]) => (file === undefined || file === 'erased' ? [name] : [])));
};

/** Decides the steps of a plan one after the other, each on the state that the one before has left. A step that is refused is kept. */
const decideSteps = async <Of extends AggregateTypes>(
  commands: DecisionPorts,
  { decider }: Aggregate<Of>,
  object: UndoneObject,
  before: Of['state'],
  plan: UndoPlan,
  command: Command<Of>,
): Promise<Pick<DecidedSource, 'steps' | 'kept'> & { readonly state: Of['state'] }> => {
  const steps: DecidedStep[] = [];
  let [state, kept] = [before, plan.kept];
  for (const step of plan.steps) {
    const decision = decider.decide(state, await command(commands.lookups, object, step, state));
    if (decision.outcome === 'refused') {
      kept = { ...kept, reason: kept.reason ?? keptBecause(decision.refusal), fields: [...kept.fields, ...fieldsOf(step)] };
      continue;
    }
    for (const fact of decision.events) {
      steps.push({ fact, undoes: 'undoes' in step ? step.undoes : null });
      state = decider.evolve(state, fact);
    }
  }
  return { steps, kept, state };
};

const fieldsOf = (step: UndoStep): readonly string[] => (step.type === 'edit' ? Object.keys(step.fields) : []);
