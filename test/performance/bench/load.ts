/** The path that a request asks for, and its bearer token. */
export type Target = { readonly path: string; readonly token: string };

/** One kind of request, sent repeatedly. */
export type Load = {
  readonly base: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Each request chooses one of these. */
  readonly targets: readonly Target[];
  /** The parts of the body, joined with a number that no other request has. If absent, there is no body. */
  readonly parts?: readonly string[];
  readonly connections: number;
  /** The number of results that a page must have. */
  readonly results?: number;
  /** The only correct status. */
  readonly status: 200 | 201;
};

export type Outcome = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number of failures of each kind: wrong statuses, broken connections, time-outs. */
  readonly failures: Readonly<Record<string, number>>;
};

export type Generator = {
  readonly name: string;
  readonly run: (load: Load, seconds: number) => Promise<Outcome>;
};

export const drawn = ({ targets }: Load): Target => targets[Math.floor(Math.random() * targets.length)] ?? { path: '/', token: '' };
