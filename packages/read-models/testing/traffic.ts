import { setTimeout as wait } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Generation, MongoReadSide } from '../mongodb/read-side.ts';
import type { ReadPosition } from '../read-models.ts';
import { mine, pinpointCreated } from './facts.ts';
import { at, beginning, recorder } from './recorder.ts';

const partition = 0;

/** A log with projectors that feed one generation at once and another a little later. */
export type Feed = {
  /** Records the creation of a pinpoint, which is applied some time later. */
  readonly append: (pinpoint: number) => RecordedEvent;
  readonly follow: (signal: AbortSignal) => Promise<void>;
};

export const feedOf = (...generations: readonly Generation[]): Feed => {
  const log: RecordedEvent[] = [];
  const { record } = recorder();

  const feed = async (generation: Generation, lagMs: number, signal: AbortSignal): Promise<void> => {
    let done = 0;
    let reached: ReadPosition = beginning;
    while (!signal.aborted) {
      const events = log.slice(done);
      const to = events.map(at).at(-1);
      if (to) {
        if (!(await generation.applyTogether([{ partition, after: reached.position, events, to }])))
          throw new Error('Another process feeds the generation.');
        done += events.length;
        reached = to;
      }
      await wait(lagMs * Math.random());
    }
  };

  return {
    append: (pinpoint) => {
      const event = record(mine, pinpointCreated(pinpoint));
      log.push(event);
      return event;
    },
    follow: async (signal) => {
      await Promise.all(generations.map((generation, index) => feed(generation, 5 + index * 200, signal)));
    },
  };
};

export type Seen = { readonly written: number; readonly missed: readonly number[]; readonly refused: readonly string[] };

/** Writes repeatedly, waits until each write is visible, and checks that it is found. */
export const traffic = async (parts: {
  readonly gateway: MongoReadSide;
  readonly feed: Feed;
  readonly signal: AbortSignal;
}): Promise<Seen> => {
  const { gateway, feed, signal } = parts;
  const missed: number[] = [];
  const refused: string[] = [];
  let written = 0;
  while (!signal.aborted) {
    written += 1;
    const { position } = feed.append(written);
    try {
      while (!signal.aborted && (await gateway.visiblePosition(partition)) < position) await wait(2);
      if (!signal.aborted && !(await gateway.live.find('pinpoint', written))) missed.push(written);
    } catch (error) {
      refused.push(String(error));
    }
  }
  return { written, missed, refused };
};
