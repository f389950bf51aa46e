import { setTimeout as pause } from 'node:timers/promises';
import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import type { KafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { isInstallation } from '@waymark/domain/installation.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { badRequest, conflict, unavailable } from '@waymark/http/errors.ts';
import type { AdoptedInstead } from '@waymark/operations/api/answers.ts';
import { beatMs } from '@waymark/read-models/mongodb/limits.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';

/** Several times the interval of a process's heartbeats, and of a relay's watermarks. */
const watchMsUsual = 4 * beatMs;

export type InsteadOfOptions = {
  readonly log: Pick<EventLog, 'state'>;
  readonly topic: Pick<KafkaBroker, 'ensure' | 'last' | 'tail' | 'named' | 'empty'>;
  readonly readSide: Pick<MongoReadSide, 'installation' | 'emptying' | 'beatsOf' | 'takeover'>;
  /** The history, which is in the same database. */
  readonly history: Pick<MongoReadSide, 'installation' | 'emptying' | 'takeover'>;
  /** How long the other installation is watched for heartbeats and records. */
  readonly watchMs?: number;
};

/** Empties the topic and the database of another installation, so that this one can use them: this one computes both from its log. An
 * interrupted call can be repeated. Media files are never touched.
 * @throws HttpError 400, 409, 503; LogUnavailable, ReadModelsUnavailable */
export const adoptInsteadOf = async (options: InsteadOfOptions, insteadOf: unknown): Promise<AdoptedInstead> => {
  if (!isInstallation(insteadOf)) throw badRequest('instead_of: the id of an installation is required');
  try {
    return await adopt(options, insteadOf);
  } catch (error) {
    throw error instanceof BrokerUnavailable ? unavailable('Kafka is not available.') : error;
  }
};

const adopt = async (options: InsteadOfOptions, insteadOf: string): Promise<AdoptedInstead> => {
  const { log, topic, readSide } = options;
  const { installation: ours } = await log.state();
  if (insteadOf === ours) throw conflict(`${insteadOf} is this installation.`);
  await topic.ensure();
  const [inTopic, ofDatabase] = [await namesInTopic(options, ours), await namesOf(readSide)];
  const has = { topic: inTopic.includes(insteadOf), database: ofDatabase.includes(insteadOf) };
  if (!has.topic && !has.database) throw conflict(unknownInstallationText(insteadOf, inTopic, ofDatabase));
  await refuseIfRunning(options, ours, insteadOf);
  if (has.topic) await topic.empty();
  if (has.database) {
    // The history first: an interrupted call is repeated as long as the read models name the other installation.
    if ((await namesOf(options.history)).includes(insteadOf)) await takeOver(options.history, insteadOf);
    await takeOver(readSide, insteadOf);
  }
  return { instead_of: insteadOf, ...has };
};

const namesInTopic = async ({ topic }: InsteadOfOptions, ours: string): Promise<readonly string[]> => {
  const { ofPartitions, foreign } = await topic.last(ours);
  return [...(ofPartitions.some((record) => record !== undefined) ? [ours] : []), ...foreign];
};

const takeOver = async ({ takeover }: Pick<MongoReadSide, 'takeover'>, insteadOf: string): Promise<void> => {
  const { take, drop, finish } = takeover(insteadOf);
  await take();
  await drop();
  await finish();
};

/** Returns the installations that data in the database names, including one whose removal was interrupted. */
const namesOf = async (data: Pick<MongoReadSide, 'installation' | 'emptying'>): Promise<readonly string[]> =>
  [await data.installation(), await data.emptying()].filter((name) => name !== undefined);

const unknownInstallationText = (insteadOf: string, topic: readonly string[], database: readonly string[]): string =>
  `Neither topic nor database names installation ${insteadOf}: the topic names ${listed(topic)}, the database ${listed(database)}.`;

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

/** Checks that the other installation is not running. No timestamp shows this reliably, so it is watched for some time.
 * @throws HttpError 409 */
const refuseIfRunning = async (
  { topic, readSide, watchMs = watchMsUsual }: InsteadOfOptions,
  ours: string,
  insteadOf: string,
): Promise<void> => {
  const [tail, beats] = [await topic.tail(ours, undefined), await readSide.beatsOf(insteadOf)];
  await pause(watchMs);
  const signs = [
    ...((await topic.named(tail)).includes(insteadOf) ? ['its relay sends records to the topic'] : []),
    ...((await readSide.beatsOf(insteadOf)) > beats ? ['its processes use the database'] : []),
  ];
  if (signs.length > 0)
    throw conflict(
      `Installation ${insteadOf} is running (${signs.join(', ')}): stop all its processes, or configure another topic and database for it.`,
    );
};
