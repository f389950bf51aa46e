import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { withDeadline } from '@waymark/timing/deadline.ts';

/** A process of the cluster, with the URL of its operator port. */
export type Peer = { readonly name: string; readonly url: string };

/** The report of a process. If it does not respond, `missing` contains that reason. `operator`: the URL of its operator port. */
export type PeerFigures = {
  readonly name: string;
  readonly operator: string;
  readonly ready: boolean;
  readonly missing: readonly string[];
  /** What an operator should know even if the process is ready. */
  readonly warnings?: readonly string[];
  /** The incarnation of the log that it uses, if it uses one. */
  readonly incarnation?: string;
  /** Of a notary: its public keys, the newest one first. */
  readonly verifierKeys?: readonly string[];
} & Readonly<Record<string, unknown>>;

const askedMs = 2_000;
const resolvedMs = 1_000;
/** The most processes that one name may lead to. */
const processesOfNameMax = 1_000;

/** Returns the addresses that a host name has now. */
type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
const resolveAll: Resolve = (host) => lookup(host, { all: true });

/** Parses `name=url` for each process, separated by commas. */
export const peersOf = (text: string): readonly Peer[] =>
  text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', url = ''] = part.split(/=(.*)/);
      return { name, url: url.replace(/\/+$/, '') };
    });

/** Returns the public keys that the notary reports; none if there is no notary, or if it does not respond. */
export const verifierKeysOf = (all: readonly Pick<PeerFigures, 'verifierKeys'>[]): readonly string[] =>
  all.flatMap(({ verifierKeys = [] }) => verifierKeys);

/** Queries all processes concurrently, each with a time limit. Where a name leads to several addresses, as that of a headless Service of
 * Kubernetes does, each of them is a process. */
export const figuresOf = async (peers: readonly Peer[], token: string, resolve = resolveAll): Promise<readonly PeerFigures[]> => {
  const each = await Promise.all(peers.map((peer) => processesOf(peer, resolve)));
  return Promise.all(each.flat().map((peer) => fetchFigures(peer, token)));
};

const processesOf = async (peer: Peer, resolve: Resolve): Promise<readonly Peer[]> => {
  const { protocol, hostname } = new URL(peer.url);
  // A certificate is one for the name.
  if (protocol !== 'http:' || isIP(hostname) > 0 || hostname.startsWith('[')) return [peer];
  const found = await withDeadline(resolvedMs, resolve(hostname), () => []).catch(() => []);
  // A host that has addresses of both families is one process.
  const addresses = found.filter(({ family }) => family === found[0]?.family).map(({ address }) => address);
  if (addresses.length < 2) return [peer];
  return addresses
    .sort()
    .slice(0, processesOfNameMax)
    .map((address, nth) => ({
      name: nth === 0 ? peer.name : `${peer.name}-${nth + 1}`,
      url: withHost(peer.url, isIP(address) === 6 ? `[${address}]` : address),
    }));
};

const withHost = (url: string, host: string): string => {
  const changed = new URL(url);
  changed.hostname = host;
  return changed.href.replace(/\/$/, '');
};

const fetchFigures = async ({ name, url }: Peer, token: string): Promise<PeerFigures> => {
  try {
    const answer = await fetch(`${url}/operator/figures`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(askedMs),
    });
    if (answer.status !== 200) return { name, operator: url, ready: false, missing: [`It answers ${answer.status}.`] };
    return { name, operator: url, ...((await answer.json()) as object) } as PeerFigures;
  } catch {
    return { name, operator: url, ready: false, missing: ['It does not answer.'] };
  }
};

/** Returns why the cluster is not ready, as sentences. */
export const missingOf = (all: readonly PeerFigures[]): readonly string[] =>
  all.flatMap(({ name, ready, missing }) => (ready ? [] : missing.map((what) => `${name}: ${what}`)));

/** Returns the warnings of the cluster, as sentences. The cluster may be ready nevertheless. */
export const warningsOf = (all: readonly PeerFigures[]): readonly string[] =>
  all.flatMap(({ name, warnings = [] }) => warnings.map((what) => `${name}: ${what}`));
