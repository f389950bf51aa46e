import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createCache } from '@waymark/caches/cache.ts';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';
import { addressesCachedMax, forwardedCharactersCachedMax } from '../limits.ts';
import { createEdgeCheck } from './edge-key.ts';

/** The addresses that requests come from. An address is written as the key that its client is counted by: an IPv4 address, or an IPv6
 * network of 64 bits. */
export type ClientAddresses = {
  /** Returns the address of a request's client: the peer's, or the one that an edge or trusted proxies name in `X-Forwarded-For`. */
  readonly of: (request: IncomingMessage) => string;
  /** Returns the address of a connection's peer, or undefined if the peer is a trusted proxy. */
  readonly ofPeer: (connection: Pick<Socket, 'remoteAddress'>) => string | undefined;
  /** Returns whether a request has the key of an edge; undefined where no edge has a key. */
  readonly isFromEdge: ((request: Pick<IncomingMessage, 'headers'>) => boolean) | undefined;
};

export type ClientAddressesOptions = {
  /** Addresses and subnets of trusted proxies. */
  readonly trusted: readonly string[];
  /** The keys of edges. The peer of a request that has one is trusted, whatever its address. */
  readonly edgeKeys?: readonly string[];
  /** Called once, with the peer's address, when a private address that is not trusted sends `X-Forwarded-For`. */
  readonly onUntrustedProxy?: (peer: string) => void;
};

/** Creates the functions that find client addresses.
 * @throws TypeError if an address or subnet is malformed */
export const createClientAddresses = ({ trusted, edgeKeys = [], onUntrustedProxy }: ClientAddressesOptions): ClientAddresses => {
  const trusts = proxyAddress.compile([...trusted]);
  const trustsAfterPeer = (named: string, hop: number): boolean => hop === 0 || trusts(withoutPort(named), hop);
  const isFromEdge = edgeKeys.length === 0 ? undefined : createEdgeCheck(edgeKeys);
  const forwardedBy = createCache<string, string>(addressesCachedMax);
  let report = onUntrustedProxy;

  const reportProxy = (request: IncomingMessage, peer: string): void => {
    if (report === undefined || request.headers['x-forwarded-for'] === undefined || !isPrivate(peer)) return;
    report(peer);
    report = undefined;
  };
  /** Returns the client that a trusted peer names. */
  const forwarded = (request: IncomingMessage, peer: string): string => {
    const header = `${peer} ${request.headers['x-forwarded-for'] ?? ''}`;
    const known = forwardedBy.get(header);
    if (known !== undefined) return known;
    const named = proxyAddress.all(request, trustsAfterPeer).map((address) => inHexadecimal(withoutPort(address)));
    const found = addressKey(named.findLast(ipaddr.isValid) ?? peer);
    if (header.length <= forwardedCharactersCachedMax) forwardedBy.set(header, found);
    return found;
  };

  return {
    of: (request) => {
      // A connection that has ended no longer has a peer.
      const peer = request.socket.remoteAddress ?? '';
      if (trusts(peer, 0) || isFromEdge?.(request)) return forwarded(request, peer);
      reportProxy(request, peer);
      return addressKey(peer);
    },
    ofPeer: ({ remoteAddress: peer = '' }) => (trusts(peer, 0) ? undefined : addressKey(peer)),
    isFromEdge,
  };
};

/** Returns the errors in a list of trusted proxies. */
export const proxyFaults = (trusted: readonly string[]): readonly string[] => {
  try {
    createClientAddresses({ trusted });
    return [];
  } catch (error) {
    return [`WAYMARK_TRUSTED_PROXIES: ${(error as Error).message}`];
  }
};

/** Removes the port that some proxies add to an address: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string => text.replace(/^(?:([\d.]+):\d+|\[([^\]]*)\](?::\d+)?)$/, '$1$2');

/** Rewrites an IPv6 address whose last part is written as IPv4, because the parser accepts this form only for a few addresses. Returns any
 * other text unchanged. */
const inHexadecimal = (text: string): string =>
  text.includes(':') && text.includes('.') ? (URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? text) : text;

/** Returns the key of an address: the IPv4 address, also if a mapped or NAT64 address contains it; otherwise the IPv6 network of 64 bits. */
const addressKey = (text: string): string => {
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = withoutEmbedding(ipaddr.parse(text));
  if (isIPv4(address)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};

/** Returns the network that an address of `ClientAddresses` is in, cut so that it names no person: 24 bits of an IPv4 address, 48 bits of an
 * IPv6 network. Undefined for an unknown address. */
export const networkOf = (address: string): string | undefined => {
  const [text = ''] = address.split('/', 1);
  if (!ipaddr.isValid(text)) return undefined;
  const parsed = ipaddr.parse(text);
  const bits = isIPv4(parsed) ? 24 : 48;
  const bytes = parsed.toByteArray().map((byte, nth) => (nth * 8 < bits ? byte : 0));
  return `${ipaddr.fromByteArray(bytes)}/${bits}`;
};

type Parsed = ReturnType<typeof ipaddr.parse>;
type IPv4 = Extract<Parsed, { readonly octets: number[] }>;

const isIPv4 = (address: Parsed): address is IPv4 => address.kind() === 'ipv4';

/** Returns the IPv4 address within `::ffff:0:0/96` or `64:ff9b::/96`, or else the address itself. */
const withoutEmbedding = (address: Parsed): Parsed => {
  if (isIPv4(address)) return address;
  const range = address.range();
  return range === 'ipv4Mapped' || range === 'rfc6052' ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : address;
};

const isPrivate = (peer: string): boolean => ipaddr.isValid(peer) && privateRanges.has(withoutEmbedding(ipaddr.parse(peer)).range());

const privateRanges: ReadonlySet<string> = new Set(['private', 'loopback', 'linkLocal', 'carrierGradeNat', 'uniqueLocal']);
