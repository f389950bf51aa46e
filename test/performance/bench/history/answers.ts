import type { PageQuery } from '@waymark/domain/pages.ts';
import type { History } from '@waymark/history/history.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import type { Question } from '@waymark/history/reading/questions.ts';
import { quantile } from '../statistics.ts';
import { account, busiest, pseudoRandom } from './large-history.ts';

const subject = { account, base: 'http://localhost', stream: `pinpoint-${busiest}` };
const limit = 20;
/** Answers that are not counted. */
const warmUp = 50;

export const pageAsOf = (position: number, query: PageQuery): Question => {
  return { type: 'as-of', account, base: subject.base, moment: { position, event: '' }, read: { type: 'page', query } };
};

/** Returns the questions whose answers have a goal, each with other places of a large history at each call. */
export const questionsOf = (events: number, lastPosition: number): Readonly<Record<string, () => Question>> => {
  const draw = pseudoRandom();
  const anyPage = (): PageQuery => ({ account, kind: 'pinpoint', within: null, direction: 'forward', from: draw(events / 8), limit });
  return {
    'a page of 20 of the history of the busiest object': () => ({ type: 'history', ...subject, before: 1_000 + draw(lastPosition), limit }),
    'a version of it': () => ({ type: 'version', ...subject, revision: draw(events / 10 - 10) }),
    'its blame': () => ({ type: 'blame', ...subject }),
    'a page of 20 as of a moment': () => pageAsOf(lastPosition / 2 + draw(lastPosition / 2), anyPage()),
  };
};

/** @throws Error where there is no answer */
export const ask = async (history: Pick<History, 'read'>, question: Question): Promise<void> => {
  const { outcome } = await answerFully(history, question);
  if (!['found', 'page', 'as-of-page'].includes(outcome)) throw new Error(`${JSON.stringify(question)}: ${outcome}`);
};

/** Returns how long something takes, in milliseconds. */
export const timesOf = async (samples: number, use: () => Promise<unknown>): Promise<{ readonly p50: number; readonly p99: number }> => {
  const times: number[] = [];
  for (let nth = -warmUp; nth < samples; nth += 1) {
    const began = performance.now();
    await use();
    if (nth >= 0) times.push(performance.now() - began);
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
};
