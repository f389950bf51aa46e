import type { Consumption } from '@waymark/broker/broker.ts';
import type { FactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import type { Announcement } from '@waymark/read-models/visibility/announcements.ts';
import { pino } from 'pino';
import { createProjector, type Projector } from '../projector.ts';
import { isComplete } from './model.ts';
import { modelControl } from './model-control.ts';
import { modelLog, modelPartitions } from './model-log.ts';
import { modelRelay } from './model-relay.ts';

/** Creates setups that end with the test. */
export const projectorSetups = () => {
  const started: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(started.splice(0).map((stop) => stop())));
  return () => newSetup(started);
};

/** Creates a log, Kafka, the control of read models, and a function that starts projectors. */
const newSetup = (started: (() => Promise<void>)[]) => {
  const log = modelLog();
  const control = modelControl(log);
  const relay = modelRelay(log);
  const announced: Announcement[] = [];
  const lines: string[] = [];
  const consumers = new Set<Consumption>();
  const all = Array.from({ length: modelPartitions }, (_, partition) => partition);
  const consume = async (consumption: Consumption): Promise<void> => {
    const { signal, assigned } = consumption;
    consumers.add(consumption);
    assigned?.(all);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    consumers.delete(consumption);
  };
  const deliver = (): void => {
    for (const partition of all) {
      const records = [...relay.events(partition), relay.watermark(partition)];
      for (const { handle } of consumers) handle(partition, records).catch(() => undefined);
    }
  };
  const delivery = setInterval(deliver, 20);
  started.push(async () => clearInterval(delivery));
  type Own = {
    readonly consume?: typeof consume;
    readonly facts?: Pick<FactsKeeper, 'readStore'>;
    readonly graceMs?: number;
    readonly takeOverAfterMs?: number;
  };
  const start = (version = 1, { facts, graceMs = 20_000, takeOverAfterMs, ...own }: Own = {}): Projector => {
    const one = createProjector({
      readSide: control.forVersion(version),
      log,
      records: { ensure: async () => undefined, consume, ...own },
      announcements: { publish: (some) => void announced.push(...some) },
      partitions: modelPartitions,
      group: 'test',
      version,
      graceMs,
      roundEveryMs: 0,
      ...(facts && { facts }),
      ...(takeOverAfterMs !== undefined && { takeOverAfterMs }),
      logger: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    });
    started.push(one.close);
    return one;
  };
  const append = (events = 30): void => {
    for (let nth = 0; nth < events; nth += 1) log.append(nth % modelPartitions);
  };
  const isLive = (name = control.read()): boolean =>
    name !== undefined && control.read() === name && isComplete(log, control.generation(name));
  return { log, control, lines, consumers, announced, start, append, isLive };
};
