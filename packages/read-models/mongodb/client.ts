import { BSON, MongoClient, MongoError } from 'mongodb';
import { ReadModelsUnavailable } from '../read-models.ts';
import { callMs, connectionsMax, selectionMs, silenceMs } from './limits.ts';

export type MongoConnection = {
  /** `mongodb://` or `mongodb+srv://`, of a replica set. */
  readonly url: string;
  /** Certificates (PEM) of the authorities to trust instead of the public ones; TLS is used then. */
  readonly ca?: string | undefined;
};

/** Connects with its first call. @throws what the driver throws where the connection string is wrong: it may quote it */
export const createMongoClient = ({ url, ca }: MongoConnection, own: { readonly monitorCommands?: boolean } = {}): MongoClient => {
  const client = new MongoClient(url, {
    appName: 'waymark-read-models',
    readPreference: 'primary',
    readConcern: { level: 'majority' },
    writeConcern: { w: 'majority', journal: true },
    maxPoolSize: connectionsMax,
    waitQueueTimeoutMS: callMs,
    serverSelectionTimeoutMS: selectionMs,
    connectTimeoutMS: callMs,
    socketTimeoutMS: silenceMs,
    ...(ca === undefined ? {} : { tls: true, ca }),
    ...own,
  });
  // A client that could not connect the first time keeps what it closed then, and fails with "Topology is closed" ever after (driver 7.9):
  // without it, its next call connects.
  client.on('topologyClosed', () => Reflect.set(client, 'topology', undefined));
  return client;
};

/** Options that end a call. The driver heeds the signal with reads and writes alike, its types know it with reads only; `comment` they all know. */
export type TimeoutOptions = { readonly signal: AbortSignal; readonly comment?: string };

export const timeoutOptions = (ms: number): TimeoutOptions => ({ signal: AbortSignal.timeout(ms) });

/** Whatever the driver complains of, the read side is away. @throws ReadModelsUnavailable */
export const orUnavailable = async <Value>(use: () => Promise<Value>): Promise<Value> => {
  try {
    return await use();
  } catch (error) {
    if (isDrivers(error)) throw new ReadModelsUnavailable(`MongoDB: ${error.message}`, { cause: error });
    throw error;
  }
};

const isDrivers = (error: unknown): error is { readonly message: string } =>
  error instanceof MongoError || error instanceof BSON.BSONError || isSignals(error) || isSockets(error);

const isSignals = (error: unknown): boolean => ['TimeoutError', 'AbortError'].includes(wordOf(error, 'name'));

/** What a connection ends with while a command is written to it comes from the driver as the system says it (driver 7.9): EPIPE, ECONNRESET. */
const isSockets = (error: unknown): boolean => /^E[A-Z]+$/.test(wordOf(error, 'code'));

/** The classes of errors may be another realm's: their words tell. */
const wordOf = (error: unknown, key: 'name' | 'code'): string => {
  const word: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
  return typeof word === 'string' ? word : '';
};

const duplicateKey = 11_000;

export const isDuplicate = (error: unknown): boolean => error instanceof MongoError && error.code === duplicateKey;
