import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LaterActivityQuestion, Question, Reply } from '@waymark/history/reading/questions.ts';
import type { BodyWriter, Call, OpenBody } from '@waymark/http/call.ts';
import { openAmounts } from '@waymark/http/counters/open-amounts.ts';
import type { AuditorOptions } from '../options.ts';
import { activityStream } from './activity-stream.ts';

/** Returns the options of a history that answers nothing about accounts whose names begin with "late". */
const newOptions = () => {
  const asked: LaterActivityQuestion[] = [];
  const never = Promise.withResolvers<Reply>().promise;
  const options: Pick<AuditorOptions, 'ask' | 'base' | 'storedRequestIds' | 'streams'> = {
    ask: (question: Question) => {
      asked.push(question as LaterActivityQuestion);
      const part: Reply = { outcome: 'later-part', items: [], through: 1, isEnd: true };
      return question.account.startsWith('late') ? never : Promise.resolve(part);
    },
    base: 'http://x',
    storedRequestIds: (text) => [text],
    streams: {
      source: { positions: (accounts) => accounts.map(() => 1), ask: () => never },
      authenticate: () => Promise.reject(new Error('not asked')),
      amounts: openAmounts(),
      closing: () => false,
      keys: ['k'.repeat(64)],
      incarnation: 'one',
    },
  };
  return { asked, options: options as AuditorOptions };
};

const newCall = (account: string, from: number): Call => {
  const request = { headers: {} } as IncomingMessage;
  const access = { account, application: `${account}-${from}`, token: 't', scopes: ['audit'] } as const;
  return { request, access, url: `/audit/v1/activity/stream?from=2026-06-01T08:00:0${from}Z` } as Call & { readonly access: typeof access };
};

describe('streams that begin at the same time', () => {
  it('do not wait for those of an account whose history is behind', async () => {
    const { asked, options } = newOptions();
    const handle = activityStream(options);
    const gone = AbortSignal.abort();
    const writer: BodyWriter = { write: () => undefined, waitingBytes: () => 0, drained: async () => undefined, gone };
    const open = async (account: string, from: number): Promise<void> => {
      const { body } = await handle(newCall(account, from));
      await (body as OpenBody).write(() => writer);
    };
    for (let from = 0; from < 10; from += 1) void open('late', from);
    void open('other', 0);
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect(asked.map(({ account }) => account)).toEqual(['late', 'late', 'other']);
  });
});
