/** What a request asks for, and by which bearer token. */
export type Target = { readonly path: string; readonly token: string };

/** One kind of request, sent over and over. */
export type Load = {
  readonly base: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Each request draws one. */
  readonly targets: readonly Target[];
  /** Joined with a number that no other request has; absent: no body. */
  readonly parts?: readonly string[];
  readonly connections: number;
  /** How many results a page must have. */
  readonly results?: number;
  /** The only status that counts as right. */
  readonly status: 200 | 201;
};

export type Outcome = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many of each kind: wrong statuses, broken connections, time-outs. */
  readonly failures: Readonly<Record<string, number>>;
};

export type Generator = {
  readonly name: string;
  readonly run: (load: Load, seconds: number) => Promise<Outcome>;
};

export const drawn = ({ targets }: Load): Target => targets[Math.floor(Math.random() * targets.length)] ?? { path: '/', token: '' };
