import { setImmediate as nextTurn } from 'node:timers/promises';
import type { History } from '../history.ts';
import { answer } from './answer.ts';
import type { Question, Reply } from './questions.ts';

/** Answers a question. A page of activity that ended early without an item is continued, so that a client never gets an empty page with a
 * `next`. Each part is a read of its own: other questions are answered in between. */
export const answerFully = async (history: Pick<History, 'read'>, question: Question): Promise<Reply> => {
  for (let asked = question; ; ) {
    const reply = await history.read((reads) => answer(reads, asked));
    if (asked.type !== 'activity' || reply.outcome !== 'page' || reply.items.length > 0 || reply.next === null) return reply;
    asked = { ...asked, before: reply.next };
    await nextTurn();
  }
};
