import { existsSync } from 'node:fs';

/** An nginx module of Debian (package libnginx-mod-stream). Without it, the edge limits by address only requests whose header it has read. */
const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so';

/** The number of connections that one address may have. Connections whose request has not been read yet count, and so do idle connections
 * between two requests. */
export const addressConnectionsMax = 1_024;

export type Front = {
  /** The directive that loads the module. */
  readonly module: string;
  /** The `stream` block. */
  readonly block: string;
  /** The address that the HTTP server listens on. */
  readonly listen: string;
};

/** Returns the front: an nginx stream server before the HTTP server. It accepts connections, limits their number by address, and forwards
 * their bytes. HTTP's own limits cannot do this, because they see a request only once its header has been read. Returns undefined where the
 * module is missing.
 * @param socket path of the socket between the front and the HTTP server
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
  # A refusal may end a connection over which a body still arrives: the client can read it only if its body is received, too.
  proxy_half_close on;
  # Longer than HTTP's own limits.
  proxy_timeout 150s;
  server {
    listen ${listen};
    proxy_pass unix:${socket};
  }
}`;
