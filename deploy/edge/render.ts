import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  /** Replicas of each service, `host:port`, one or more. */
  readonly upstreams: Readonly<Record<EdgeService, readonly string[]>>;
  /** Processes; undefined: one a core. */
  readonly workers?: number;
  /** Proxies before the edge, addresses and subnets, whose `X-Forwarded-For` is believed. */
  readonly trusted?: readonly string[];
};

/** nginx's configuration for an edge. */
export const edgeConfiguration = ({ listen, upstreams, workers, trusted = [] }: EdgeOptions): string => {
  const hides = existsSync(headersModule);
  const values = new Map([
    ['MODULES', hides ? `load_module ${headersModule};` : ''],
    ['HIDE', hides ? 'more_clear_headers Server;' : ''],
    ['LISTEN', checked(listen)],
    ['WORKERS', `${workers ?? 'auto'}`],
    ['REAL_IP', trusted.length === 0 ? '' : [...trusted.map(realIpFrom), ...realIp].join(' ')],
    ...services.map((service): [string, string] => [service.toUpperCase(), servers(service, upstreams[service])]),
  ]);
  return readFileSync(template, 'utf8').replaceAll(/\$\{WAYMARK_EDGE_(\w+)\}/g, (_, name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`nobody says what WAYMARK_EDGE_${name} is`);
    return value;
  });
};

/** Arguments for nginx to stay in the foreground, with everything that it writes in a directory of its own.
 * @param directory absolute; has to be there */
export const edgeArguments = (directory: string, configuration: string): readonly string[] => {
  // Started by root, it would have its work done by somebody who may not enter the directory.
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  return ['-e', 'stderr', '-p', `${directory}/`, '-c', configuration, '-g', `daemon off;${user}`];
};

/** What may stand as an address or a subnet. */
const subnet = /^[\w.:]+(\/\d{1,3})?$/;
const realIp = ['real_ip_header X-Forwarded-For;', 'real_ip_recursive on;'];

const realIpFrom = (proxy: string): string => {
  if (!subnet.test(proxy)) throw new Error(`"${proxy}" is no address or subnet`);
  return `set_real_ip_from ${proxy};`;
};

const checked = (text: string): string => {
  if (!address.test(text)) throw new Error(`"${text}" is no address`);
  return text;
};

const servers = (service: EdgeService, addresses: readonly string[]): string => {
  if (addresses.length === 0) throw new Error(`no address of ${service}`);
  return addresses.map((each) => `server ${checked(each)} ${failing};`).join(' ');
};
