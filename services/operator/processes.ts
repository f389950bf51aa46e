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
} & Readonly<Record<string, unknown>>;

const askedMs = 2_000;

/** Parses `name=url` for each process, separated by commas. */
export const peersOf = (text: string): readonly Peer[] =>
  text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', url = ''] = part.split(/=(.*)/);
      return { name, url: url.replace(/\/+$/, '') };
    });

/** Queries all processes concurrently, each with a time limit. */
export const figuresOf = (peers: readonly Peer[], token: string): Promise<readonly PeerFigures[]> =>
  Promise.all(peers.map((peer) => fetchFigures(peer, token)));

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
