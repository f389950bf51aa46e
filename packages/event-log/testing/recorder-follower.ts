import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { OpenFollower } from '../follower.ts';

/** The messages that the recorder accepts. */
export type RecorderMessage =
  | { readonly ask: 'seen' }
  | { readonly ask: 'batches' }
  | { readonly ask: 'state' }
  /** Moves the recorder to this position. */
  | { readonly ask: 'stand'; readonly at: number }
  | { readonly ask: 'fail' };

/** The contents of events that make the recorder fail. */
export const dying = '{"die":true}';
export const failingOnce = '{"failOnce":true}';

let opened = 0;
let failed = false;

/** A follower that remembers the events that it received. Options: `failsToOpen`, how many times it fails to open; `standsAt`, its first
 * position, as if it had all events before.
 * @public The writer's thread loads it by its URL. */
export const openFollower: OpenFollower = async ({ failsToOpen = 0, standsAt = 0 }, log) => {
  opened += 1;
  if (opened <= Number(failsToOpen)) throw new Error('The recorder does not open yet.');
  let seen: RecordedEvent[] = [];
  const batches: number[] = [];
  return {
    position: async () => seen.at(-1)?.position ?? Number(standsAt),
    handle: async (events) => {
      for (const { content } of events) await obey(content);
      seen.push(...events);
      batches.push(events.length);
    },
    message: async (message) => {
      const request = message as RecorderMessage;
      switch (request.ask) {
        case 'seen':
          return seen;
        case 'batches':
          return batches;
        case 'state':
          return { state: log.state(), second: log.readAfter(1, 1) };
        case 'stand':
          seen = seen.filter(({ position }) => position <= request.at);
          return request.at;
        case 'fail':
          throw new Error('The recorder was told to fail.');
      }
    },
    close: async () => {},
  };
};

const obey = async (content: string | null): Promise<void> => {
  if (content === failingOnce && !failed) {
    failed = true;
    throw new Error('The recorder failed.');
  }
  if (content !== dying) return;
  setTimeout(() => {
    throw new Error('The recorder died.');
  });
  await new Promise(() => {});
};
