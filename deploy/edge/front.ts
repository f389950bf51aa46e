import { existsSync } from 'node:fs';

/** A module of Debian's (libnginx-mod-stream). Without it, only requests that were read are limited by address. */
const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so';

/** Connections that one address may have: those whose request has not been read yet, and those that rest between two requests, too. */
export const addressConnectionsMax = 1_024;

export type Front = {
  /** What loads the module. */
  readonly module: string;
  /** The `stream` block. */
  readonly block: string;
  /** What the HTTP server listens on. */
  readonly listen: string;
};

/** What stands before the HTTP server: it accepts connections, limits them by address, and hands their bytes on. HTTP's own limits see a
 * request only once its header has been read. Undefined where the module is missing.
 * @param socket path of the socket between both
 * @param trusted proxies, whose connections are not limited */
export const frontOf = (listen: string, socket: string, trusted: readonly string[]): Front | undefined =>
  existsSync(streamModule)
    ? {
        module: `load_module ${streamModule};`,
        block: block(listen, socket, trusted),
        listen: `unix:${socket} proxy_protocol`,
      }
    : undefined;

const block = (listen: string, socket: string, trusted: readonly string[]): string => `stream {
  geo $is_proxy {
    default 0;
    ${trusted.map((proxy) => `${proxy} 1;`).join(' ')}
  }
  map "$is_proxy$binary_remote_addr" $peer_network {
    default "";
    "~(?s)^0(?<ipv4>.{4})$" $ipv4;
    "~(?s)^0\\x00{10}\\xff\\xff(?<mapped>.{4})$" $mapped;
    "~(?s)^0\\x00\\x64\\xff\\x9b\\x00{8}(?<nat64>.{4})$" $nat64;
    "~(?s)^0(?<ipv6>.{8}).{8}$" $ipv6;
  }
  limit_conn_zone $peer_network zone=peers:16m;
  limit_conn peers ${addressConnectionsMax};
  limit_conn_log_level info;
  proxy_protocol on;
  proxy_connect_timeout 3s;
  # Longer than HTTP's own limits.
  proxy_timeout 150s;
  server {
    listen ${listen};
    proxy_pass unix:${socket};
  }
}`;
