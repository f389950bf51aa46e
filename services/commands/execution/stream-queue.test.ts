import { setTimeout as pause } from 'node:timers/promises';
import { batchIdsMax, batchRequestsMax, waitersPerStreamMax } from '../limits.ts';
import { createStreamQueue, type RunBatch } from './stream-queue.ts';

type Job = { readonly name: string; readonly ids?: number };

/** Creates a queue whose batches run until `next` ends the oldest one. The result of a batch is the name of its last job. */
const openQueue = (withinMs?: number) => {
  const batches: string[] = [];
  const refused: string[] = [];
  const running: (() => void)[] = [];
  const run: RunBatch<Job, string> = async (stream, jobs, left) => {
    const names = jobs.map(({ name }) => name);
    batches.push(`${stream}: ${left ?? 'nothing'} → ${names.join(' ')}`);
    await new Promise<void>((resolve) => running.push(resolve));
    return names.at(-1);
  };
  const enqueue = createStreamQueue<Job, string>({
    run,
    idsOf: ({ ids = 0 }) => ids,
    refuse: ({ name }) => refused.push(name),
    ...(withinMs === undefined ? {} : { withinMs }),
  });
  const next = async (): Promise<void> => {
    running.shift()?.();
    await pause(0);
  };
  return { add: (name: string, ids = 0, stream = 'list-1') => enqueue(stream, { name, ids }), next, batches, refused };
};

describe('jobs for one stream', () => {
  it('run at once while the stream is idle, and then all together that have arrived meanwhile', async () => {
    const { add, next, batches } = openQueue();
    for (const name of ['a', 'b', 'c']) add(name);
    expect(batches).toEqual(['list-1: nothing → a']);
    await next();
    add('d');
    expect(batches).toEqual(['list-1: nothing → a', 'list-1: a → b c']);
    await next();
    await next();
    expect(batches).toEqual(['list-1: nothing → a', 'list-1: a → b c', 'list-1: c → d']);
    add('e');
    expect(batches.at(-1)).toBe('list-1: nothing → e');
  });

  it('do not wait for those of another stream', () => {
    const { add, batches } = openQueue();
    add('a');
    add('b', 0, 'list-2');
    expect(batches).toEqual(['list-1: nothing → a', 'list-2: nothing → b']);
  });

  it('are refused if their turn does not come in time, and do not run later', async () => {
    const { add, next, batches, refused } = openQueue(20);
    for (const name of ['a', 'b', 'c']) add(name);
    while (refused.length < 2) await pause(5);
    expect(refused).toEqual(['b', 'c']);
    add('d');
    await next();
    expect(batches).toEqual(['list-1: nothing → a', 'list-1: a → d']);
  });

  it('are refused if too many wait', () => {
    const { add, refused } = openQueue();
    for (let nth = 0; nth <= waitersPerStreamMax; nth += 1) add(`${nth}`);
    expect(refused).toEqual([]);
    add('one more');
    expect(refused).toEqual(['one more']);
  });
});

describe('a batch', () => {
  const namesOf = (batches: readonly string[]): readonly number[] => batches.map((batch) => batch.split(' → ')[1]?.split(' ').length ?? 0);

  it('has a limited number of jobs', async () => {
    const { add, next, batches } = openQueue();
    for (let nth = 0; nth < batchRequestsMax + 11; nth += 1) add(`${nth}`);
    await next();
    await next();
    expect(namesOf(batches)).toEqual([1, batchRequestsMax, 10]);
  });

  it('has a limited number of ids, and at least one job', async () => {
    const { add, next, batches } = openQueue();
    for (const ids of [1, batchIdsMax / 2, batchIdsMax / 2, 1, batchIdsMax + 1, 1]) add('x', ids);
    for (let nth = 0; nth < 4; nth += 1) await next();
    expect(namesOf(batches)).toEqual([1, 2, 1, 1, 1]);
  });
});
