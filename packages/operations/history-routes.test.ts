import { accountId } from '@waymark/domain/account/decide.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { Reply } from '@waymark/history/reading/questions.ts';
import { createOpenApp } from '@waymark/http/app.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { listen } from '@waymark/http/server/server.ts';
import { pino } from 'pino';
import { historyRoutes } from './history-routes.ts';

/** Sends a request to a server whose history gives one reply. Returns the response, and the questions that were asked. */
const respond = async (path: string, body: object, reply: Reply | Error) => {
  const questions: unknown[] = [];
  const routes = historyRoutes({
    ask: async (question) => {
      questions.push(question);
      if (reply instanceof Error) throw reply;
      return reply;
    },
    storedRequestIds: (text) => [text, `hash:${text}`],
    base: 'https://maps.example',
  });
  const lifecycle = {
    corsOrigins: new Set<string>(),
    observe: () => undefined,
    logger: pino({ level: 'silent' }),
    closing: () => false,
    budgets: createOperatorBudgets(),
  };
  const server = await listen(createOpenApp(lifecycle, routes), '127.0.0.1', 0);
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${server.url}/operator/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const received = { status: answer.status, body: await answer.json(), questions };
  await server.close(100);
  return received;
};

const pinpoint = { account: 'acme', kind: 'pinpoint', id: 7 };
const subject = { account: accountId('acme'), stream: 'pinpoint-7', base: 'https://maps.example' };

describe('a question of an operator about the history', () => {
  it('names the object by the account and the kind, as `forget` does', async () => {
    const reply: Reply = { outcome: 'found', text: '{"revision":3,"fields":{}}' };
    expect(await respond('blame', pinpoint, reply)).toEqual({
      status: 200,
      body: { revision: 3, fields: {} },
      questions: [{ type: 'blame', ...subject }],
    });
    const streams = async (kind: string, id: number | string) => (await respond('blame', { account: 'acme', kind, id }, reply)).questions;
    expect(await streams('event', 7)).toMatchObject([{ stream: 'happening-7' }]);
    expect(await streams('application', 'a-1')).toMatchObject([{ stream: 'application-a-1' }]);
    expect(await streams('application', 7)).toEqual([]);
    expect(await streams('list', 'seven')).toEqual([]);
  });

  it('asks for one page from a place on, and returns the next place', async () => {
    const page: Reply = { outcome: 'page', items: ['{"revision":1}', '{"revision":0}'], next: 12 };
    expect(await respond('history', pinpoint, page)).toMatchObject({
      body: { results: [{ revision: 1 }, { revision: 0 }], next: 12 },
      questions: [{ type: 'history', ...subject, before: Number.MAX_SAFE_INTEGER, limit: 20 }],
    });
    const { questions } = await respond('history', { ...pinpoint, before: 12, limit: 2 }, { ...page, items: [], next: null });
    expect(questions).toEqual([{ type: 'history', ...subject, before: 12, limit: 2 }]);
  });

  it('compares revisions, and of a list the members beyond an id', async () => {
    const part: Reply = { outcome: 'part', text: '{"from":0,"to":1,"fields":{}', next: 9 };
    expect(await respond('diff', { ...pinpoint, from: 0, to: 1, beyond: 4, limit: 5 }, part)).toEqual({
      status: 200,
      body: { from: 0, to: 1, fields: {}, next: 9 },
      questions: [{ type: 'diff', ...subject, from: 0, to: 1, beyond: 4, limit: 5 }],
    });
  });

  it('selects the activity of an account by the same filters as the API, and names those that it does not understand', async () => {
    const page: Reply = { outcome: 'page', items: ['{"revision":1}'], next: 5 };
    const first = { before: Number.MAX_SAFE_INTEGER, limit: 20, sinceMs: 0, untilMs: null };
    const asked = { type: 'activity', account: accountId('acme'), base: 'https://maps.example', ...first };
    expect(await respond('activity', { account: 'acme' }, page)).toEqual({
      status: 200,
      body: { results: [{ revision: 1 }], next: 5 },
      questions: [{ ...asked, filter: {} }],
    });
    const filters = { resource: 'lists/4', action: 'edited', field: 'name', request_id: 'r', moved: '1.5', from: '1970-01-01T00:00:01Z' };
    const { questions } = await respond('activity', { account: 'acme', before: 9, limit: 2, ...filters }, page);
    const filter = { stream: 'list-4', types: ['PinpointEdited', 'ListEdited', 'CategoryEdited', 'HappeningEdited'], field: 'name' };
    expect(questions).toEqual([
      { ...asked, before: 9, limit: 2, sinceMs: 1_000, filter: { ...filter, requests: ['r', 'hash:r'], movedMetres: 1.5 } },
    ]);
    expect(await respond('activity', { account: 'acme', resource: 'things', from: 'noon' }, page)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^resource: Enter .* from: Enter a time/) },
      questions: [],
    });
  });

  it.each<[Reply | Error, number, string]>([
    [{ outcome: 'not-found' }, 404, 'The account has no such object, or the object has no such revision.'],
    [{ outcome: 'forbidden' }, 404, 'The account has no such object, or the object has no such revision.'],
    [{ outcome: 'erased' }, 410, 'The revision was erased.'],
    [{ outcome: 'deleted', revision: 2, time: 'noon', event: 'a1' }, 404, 'Revision 2 deleted the object, at noon.'],
    [new HistoryUnavailable('The history is not complete yet.'), 503, 'The history is not complete yet.'],
    [{ outcome: 'future-moment' }, 500, 'Internal server error.'],
  ])('that has no answer is refused with the reason: %j', async (reply, status, detail) => {
    expect(await respond('blame', pinpoint, reply)).toMatchObject({ status, body: { detail } });
  });
});
