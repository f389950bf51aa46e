import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { pino } from 'pino';
import { takeSnapshot } from '../generations/control-snapshot.ts';
import { createPromotion } from '../generations/promotion.ts';
import type { GenerationEntry, Generations } from '../ports.ts';
import { type ModelControl, modelControl } from './model-control.ts';
import { type ModelLog, modelLog, modelPartitions } from './model-log.ts';

export const partitions = Array.from({ length: modelPartitions }, (_, partition) => partition);

/** Creates generations of version 1 that the test fills and checks step by step. The first one is started. */
export const createPromotionSetup = async () => {
  const log = modelLog();
  const control = modelControl(log);
  const readSide = control.forVersion(1);
  for (const partition of partitions) log.append(partition);
  await readSide.ensure();
  await readSide.generations.begin();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const faults = { promote: 0, retire: 0 };
  const promotion = createPromotion({
    readSide: { ...readSide, generations: failing(readSide.generations, faults) },
    graceMs: 0,
    logger,
  });
  const look = async ({ isLogAway = false } = {}): Promise<void> => {
    const sight = await takeSnapshot(readSide.generations, log);
    await promotion.check(newestOf(control), isLogAway ? { ...sight, log: undefined } : sight);
  };
  const fill: Fill = (partition, options) => fillPartition({ log, control }, partition, options);
  return {
    ...{ log, control, lines, promotion, fill, generations: readSide.generations, of: control.forVersion },
    failToPromote: (times: number): void => {
      faults.promote = times;
    },
    failToRetire: (times: number): void => {
      faults.retire = times;
    },
    /** Checks the newest generation, and waits for the promotion. */
    look: async (options?: Parameters<typeof look>[0]): Promise<void> => {
      await look(options);
      await promotion.idle();
    },
    lookOnly: look,
    /** Makes a generation of another version the live one. */
    promoteOther: (version: number): Promise<string> => promoteOther({ log, control }, version),
    /** Starts the next generation, and fills it. */
    rebuild: async (): Promise<string> => {
      const name = await readSide.generations.begin();
      for (const partition of partitions) await fill(partition);
      return name;
    },
  };
};

type Models = { readonly log: ModelLog; readonly control: ModelControl };
type Fill = (partition: number, options?: { readonly position?: number }) => Promise<void>;

/** Lets the given number of first calls of each function fail. */
const failing = (generations: Generations, faults: { promote: number; retire: number }): Generations => {
  const tried = (what: keyof typeof faults): void => {
    faults[what] -= 1;
    if (faults[what] >= 0) throw new ReadModelsUnavailable('The read models are unavailable.');
  };
  return {
    ...generations,
    promote: async (name) => {
      tried('promote');
      await generations.promote(name);
    },
    retire: async (name) => {
      await new Promise(setImmediate);
      tried('retire');
      await generations.retire(name);
    },
  };
};

const newestOf = (control: ModelControl): GenerationEntry => {
  const last = control.entries().findLast(({ version }) => version === 1);
  if (!last) throw new Error('There is no generation.');
  return last;
};

/** Moves a partition of the newest generation to the head of the log, or to another position. */
const fillPartition = async ({ log, control }: Models, partition: number, { position = log.head() } = {}): Promise<void> => {
  const generation = control.generation(newestOf(control).name);
  const { position: after = 0, event: afterEvent = '' } = generation.position(partition) ?? {};
  const events = log.eventsOf(partition).filter((event) => event.position > after);
  const to = { incarnation: log.incarnation(), position, event: events.at(-1)?.envelope.id ?? afterEvent };
  if (!(await generation.applyTogether([{ partition, after, afterEvent, events, to }]))) throw new Error('The step was not applied.');
};

const promoteOther = async ({ log, control }: Models, version: number): Promise<string> => {
  const { generations } = control.forVersion(version);
  const name = await generations.begin();
  const to = { incarnation: log.incarnation(), position: log.head(), event: '' };
  const steps = partitions.map((partition) => ({ partition, after: 0, afterEvent: '', events: log.eventsOf(partition), to }));
  await control.generation(name).applyTogether(steps);
  await generations.promote(name);
  return name;
};
