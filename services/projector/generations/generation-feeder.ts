import type { Broker } from '@waymark/broker/broker.ts';
import { createLogThrottle } from '@waymark/cluster-runtime/log-throttle.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import type { Announcements } from '@waymark/read-models/visibility/announcements.ts';
import { createBackOff } from '@waymark/timing/back-off.ts';
import type { Logger } from 'pino';
import { beginTriesMax, consumedWellMs, failurePauses } from '../limits.ts';
import { createProjection, type Projection } from '../partitions/projection.ts';
import type { Ended } from '../partitions/projection-context.ts';
import type { GenerationEntry, History, ReadModelStore, Step } from '../ports.ts';

export type GenerationFeederPorts = {
  readonly readSide: ReadModelStore;
  readonly log: History;
  readonly records: Pick<Broker, 'ensure' | 'consume'>;
  readonly announcements: Pick<Announcements, 'publish'>;
  readonly partitions: number;
  /** The prefix of the consumer groups, one group for each generation: a name of the installation. */
  readonly group: string;
  /** See `ProjectionPorts`. */
  readonly roundEveryMs: number;
  readonly logger: Logger;
};

/** Keeps one generation up to date for as long as it can be used. */
export type GenerationFeeder = {
  readonly name: string;
  /** The projection of the generation; undefined until the generation is initialized. */
  readonly projection: () => Projection | undefined;
  /** Why the feeder ended; undefined while it runs. */
  readonly endReason: () => Ended | undefined;
  /** Finishes the current transaction. */
  readonly stop: () => Promise<void>;
};

type FeederContext = GenerationFeederPorts & { readonly entry: Entry; readonly signal: AbortSignal };
type Entry = Pick<GenerationEntry, 'name' | 'state'>;

/** Creates the feeder of a generation and starts it.
 * @param changed called when the feeder ends, by itself or after `stop` */
export const createGenerationFeeder = (entry: Entry, ports: GenerationFeederPorts, changed: () => void): GenerationFeeder => {
  const stopping = new AbortController();
  const context: FeederContext = { ...ports, entry, signal: stopping.signal };
  let projection: Projection | undefined;
  let endReason: Ended | undefined;
  const project = async (): Promise<Ended> => {
    const begun = await initialize(context);
    if (typeof begun === 'string') return begun;
    const { readSide, log, partitions, announcements, roundEveryMs, logger } = ports;
    projection = createProjection({
      generation: readSide.generation(entry.name),
      log,
      partitions,
      roundEveryMs,
      announce: announcements.publish,
      logger,
    });
    if (context.signal.aborted) await projection.stop();
    const consuming = consume(context, projection, begun.installation);
    const reason = await projection.ended;
    stopping.abort();
    await consuming;
    return reason;
  };
  const running = project().then((reason) => {
    endReason = reason;
    changed();
  });
  return {
    name: entry.name,
    projection: () => projection,
    endReason: () => endReason,
    stop: async () => {
      stopping.abort();
      await projection?.stop();
      await running;
    },
  };
};

/** Gives every partition its first position, unless it has one.
 * @returns the log that the generation is built from, or why it cannot be used */
const initialize = async ({ entry, readSide, log, logger, signal }: FeederContext): Promise<Ended | LogState> => {
  const generation = readSide.generation(entry.name);
  const pauses = createBackOff(failurePauses, signal);
  const tell = createLogThrottle((error) =>
    logger.warn({ err: error, generation: entry.name }, 'the generation could not be initialized; retrying'),
  );
  let attempts = 0;
  while (!signal.aborted) {
    try {
      const state = await log.state();
      const { incarnation } = state;
      const positions = await generation.positions();
      const initialized = positions.filter((reached) => reached !== undefined);
      if (initialized.some((reached) => reached.incarnation !== incarnation)) return 'outdated';
      if (initialized.length === positions.length) return state;
      // The generation had positions before, or something of their storage remains: it cannot be initialized again.
      if (initialized.length > 0 || entry.state !== 'filling' || attempts >= beginTriesMax) return 'lost';
      await generation.prepare();
      attempts += 1;
      await generation.applyTogether(positions.map((_, partition) => firstStep(partition, incarnation)));
    } catch (error) {
      tell(error);
      await pauses.pause();
    }
  }
  return 'stopped';
};

const firstStep = (partition: number, incarnation: string): Step => ({
  partition,
  after: 0,
  afterEvent: '',
  events: [],
  to: { incarnation, position: 0, event: '' },
});

/** Consumes until the signal aborts. A consumer that ended is replaced. */
const consume = async (
  { entry, records, group, logger, log, signal }: FeederContext,
  { handle, doubt, catchUp }: Projection,
  installation: string,
): Promise<void> => {
  const pauses = createBackOff(failurePauses, signal);
  const tell = createLogThrottle((error) => logger.warn({ err: error, generation: entry.name }, 'a consumer ended; a new one replaces it'));
  /** A new generation is empty. It reads the log at once and does not wait for records that show what is missing. */
  const assigned = (partitions: readonly number[]): void => {
    if (entry.state !== 'filling') return;
    log.state().then(
      ({ head }) => catchUp(partitions, head),
      () => undefined,
    );
  };
  while (!signal.aborted) {
    const startedMs = performance.now();
    try {
      await records.ensure();
      await records.consume({ installation, group: `${group}-${entry.name}`, handle, recordsLeftOut: doubt, assigned, signal });
    } catch (error) {
      if (signal.aborted) return;
      tell(error);
    }
    if (performance.now() - startedMs > consumedWellMs) pauses.reset();
    await pauses.pause();
  }
};
