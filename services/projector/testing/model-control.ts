import { setTimeout as pause } from 'node:timers/promises';
import { ForeignReadModels, ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { Comparison, GenerationEntry, Generations, ReadModelStore } from '../ports.ts';
import type { ModelLog } from './model-log.ts';
import { type ModelGeneration, modelGeneration } from './model-read-side.ts';

/** Generations in memory, as projectors of any version see them. */
export type ModelControl = {
  readonly forVersion: (version: number) => ReadModelStore;
  readonly entries: () => readonly GenerationEntry[];
  readonly read: () => string | undefined;
  readonly awaited: () => readonly string[];
  readonly generation: (name: string) => ModelGeneration;
  /** The installation that the read models belong to. */
  readonly installation: () => string | undefined;
  /** Lets another installation take over the read models. */
  readonly takeOver: (installation: string) => void;
  /** The number of times that a projector showed that its installation is alive. */
  readonly beats: () => number;
  /** The changes, in order. */
  readonly changes: readonly string[];
  /** Deletes everything. */
  readonly wipe: () => void;
  /** Sets the result of comparing a generation with its predecessor. The default is that they are equal. */
  readonly compareBy: (compare: Stored['compare']) => void;
  /** Sets how long the preparation of the database takes. */
  readonly ensureWithin: (ms: number) => void;
  /** The number of times that a process began to prepare it. */
  readonly ensures: () => number;
  /** Sets whether the read models hide their installation. */
  readonly hideOwner: (isHidden: boolean) => void;
  /** Sets whether the control is unavailable. */
  readonly setUnavailable: (isUnavailable: boolean) => void;
  /** Lets this number of attempts to drop a generation fail. */
  readonly refuseToRetire: (attempts: number) => void;
  /** Sets a generation that keeps a reader: a switch to another generation waits for it. */
  readonly keepReader: (name: string | undefined) => void;
};

type Pointer = { readonly read: string; readonly still: readonly string[] };
type Held = ModelGeneration & { readonly prepare: () => Promise<void> };

/** The state that the control stores. */
type Stored = {
  entries: readonly GenerationEntry[];
  pointer: Pointer | undefined;
  held: string | undefined;
  installation: string | undefined;
  begun: number;
  refusals: number;
  isOwnerHidden: boolean;
  isUnavailable: boolean;
  /** Whether the database was prepared since everything was wiped. */
  isPrepared: boolean;
  ensureMs: number;
  ensures: number;
  beats: number;
  compare: () => Promise<Omit<Comparison, 'with'>>;
  readonly generation: (name: string) => Held;
  readonly changes: string[];
};

const equal = async (): Promise<Omit<Comparison, 'with'>> => ({ outcome: 'equal', rows: 1, different: 0, examples: [] });

const newStored = (generation: Stored['generation']): Stored => ({
  entries: [],
  pointer: undefined,
  held: undefined,
  installation: undefined,
  begun: 0,
  refusals: 0,
  isOwnerHidden: false,
  isUnavailable: false,
  isPrepared: false,
  ensureMs: 0,
  ensures: 0,
  beats: 0,
  compare: equal,
  generation,
  changes: [],
});

export const modelControl = (log: ModelLog): ModelControl => {
  const generations = new Map<string, Held>();
  const generation = (name: string): Held => {
    const known = generations.get(name) ?? { ...modelGeneration(log, { name, begun: false }), prepare: async () => undefined };
    generations.set(name, known);
    return known;
  };
  const stored = newStored(generation);
  return {
    forVersion: (version) => ({
      ensure: async () => {
        stored.ensures += 1;
        await pause(stored.ensureMs);
        stored.isPrepared = true;
      },
      claim: async (installation) => claim(stored, installation),
      beat: async () => {
        stored.beats += 1;
        if (stored.beats === 1) throw new ReadModelsUnavailable('The read models are unavailable.');
      },
      generation,
      generations: generationsFor(version, stored),
    }),
    ensureWithin: (ms) => {
      stored.ensureMs = ms;
    },
    ensures: () => stored.ensures,
    beats: () => stored.beats,
    installation: () => stored.installation,
    takeOver: (installation) => {
      stored.installation = installation;
    },
    entries: () => stored.entries,
    read: () => stored.pointer?.read,
    awaited: () => waitedIn(stored),
    generation,
    changes: stored.changes,
    wipe: () => {
      Object.assign(stored, { entries: [], pointer: undefined, isPrepared: false });
      for (const { wipe } of generations.values()) wipe();
    },
    compareBy: (compare) => {
      stored.compare = compare;
    },
    hideOwner: (isHidden) => {
      stored.isOwnerHidden = isHidden;
    },
    setUnavailable: (isUnavailable) => {
      stored.isUnavailable = isUnavailable;
    },
    refuseToRetire: (attempts) => {
      stored.refusals = attempts;
    },
    keepReader: (name) => {
      stored.held = name;
    },
  };
};

const claim = (stored: Stored, installation: string): void => {
  if (stored.isOwnerHidden) throw new ReadModelsUnavailable('The read models are unavailable.');
  stored.installation ??= installation;
  if (stored.installation !== installation) throw new ForeignReadModels(`The read models belong to ${stored.installation}.`);
};

const waitedIn = ({ pointer }: Stored): readonly string[] => (pointer ? [pointer.read, ...pointer.still] : []);

const generationsFor = (version: number, stored: Stored): Generations => ({
  list: async () => {
    if (stored.isUnavailable) throw new ReadModelsUnavailable('The read models are unavailable.');
    return stored.entries;
  },
  begin: async () => {
    const filling = stored.entries.find((entry) => entry.version === version && entry.state === 'filling');
    if (filling) return filling.name;
    if (!stored.isPrepared) throw new ReadModelsUnavailable('The database was not prepared.');
    stored.begun += 1;
    const serial = (stored.entries.at(-1)?.serial ?? 0) + 1;
    const name = `${version}-${serial}-${stored.begun}`;
    stored.entries = [...stored.entries, { name, version, serial, state: 'filling' }];
    stored.changes.push(`begin ${name}`);
    return name;
  },
  roles: async () => {
    const { pointer, held } = stored;
    if (!pointer) throw new ReadModelsUnavailable('No generation is live.');
    stored.pointer = { ...pointer, still: pointer.still.filter((name) => name === held) };
    const awaited = waitedIn(stored);
    return { read: awaited.find((name) => name.startsWith(`${version}-`)), isSuperseded: false, awaited, askedAtMs: performance.now() };
  },
  promote: async (name) => {
    const complete = (await stored.generation(name).positions()).every((reached) => reached !== undefined);
    const entry = stored.entries.find((one) => one.name === name);
    if (!complete || !entry) throw new ReadModelsUnavailable('The generation is not complete, or does not exist.');
    stored.entries = stored.entries.map((one) => (one === entry ? { ...entry, state: 'live' } : one));
    if (stored.pointer?.read !== name) stored.pointer = { read: name, still: waitedIn(stored).filter((one) => one !== name) };
    stored.changes.push(`promote ${name}`);
  },
  compare: async (name) => {
    const { pointer, compare } = stored;
    if (pointer === undefined || pointer.read === name || !pointer.read.startsWith(`${version}-`)) return undefined;
    const compared = await compare();
    stored.changes.push(`compare ${name} with ${pointer.read}`);
    return { with: pointer.read, ...compared };
  },
  withdraw: async () => {
    stored.pointer = undefined;
    stored.changes.push('withdraw');
  },
  retire: async (name) => {
    if (waitedIn(stored).includes(name)) throw new Error('The generation is in use.');
    stored.refusals -= 1;
    if (stored.refusals >= 0) throw new ReadModelsUnavailable('The read models are unavailable.');
    stored.entries = stored.entries.filter((entry) => entry.name !== name);
    stored.generation(name).wipe();
    stored.changes.push(`retire ${name}`);
  },
});
