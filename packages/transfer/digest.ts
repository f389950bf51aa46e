import { hash } from 'node:crypto';
import type { RecordedEvent } from '@waymark/domain/event.ts';

/** The digest of a history: of every event with its place in its stream, in order. Positions are not part of it, because another log
 * assigns other ones. */
export type EventDigest = {
  readonly add: (event: RecordedEvent) => void;
  readonly count: () => number;
  /** Returns the digest of the events added so far, in hex. */
  readonly value: () => string;
};

/** A digest, and the number of events that it covers. */
export type DigestSoFar = { readonly count: number; readonly value: string };

const nothing: DigestSoFar = { count: 0, value: hash('sha256', 'waymark history 1', 'hex') };

/** Creates a chained digest: SHA-256 over the digest so far and the next event. So it can be compared, and continued, at any event. */
export const createEventDigest = (soFar = nothing): EventDigest => {
  let { count, value } = soFar;
  return {
    add: (event) => {
      value = hash('sha256', value + canonical(event), 'hex');
      count += 1;
    },
    count: () => count,
    value: () => value,
  };
};

/** The digest of the histories of several accounts, each in its own order. The events of different accounts may be mixed in any order. */
export const createAccountsDigest = (): { readonly add: (event: RecordedEvent) => void; readonly value: () => string } => {
  const accounts = new Map<string, EventDigest>();
  return {
    add: (event) => {
      const { account } = event.envelope;
      const digest = accounts.get(account) ?? createEventDigest();
      accounts.set(account, digest);
      digest.add(event);
    },
    value: () => {
      const digests = [...accounts].map(([account, digest]) => `${account} ${digest.value()}`);
      return hash('sha256', digests.sort().join('\n'), 'hex');
    },
  };
};

/** Creates a sum that is the same for the same events in any order: the SHA-256 values of the events, added modulo 2^256, in hex. */
export const eventSum = (soFar = '0'): { readonly add: (event: RecordedEvent) => void; readonly value: () => string } => {
  let value = BigInt(`0x${soFar}`);
  return {
    add: (event) => {
      value = (value + BigInt(`0x${hash('sha256', canonical(event), 'hex')}`)) % sumsBelow;
    },
    value: () => value.toString(16),
  };
};

const sumsBelow = 2n ** 256n;

/** Returns the same text for the same event, whatever the order in which a store returns its properties. */
const canonical = ({ stream, revision, envelope, salt, content }: RecordedEvent): string => {
  const properties = Object.entries(envelope).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([stream, revision, properties, salt, content]);
};
