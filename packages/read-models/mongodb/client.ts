import { BSON, MongoClient, MongoError } from 'mongodb';
import { ReadModelsUnavailable, TransactionTooLarge } from '../read-models.ts';
import { callMs, connectionsMax, selectionMs, silenceMs } from './limits.ts';

export type MongoConnection = {
  /** The connection string of a replica set, `mongodb://` or `mongodb+srv://`. */
  readonly url: string;
  /** PEM certificates of the authorities to trust instead of the public ones. With them, TLS is used. */
  readonly ca?: string | undefined;
};

/** Creates a client that connects at its first call.
 * @throws the driver's error where the connection string is wrong: it may quote the string */
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
  // A client whose first connection attempt failed keeps its closed topology, and then always fails with "Topology is closed" (driver 7.9).
  // Without the topology, its next call connects.
  client.on('topologyClosed', () => Reflect.set(client, 'topology', undefined));
  return client;
};

/** Options that end a call. The driver honours the signal for reads and writes, but its types declare it only for reads; they all declare
 * `comment`. */
export type TimeoutOptions = { readonly signal: AbortSignal; readonly comment?: string };

export const timeoutOptions = (ms: number): TimeoutOptions => ({ signal: AbortSignal.timeout(ms) });

/** Turns every error of the driver into an unavailability of the read models.
 * @throws ReadModelsUnavailable, TransactionTooLarge */
export const orUnavailable = async <Value>(use: () => Promise<Value>): Promise<Value> => {
  try {
    return await use();
  } catch (error) {
    if (isTooLarge(error)) throw new TransactionTooLarge(`MongoDB: ${error.message}`, { cause: error });
    if (isDrivers(error)) throw new ReadModelsUnavailable(`MongoDB: ${error.message}`, { cause: error });
    throw error;
  }
};

const isDrivers = (error: unknown): error is { readonly message: string } =>
  error instanceof MongoError || error instanceof BSON.BSONError || isSignals(error) || isSockets(error);

const isSignals = (error: unknown): boolean => ['TimeoutError', 'AbortError'].includes(wordOf(error, 'name'));

/** A connection that breaks while a command is written to it fails with the system's error code (driver 7.9): EPIPE, ECONNRESET. */
const isSockets = (error: unknown): boolean => /^E[A-Z]+$/.test(wordOf(error, 'code'));

/** Error classes may belong to another realm, so errors are recognized by their name or code. */
const wordOf = (error: unknown, key: 'name' | 'code'): string => {
  const word: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
  return typeof word === 'string' ? word : '';
};

const duplicateKey = 11_000;
/** A transaction does not fit into the cache of the storage engine. */
const transactionTooLargeForCache = 388;

const isTooLarge = (error: unknown): error is MongoError => error instanceof MongoError && error.code === transactionTooLargeForCache;

export const isDuplicate = (error: unknown): boolean => error instanceof MongoError && error.code === duplicateKey;
