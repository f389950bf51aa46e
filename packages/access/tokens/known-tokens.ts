import { createCache } from '@waymark/caches/cache.ts';
import { knownTokensMax } from './limits.ts';
import type { Remembered } from './redis/entries.ts';

/** The tokens that this process itself has confirmed or seen revoked. */
export type KnownTokens = {
  /** `atMs`: the time at which the log, or a signed entry in Redis, was queried (`performance.now()`). */
  readonly confirm: (entry: Remembered, atMs: number) => void;
  readonly revoke: (hash: string) => void;
  readonly find: (hash: string) => ConfirmedToken | 'revoked' | undefined;
};

export type ConfirmedToken = Remembered & { readonly confirmedAtMs: number };

/** Keeps the `knownTokensMax` most recently used tokens. */
export const createKnownTokens = (): KnownTokens => {
  const known = createCache<string, ConfirmedToken | 'revoked'>(knownTokensMax);
  return {
    confirm: ({ record, incarnation }, atMs) => {
      if (known.peek(record.hash) !== 'revoked') known.set(record.hash, { record, incarnation, confirmedAtMs: atMs });
    },
    revoke: (hash) => void known.set(hash, 'revoked'),
    find: (hash) => known.get(hash),
  };
};
