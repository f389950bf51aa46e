import { setImmediate as nextTurn } from 'node:timers/promises';
import type { History } from '../history.ts';
import { answer } from './answer.ts';
import type { Question, Reply } from './questions.ts';

/** How long a page without an item is continued: then the client continues, which would not wait much longer. */
const continuedMs = 4_000;

/** Answers a question. A page of a history, of activity or of changes that ended early without an item is continued, so that a client hardly
 * ever gets an empty page with a `next`. Each part is a read of its own: other questions are answered in between. */
export const answerFully = async (history: Pick<History, 'read'>, question: Question, withinMs = continuedMs): Promise<Reply> => {
  const endMs = performance.now() + withinMs;
  for (let asked = question; ; ) {
    const reply = await history.read((reads) => answer(reads, asked));
    const rest = restOf(asked, reply);
    if (rest === undefined || performance.now() >= endMs) return reply;
    asked = rest;
    await nextTurn();
  }
};

/** Returns the question that continues an empty page; undefined if the reply is complete. */
const restOf = (asked: Question, reply: Reply): Question | undefined => {
  if (!('items' in reply && 'next' in reply) || reply.items.length > 0 || reply.next === null) return undefined;
  if ((asked.type === 'activity' || asked.type === 'history') && reply.outcome === 'page') return { ...asked, before: reply.next };
  if (asked.type !== 'changes' || reply.outcome !== 'changes-page') return undefined;
  return { ...asked, from: reply.from, to: reply.to, after: reply.next };
};
