import { setImmediate as turn } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { acknowledgingRepeats } from '@waymark/event-log/testing/acknowledging-repeats.ts';
import { aList, members } from '../../api/samples.ts';
import type { Fixture } from './fixture.ts';
import type { InterleavedInstallation } from './installation.ts';
import { instanceOn, type Request } from './instance.ts';

/** Turns of the event loop after which a request that needs no further query waits in the queue of its list. */
export const turns = 20;

/** Called before a process appends to a stream. */
export type BeforeAppend = (stream: string, nth: number) => Promise<unknown>;

/** Sends requests for one list through one process, so that they are decided as one batch: a first request holds the list until all others
 * wait for it. Returns their responses as promises, and the sizes of the appends to the list so far. */
export const sendAsBatch = async (
  installation: InterleavedInstallation,
  ground: Fixture,
  requests: readonly Request[],
  beforeAppend: BeforeAppend = async () => undefined,
) => {
  const stream = resourceStream('list', ground.list);
  const held = Promise.withResolvers<void>();
  const sizes: number[] = [];
  const repeating = acknowledgingRepeats(installation.log);
  const log = {
    ...repeating,
    append: async (...[to, events, expected]: Parameters<typeof repeating.append>) => {
      if (to === stream && sizes.push(events.length) === 1) await held.promise;
      else await beforeAppend(to, sizes.length);
      return repeating.append(to, events, expected);
    },
  };
  const { send } = instanceOn({
    ...installation,
    reached: () => installation.catchUp().then(() => true as const),
    log,
  });
  const first = send(renaming(ground, 'First'));
  while (sizes.length === 0) await turn();
  const responses = requests.map((request) => send(request));
  for (const response of responses) response.catch(() => undefined);
  for (let nth = 0; nth < turns; nth += 1) await turn();
  held.resolve();
  expect((await first).status).toBe(200);
  return { responses, sizes };
};

export const renaming = ({ account, list: id }: Fixture, name: string, more: object = {}): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id,
  body: aList({ name }),
  ...more,
});

export const adding = ({ account, list: id }: Fixture, pinpoint: number, key?: string): Request => ({
  endpoint: 'POST /lists/:id/pinpoints',
  account,
  id,
  body: members(pinpoint),
  ...(key === undefined ? {} : { key }),
});

export const eventsOf = (installation: InterleavedInstallation, { list }: Fixture): readonly RecordedEvent[] =>
  installation.after(0).filter(({ stream }) => stream === resourceStream('list', list));
