import { hash } from 'node:crypto';
import type { RecordedEvent } from '@waymark/domain/event.ts';

/** What tells two histories apart: every event with its place in its stream, in their order. Not their positions, which another log gives
 * anew. */
export type EventDigest = {
  readonly add: (event: RecordedEvent) => void;
  readonly count: () => number;
  /** Of what was added so far: hex. */
  readonly value: () => string;
};

/** A digest, and how many events it is of. */
export type DigestSoFar = { readonly count: number; readonly value: string };

const nothing: DigestSoFar = { count: 0, value: hash('sha256', 'waymark history 1', 'hex') };

/** A chain: SHA-256 over the digest so far and the next event, so that it can be compared, and gone on with, at any event. */
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

/** The same events have the same sum, in whichever order they come: what SHA-256 gives for each, added up (modulo 2^256, hex). */
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

/** The same text for the same event, in whichever order a store hands over its properties. */
const canonical = ({ stream, revision, envelope, salt, content }: RecordedEvent): string => {
  const properties = Object.entries(envelope).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([stream, revision, properties, salt, content]);
};
