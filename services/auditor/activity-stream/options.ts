import type { Authenticate } from '@waymark/http/access.ts';
import type { OpenAmounts } from '@waymark/http/counters/open-amounts.ts';
import type { StreamSource } from './source.ts';

export type ActivityStreamOptions = {
  readonly source: StreamSource;
  readonly authenticate: Authenticate;
  /** Counts the streams of all threads of the process. */
  readonly amounts: OpenAmounts;
  /** Returns true once the process is shutting down. */
  readonly closing: () => boolean;
  /** The keys of the ids of events: the first one seals, all of them open. */
  readonly keys: readonly string[];
  readonly incarnation: string;
};
