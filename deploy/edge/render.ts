import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Front, frontOf } from './front.ts';
import { workersUser } from './workers.ts';

const template = join(import.meta.dirname, 'nginx.conf.template');

/** What may stand as an address: `host:port`, `[::1]:port`, a name. Nothing of nginx's own language can be said with it. */
const address = /^[\w.:[\]-]+$/;

/** A replica that failed is tried again after a second: services are back that soon. */
const failing = 'max_fails=1 fail_timeout=1s';

/** A module of Debian's that takes headers away; without it, answers name nginx (and no version). */
const headersModule = '/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so';

const services = ['auth', 'query', 'pinpoints', 'lists', 'categories', 'events'] as const;
/** What the edge tells apart. The last four are the command services of a resource; they may be the same one. */
export type EdgeService = (typeof services)[number];

export type EdgeOptions = {
  /** `host:port` to listen on. */
  readonly listen: string;
  /** Of what the workers write, absolute. */
  readonly directory: string;
  /** Replicas of each service, `host:port`, one or more. */
  readonly upstreams: Readonly<Record<EdgeService, readonly string[]>>;
  /** Processes; undefined: one a core. */
  readonly workers?: number;
  /** Proxies before the edge, addresses and subnets, whose `X-Forwarded-For` is believed. */
  readonly trusted?: readonly string[];
};

/** nginx's configuration for an edge. */
export const edgeConfiguration = ({ listen, directory, upstreams, workers, trusted = [] }: EdgeOptions): string => {
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
    ...services.map((service): [string, string] => [service.toUpperCase(), servers(service, upstreams[service])]),
  ]);
  return readFileSync(template, 'utf8').replaceAll(/\$\{WAYMARK_EDGE_(\w+)\}/g, (_, name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`nobody says what WAYMARK_EDGE_${name} is`);
    return value;
  });
};

/** Arguments for nginx to stay in the foreground.
 * @param directory of what the workers write: absolute, there, and the workers' own
 * @param pidFile that the master writes, absolute */
export const edgeArguments = (directory: string, configuration: string, pidFile: string): readonly string[] => {
  const user = workersUser();
  const runAs = user === undefined ? '' : ` user ${user.name} ${user.group};`;
  return ['-e', 'stderr', '-p', `${directory}/`, '-c', configuration, '-g', `daemon off; pid ${pidFile};${runAs}`];
};

/** The socket between the front and the HTTP server. A master that was killed leaves it behind: it has to be removed before the next start. */
export const frontSocket = (directory: string): string => join(directory, 'front.sock');

/** What may stand as an address or a subnet. */
const subnet = /^[\w.:]+(\/\d{1,3})?$/;

const checkedSubnet = (proxy: string): string => {
  if (!subnet.test(proxy)) throw new Error(`"${proxy}" is no address or subnet`);
  return proxy;
};

type ClientValues = { readonly REAL_IP: string; readonly CLIENT: string; readonly COUNTED: string };

/** Which address is the client's: the peer's, or what a trusted proxy says. nginx believes one header at a time, and behind the front each peer
 * is the front: what is said in X-Forwarded-For by a peer that is no proxy is passed over by name. */
const clientOf = (front: Front | undefined, proxies: readonly string[]): ClientValues => {
  const itself = { CLIENT: '$remote_addr', COUNTED: '$binary_remote_addr' };
  const forwarded = [...proxies.map((proxy) => `set_real_ip_from ${proxy};`), 'real_ip_header X-Forwarded-For;', 'real_ip_recursive on;'];
  if (front === undefined) return { ...itself, REAL_IP: proxies.length === 0 ? '' : forwarded.join(' ') };
  if (proxies.length === 0) return { ...itself, REAL_IP: 'set_real_ip_from unix:; real_ip_header proxy_protocol;' };
  const lines = [
    'set_real_ip_from unix:;',
    ...forwarded,
    `geo $proxy_protocol_addr $is_proxy { default 0; ${proxies.map((proxy) => `${proxy} 1;`).join(' ')} }`,
    // A proxy that names no client is the client itself.
    'map "$is_proxy $remote_addr" $client_address { default $proxy_protocol_addr; "~^1 (?<named>[^u].*)$" $named; }',
    // Peers that are no proxies were limited by the front.
    'map $is_proxy $counted_address { default ""; 1 $binary_remote_addr; }',
  ];
  return { CLIENT: '$client_address', COUNTED: '$counted_address', REAL_IP: lines.join('\n  ') };
};

const checked = (text: string): string => {
  if (!address.test(text)) throw new Error(`"${text}" is no address`);
  return text;
};

const servers = (service: EdgeService, addresses: readonly string[]): string => {
  if (addresses.length === 0) throw new Error(`no address of ${service}`);
  return addresses.map((each) => `server ${checked(each)} ${failing};`).join(' ');
};
