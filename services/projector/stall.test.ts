import { setTimeout as pause } from 'node:timers/promises';
import { watchForStall } from '@waymark/cluster-runtime/stall-watch.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { checkEveryMs } from './limits.ts';
import type { Projector } from './projector.ts';
import { projectorSetups } from './testing/projectors.ts';
import { waitUntil } from './testing/until.ts';

const newSetup = projectorSetups();
const limitMs = 1_500;
const engines = [{ failure: () => undefined }];

/** Watches a projector, with a short limit. */
const watch = ({ works }: Projector) => {
  const ended: string[] = [];
  const stop = watchForStall({ engines, works, fatal: ({ message }) => ended.push(message), limitMs, checkEveryMs: 50 });
  return { ended, stop };
};

/** Lets every call of a method wait until `release` is called. */
const hang = <Name extends string>(on: { readonly [name in Name]: (...order: never[]) => Promise<unknown> }, name: Name) => {
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  const spy = jest.spyOn(on as Record<string, () => Promise<unknown>>, name).mockImplementation(() => over.promise);
  return {
    release: (): void => {
      spy.mockRestore();
      over.reject(new ReadModelsUnavailable('It was released.'));
    },
  };
};

describe('a projector whose engines respond', () => {
  it('continues while it applies events, and while it has all', async () => {
    const { start, append, isLive } = newSetup();
    const one = start();
    const { ended, stop } = watch(one);
    for (let turn = 0; turn < 5; turn += 1) {
      append();
      await waitUntil('the generation is live', () => isLive());
      await pause(limitMs / 3);
    }
    await pause(2 * limitMs);
    expect(ended).toEqual([]);
    stop();
  });

  it('ends if no transaction succeeds', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    const { ended, stop } = watch(one);
    const { release } = hang(control.generation('1-1-1'), 'applyTogether');
    append();
    await waitUntil('it ends', () => ended.length > 0);
    expect(ended).toEqual(['No progress for 1.5 s although all engines respond: feeding generation 1-1-1.']);
    stop();
    release();
  });

  it('ends if the generations are not checked any more', async () => {
    const { start, append, isLive, log } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    const { ended, stop } = watch(one);
    const { release } = hang(log, 'state');
    await waitUntil('it ends', () => ended.length > 0);
    expect(ended).toEqual(['No progress for 1.5 s although all engines respond: checking the generations.']);
    stop();
    release();
  });

  it('continues while only an operator can help', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    control.takeOver('another');
    await waitUntil('it reports it', () => one.notReady().length > 0);
    const { ended, stop } = watch(one);
    append();
    await pause(2 * limitMs + checkEveryMs);
    expect(ended).toEqual([]);
    stop();
  });
});
