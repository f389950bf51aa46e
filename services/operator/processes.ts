/** A process of the cluster, and where its operator port is. */
export type Peer = { readonly name: string; readonly url: string };

/** What a process tells of itself; `missing` says what is wrong where it does not answer. `operator`: where its operator port is. */
export type PeerFigures = {
  readonly name: string;
  readonly operator: string;
  readonly ready: boolean;
  readonly missing: readonly string[];
  /** What an operator should know although it is ready. */
  readonly warnings?: readonly string[];
  /** Of the log that it works with, where it goes by one. */
  readonly incarnation?: string;
} & Readonly<Record<string, unknown>>;

const askedMs = 2_000;

/** `name=url` for each, separated by commas. */
export const peersOf = (text: string): readonly Peer[] =>
  text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', url = ''] = part.split(/=(.*)/);
      return { name, url: url.replace(/\/+$/, '') };
    });

/** Asks all of them at once, each within a bound. */
export const figuresOf = (peers: readonly Peer[], token: string): Promise<readonly PeerFigures[]> =>
  Promise.all(peers.map((peer) => figures(peer, token)));

const figures = async ({ name, url }: Peer, token: string): Promise<PeerFigures> => {
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

/** What keeps the cluster from being ready, in words. */
export const missingOf = (all: readonly PeerFigures[]): readonly string[] =>
  all.flatMap(({ name, ready, missing }) => (ready ? [] : missing.map((what) => `${name}: ${what}`)));

/** What an operator should know of the cluster although it is ready, in words. */
export const warningsOf = (all: readonly PeerFigures[]): readonly string[] =>
  all.flatMap(({ name, warnings = [] }) => warnings.map((what) => `${name}: ${what}`));
