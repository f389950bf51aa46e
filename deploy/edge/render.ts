import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Front, frontOf } from './front.ts';
import { workersUser } from './workers.ts';

const template = join(import.meta.dirname, 'nginx.conf.template');

/** The syntax of an address: `host:port`, `[::1]:port` or a name. It has no characters of nginx's syntax, so an address cannot inject
 * directives. */
const address = /^[\w.:[\]-]+$/;

/** nginx tries a failed replica again after one second, because a service restarts that quickly. */
const failingReplica = 'max_fails=1 fail_timeout=1s';
/** A failed connection says nothing about the next one, which a Service may give to another replica. */
const failingService = 'max_fails=0';

/** Services keep an idle connection for 30 s. */
const reuseOfReplica = 'keepalive_timeout 20s; keepalive_requests 1000000;';
/** A Service chooses a replica for each connection: new replicas get their share once connections have ended. */
const reuseOfService = 'keepalive_timeout 5s; keepalive_time 5s; keepalive_requests 1000;';

/** An nginx module of Debian that removes headers. Without it, responses name nginx (but no version). */
const headersModule = '/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so';

const services = ['auth', 'query', 'auditor', 'pinpoints', 'lists', 'categories', 'events', 'audit'] as const;
/** The services that the edge routes to. The last five are the command services: one for each resource, and `audit` for the writes under
 * `/audit/v1`. They may be the same service. */
export type EdgeService = (typeof services)[number];

export type EdgeOptions = {
  /** The address to listen on: `host:port`. */
  readonly listen: string;
  /** The absolute path of the directory that the workers write to. */
  readonly directory: string;
  /** The replicas of each service: one or more addresses `host:port`. Without an auditor, the query gateways get its requests. */
  readonly upstreams: Readonly<Record<EdgeService, readonly string[]>>;
  /** Whether each of these addresses is a Service, which chooses a replica for each connection. nginx resolves its name once, and tries a
   * read that it refuses once more. */
  readonly behindServices?: boolean;
  /** The key that the services know the edge by. The edge sends it in place of a client's own header. */
  readonly key?: string;
  /** The absolute path of a file: while it exists, every response ends its connection. */
  readonly closingFlag?: string;
  /** The number of worker processes. Undefined: one for each core. */
  readonly workers?: number;
  /** The addresses and subnets of the proxies before the edge whose `X-Forwarded-For` is trusted. */
  readonly trusted?: readonly string[];
};

/** Returns nginx's configuration for an edge. */
export const edgeConfiguration = (options: EdgeOptions): string => {
  const { listen, directory, upstreams, behindServices = false, workers, trusted = [], key = '', closingFlag } = options;
  const hides = existsSync(headersModule);
  const proxies = trusted.map(checkedSubnet);
  const front = frontOf(checked(listen), frontSocket(directory), proxies);
  const values = new Map([
    ['MODULES', [front?.module ?? '', hides ? `load_module ${headersModule};` : ''].join(' ')],
    ['HIDE', hides ? 'more_clear_headers Server;' : ''],
    ['FRONT', front?.block ?? ''],
    ['LISTEN', front?.listen ?? listen],
    ['WORKERS', `${workers ?? 'auto'}`],
    ...Object.entries(clientOf(front, proxies)),
    ['REUSE', behindServices ? reuseOfService : reuseOfReplica],
    ['KEY', quoted(key)],
    ...Object.entries(closingValues(closingFlag)),
    ...services.map((service): [string, string] => [
      service.toUpperCase(),
      servers(service, addressesOf(service, upstreams), behindServices),
    ]),
  ]);
  return readFileSync(template, 'utf8').replaceAll(/\$\{WAYMARK_EDGE_(\w+)\}/g, (_, name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the template names WAYMARK_EDGE_${name}, which has no value`);
    return value;
  });
};

/** Returns the arguments with which nginx stays in the foreground.
 * @param directory that the workers write to: an absolute path; the directory exists and belongs to the workers
 * @param pidFile absolute path of the file that the master writes */
export const edgeArguments = (directory: string, configuration: string, pidFile: string): readonly string[] => {
  const user = workersUser();
  const runAs = user === undefined ? '' : ` user ${user.name} ${user.group};`;
  return ['-e', 'stderr', '-p', `${directory}/`, '-c', configuration, '-g', `daemon off; pid ${pidFile};${runAs}`];
};

/** Returns the path of the socket between the front and the HTTP server. A master that was killed leaves the socket behind. It has to be
 * removed before the next start. */
export const frontSocket = (directory: string): string => join(directory, 'front.sock');

/** The syntax of an address or a subnet. */
const subnet = /^[\w.:]+(\/\d{1,3})?$/;

const checkedSubnet = (proxy: string): string => {
  if (!subnet.test(proxy)) throw new Error(`"${proxy}" is not an address or a subnet`);
  return proxy;
};

type ClientValues = { readonly REAL_IP: string; readonly CLIENT: string; readonly COUNTED: string };

/** Returns the directives that determine the client's address: the peer's address, or the one that a trusted proxy names. nginx reads one
 * header only, and behind the front every peer is the front. Therefore the configuration explicitly ignores the X-Forwarded-For of a peer
 * that is no proxy. */
const clientOf = (front: Front | undefined, proxies: readonly string[]): ClientValues => {
  const itself = { CLIENT: '$remote_addr', COUNTED: '$binary_remote_addr' };
  const forwarded = [...proxies.map((proxy) => `set_real_ip_from ${proxy};`), 'real_ip_header X-Forwarded-For;', 'real_ip_recursive on;'];
  if (front === undefined) return { ...itself, REAL_IP: proxies.length === 0 ? '' : forwarded.join(' ') };
  if (proxies.length === 0) return { ...itself, REAL_IP: 'set_real_ip_from unix:; real_ip_header proxy_protocol;' };
  const lines = [
    'set_real_ip_from unix:;',
    ...forwarded,
    `geo $proxy_protocol_addr $is_proxy { default 0; ${proxies.map((proxy) => `${proxy} 1;`).join(' ')} }`,
    // A proxy that names no client counts as the client.
    'map "$is_proxy $remote_addr" $client_address { default $proxy_protocol_addr; "~^1 (?<named>[^u].*)$" $named; }',
    // The front has already limited the peers that are no proxies.
    'map $is_proxy $counted_address { default ""; 1 $binary_remote_addr; }',
  ];
  return { CLIENT: '$client_address', COUNTED: '$counted_address', REAL_IP: lines.join('\n  ') };
};

const checked = (text: string): string => {
  if (!address.test(text)) throw new Error(`"${text}" is not an address`);
  return text;
};

const addressesOf = (service: EdgeService, upstreams: EdgeOptions['upstreams']): readonly string[] =>
  service === 'auditor' && upstreams.auditor.length === 0 ? upstreams.query : upstreams[service];

const servers = (service: EdgeService, addresses: readonly string[], behindServices: boolean): string => {
  if (addresses.length === 0) throw new Error(`no address for ${service}`);
  return behindServices
    ? // Twice: nginx tries each server once.
      addresses.flatMap((each) => Array(2).fill(`server ${checked(each)} ${failingService};`)).join(' ')
    : addresses.map((each) => `server ${checked(each)} ${failingReplica};`).join(' ');
};

/** Returns the directives by which every response ends its connection while a file exists. nginx decides by location whether a connection
 * stays open, and does not reopen the question for a request that leaves the location. */
const closingValues = (flag: string | undefined): { readonly CLOSING: string; readonly CLOSING_PLACE: string } => {
  if (flag === undefined) return { CLOSING: '', CLOSING_PLACE: '' };
  const place = `location = /-/closing {
      internal;
      keepalive_timeout 0;
      if ($place) { rewrite ^ $place last; }
      proxy_next_upstream error timeout;
      proxy_next_upstream_timeout 35s;
      proxy_pass http://$service$request_uri;
    }`;
  return { CLOSING: `if (-f ${quoted(flag)}) { rewrite ^ /-/closing last; }`, CLOSING_PLACE: place };
};

/** @throws where the text has characters that mean something to nginx within quotes */
const quoted = (text: string): string => {
  if (/["\\$\s]/.test(text)) throw new Error('a path or a key of the edge may contain no blank and none of " \\ $');
  return `"${text}"`;
};
