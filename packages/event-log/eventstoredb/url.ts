import { readFileSync } from 'node:fs';
import {
  type ChannelCredentialOptions,
  type Credentials,
  type EndPoint,
  EventStoreDBClient,
  FOLLOWER,
  LEADER,
  type NodePreference,
  RANDOM,
  READ_ONLY_REPLICA,
} from '@eventstore/db-client';

/** The hosts of an event store and how to reach them, as its connection string names them. */
export type Target = {
  readonly discover: boolean;
  readonly hosts: readonly EndPoint[];
  readonly credentials: Credentials | undefined;
  readonly isSecure: boolean;
  /** The path of the CA certificates. Empty: the public authorities count. */
  readonly caFile: string;
  readonly options: {
    readonly connectionName: string;
    readonly keepAliveInterval: number;
    readonly keepAliveTimeout: number;
    readonly nodePreference: NodePreference;
    readonly discoveryInterval: number;
    readonly gossipTimeout: number;
    readonly maxDiscoverAttempts: number;
  };
};

const shape = 'esdb[+discover]://[user:password@]host[:port][,host[:port]…][?option=value&…]';
const portDefault = 2_113;
const protocols = ['esdb', 'kurrentdb', 'kurrent', 'kdb'];
const keepAliveMsMin = 10_000;
const preferences: readonly NodePreference[] = [LEADER, FOLLOWER, READ_ONLY_REPLICA, RANDOM];

/** Parses a connection string. The client could do it, but it prints the strings that it does not understand, and all strings where DEBUG
 * is set, with the password in them.
 * @throws Error that quotes nothing of the string except the name of an option */
export const parseUrl = (url: string): Target => {
  const parts =
    /^(?<protocol>[a-z]+)(?<discover>\+discover)?:\/\/(?:(?<user>[^:@/?]+):(?<password>[^@/?]+)@)?(?<hosts>[^@/?]+)\/?(?:\?(?<query>.*))?$/.exec(
      url.trim(),
    )?.groups;
  if (!parts || !protocols.includes(parts['protocol'] ?? '')) throw new Error(`The URL of the event store is not ${shape}.`);
  const { discover, user, password, hosts = '', query = '' } = parts;
  const { isSecure, caFile, ...options } = optionsIn(query);
  return {
    discover: discover !== undefined,
    hosts: hosts.split(',').map(endPoint),
    credentials: user && password ? { username: unescaped(user), password: unescaped(password) } : undefined,
    isSecure,
    caFile,
    options,
  };
};

const endPoint = (text: string): EndPoint => {
  const { address, port } = /^(?<address>[A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  if (!address || Number(port) > 65_535) throw new Error('The URL of the event store has an invalid host[:port].');
  return { address, port: Number(port ?? portDefault) };
};

const optionsIn = (query: string) => {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) given.set(plain(name), value);
  const taken = <Value>(name: string, otherwise: Value, parse: (text: string) => Value | undefined): Value => {
    const text = given.get(plain(name));
    given.delete(plain(name));
    const value = text === undefined ? otherwise : parse(text);
    if (value === undefined) throw new Error(`The URL of the event store has an invalid value for the option ${name}.`);
    return value;
  };
  const options = {
    isSecure: taken('tls', true, truth),
    caFile: taken('tlsCAFile', '', (text) => text),
    connectionName: taken('connectionName', 'waymark', (text) => text),
    keepAliveInterval: taken('keepAliveInterval', keepAliveMsMin, (text) => whole(text, keepAliveMsMin)),
    keepAliveTimeout: taken('keepAliveTimeout', 5_000, whole),
    nodePreference: taken<NodePreference>('nodePreference', LEADER, (text) => preferences.find((one) => plain(one) === plain(text))),
    discoveryInterval: taken('discoveryInterval', 100, whole),
    gossipTimeout: taken('gossipTimeout', 5, whole),
    maxDiscoverAttempts: taken('maxDiscoverAttempts', 10, whole),
  };
  for (const name of given.keys()) throw new Error(`The URL of the event store has an unknown option${named(name)}.`);
  return options;
};

/** Normalises the name of an option, as the client does it to compare names. */
const plain = (name: string): string => name.trim().toLowerCase().replace(/[_-]/g, '');
const truth = (text: string): boolean | undefined => ({ true: true, false: false })[text];
const whole = (text: string, least = 1): number | undefined => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined);

/** Returns the name for a message, if it looks like an option's name; otherwise it may be a piece of a password. */
const named = (name: string): string => (/^[a-z]{1,30}$/.test(name) ? `: ${name}` : '');

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('User or password in the URL of the event store are not percent-encoded.');
  }
};

/** Returns a function that creates clients of the library, which connect when they are first used. The clients always throw the error of a
 * failed append: a returned result would give revision 1, whatever the server answered.
 * @param ca certificates (PEM) to trust instead of what the URL names
 * @throws Error where the file that the URL names cannot be read */
export const clientMaker = ({ discover, hosts, credentials, isSecure, caFile, options }: Target, ca: string | undefined) => {
  const { connectionName, keepAliveInterval, keepAliveTimeout, ...discovery } = options;
  const settings = { connectionName, keepAliveInterval, keepAliveTimeout, throwOnAppendFailure: true };
  const rootCertificate = ca === undefined ? caFile !== '' && readFileSync(caFile) : Buffer.from(ca);
  const channel: ChannelCredentialOptions = isSecure
    ? { insecure: false, ...(rootCertificate && { rootCertificate }) }
    : { insecure: true };
  const [first = { address: '', port: portDefault }] = hosts;
  return (): EventStoreDBClient => {
    if (discover) return new EventStoreDBClient({ ...settings, ...discovery, discover: first }, channel, credentials);
    if (hosts.length > 1) return new EventStoreDBClient({ ...settings, ...discovery, endpoints: [...hosts] }, channel, credentials);
    return new EventStoreDBClient({ ...settings, endpoint: first }, channel, credentials);
  };
};
