import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { Question } from '@waymark/history/reading/questions.ts';
import { createAsking } from './asking.ts';

const question: Question = { type: 'blame', account: 'account-a', stream: 'pinpoint-1', base: 'http://x' };

/** Asks with the history at a position; records what it waits for. */
const asked = (historyAt: number) => {
  const waits: (readonly [string, number])[] = [];
  const read = jest.fn(async () => ({ outcome: 'not-found' }) as never);
  const ask = createAsking({
    history: { read },
    acknowledged: async (partition) => 100 + partition,
    reaches: async (account, position) => {
      waits.push([account, position]);
      return historyAt >= position;
    },
  });
  return { ask, read, waits };
};

describe('A question about the history of a cluster', () => {
  const position = 100 + partitionOf(question.account, partitionsOfCluster);

  it("is answered once the history is at the read models' position of the account's partition", async () => {
    const { ask, waits } = asked(position);
    expect(await ask(question)).toEqual({ outcome: 'not-found' });
    expect(waits).toEqual([['account-a', position]]);
  });

  it('is not answered from a history that does not get there in time', async () => {
    const { ask, read } = asked(position - 1);
    await expect(ask(question)).rejects.toThrow(HistoryUnavailable);
    expect(read).not.toHaveBeenCalled();
  });
});
