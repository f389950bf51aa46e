import { setImmediate as nextTurn } from 'node:timers/promises';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import { createAsking } from './asking.ts';

const question: Question = { type: 'blame', account: 'account-a', stream: 'pinpoint-1', base: 'http://x' };
const own = partitionOf(question.account, partitionsOfCluster);
const acknowledgedIn = (partition: number): number => 100 + partition;

/** Asks a history that has what was acknowledged in some partitions; records what it waits for. */
const asked = ({ complete, replies }: { complete: (partition: number) => boolean; replies: readonly Reply[] }) => {
  const waits: (readonly [number, number])[] = [];
  let [waiting, waitingMost] = [0, 0];
  const answers = [...replies];
  const read = jest.fn(async () => answers.shift() as never);
  const ask = createAsking({
    history: { read },
    acknowledged: async (partition) => acknowledgedIn(partition),
    reaches: async (partition, position) => {
      waits.push([partition, position]);
      waiting += 1;
      waitingMost = Math.max(waitingMost, waiting);
      await nextTurn();
      waiting -= 1;
      return complete(partition);
    },
  });
  return { ask, read, waits, waitingMost: () => waitingMost };
};

const unknown: Reply = { outcome: 'not-found' };
const anothers: Reply = { outcome: 'forbidden' };
const page: Reply = { outcome: 'page', items: [], next: null };

describe('A question about the history of a cluster', () => {
  it("is answered once the history is at the read models' position of the account's partition", async () => {
    const { ask, waits } = asked({ complete: (partition) => partition === own, replies: [page] });
    expect(await ask(question)).toEqual(page);
    expect(waits).toEqual([[own, acknowledgedIn(own)]]);
  });

  it('is not answered from a history that does not get there in time', async () => {
    const { ask, read } = asked({ complete: (partition) => partition !== own, replies: [page] });
    await expect(ask(question)).rejects.toThrow(HistoryUnavailable);
    expect(read).not.toHaveBeenCalled();
  });

  it("about an unknown object is answered once the history has the acknowledged writes of all accounts: it may be another one's", async () => {
    const { ask, waits } = asked({ complete: () => true, replies: [unknown, anothers] });
    expect(await ask(question)).toEqual(anothers);
    expect(waits.slice(1)).toEqual(Array.from({ length: partitionsOfCluster }, (_, partition) => [partition, acknowledgedIn(partition)]));
  });

  it('about an unknown object waits for one partition after the other, so that one client does not take up all waits', async () => {
    const { ask, waitingMost } = asked({ complete: () => true, replies: [unknown, unknown] });
    await ask(question);
    expect(waitingMost()).toBe(1);
  });

  it('about an unknown object is answered also where the history remains behind for other accounts', async () => {
    const { ask } = asked({ complete: (partition) => partition === own, replies: [unknown, anothers] });
    expect(await ask(question)).toEqual(unknown);
  });

  it('takes its turn after those of its account, and does not wait for those of another one', async () => {
    const reads: PromiseWithResolvers<Reply>[] = [];
    const read = (): Promise<never> => {
      const reply = Promise.withResolvers<Reply>();
      reads.push(reply);
      return reply.promise as Promise<never>;
    };
    const ask = createAsking({ history: { read }, acknowledged: async () => 1, reaches: () => true });
    const answers = Array.from({ length: 4 }, () => ask(question));
    await nextTurn();
    expect(reads).toHaveLength(2);
    answers.push(ask({ ...question, account: 'account-b' }));
    await nextTurn();
    expect(reads).toHaveLength(3);
    for (let nth = 0; nth < 5; nth += 1) {
      reads[nth]?.resolve(page);
      await nextTurn();
      await nextTurn();
    }
    expect(await Promise.all(answers)).toEqual(Array(5).fill(page));
  });
});
