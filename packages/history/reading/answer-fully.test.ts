import type { History } from '../history.ts';
import { answerFully } from './answer-fully.ts';
import type { Question, Reply } from './questions.ts';

const question: Question = { type: 'activity', account: 'mine', base: '', before: 1_000, limit: 20, sinceMs: 0, untilMs: null, filter: {} };
const item = JSON.stringify({ id: 'found' });

/** A history of which only the part before a position has an item. `asked`: how many parts were read. */
const historyWithItemBefore = (position: number) => {
  let asked = 0;
  const read = async (): Promise<Reply> => {
    asked += 1;
    const next = 1_000 - 100 * asked;
    return next < position ? { outcome: 'page', items: [item], next: null } : { outcome: 'page', items: [], next };
  };
  return { history: { read: read as History['read'] }, asked: () => asked };
};

describe('A page that ended early', () => {
  it('is continued until it has an item', async () => {
    const { history, asked } = historyWithItemBefore(500);
    expect(await answerFully(history, question)).toEqual({ outcome: 'page', items: [item], next: null });
    expect(asked()).toBe(6);
  });

  it('is left to the client once it took too long', async () => {
    const { history, asked } = historyWithItemBefore(500);
    expect(await answerFully(history, question, 0)).toEqual({ outcome: 'page', items: [], next: 900 });
    expect(asked()).toBe(1);
  });
});
