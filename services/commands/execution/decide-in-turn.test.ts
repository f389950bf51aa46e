import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { List } from '@waymark/domain/list/decide.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Call } from '@waymark/http/call.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { createRequestBody } from '@waymark/http/request/request-body.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { noClaim } from '../idempotency/idempotency.ts';
import { problems } from '../resources/answers.ts';
import { lists } from './aggregates.ts';
import { decideInTurn } from './decide-in-turn.ts';
import type { Job } from './job.ts';
import { noPinpoints } from './members.ts';

const account = 'a';
const request = Object.assign(new IncomingMessage(new Socket()), { method: 'PUT' });
const call: Call = {
  request,
  body: createRequestBody(request, createOperatorBudgets(), () => ''),
  url: '/v3.0/lists/1',
  access: { account, application: 'app', token: 'token', scopes: ['write'] },
  requestId: 'request',
  parameters: { id: '1' },
};

/** Returns a job that renames a list, and the outcomes of all jobs. */
const openJobs = () => {
  const outcomes: unknown[] = [];
  const renaming = (name: string, untilMs: number): Job<List> => ({
    untilMs,
    resolve: (result) => outcomes.push(result),
    reject: (error) => outcomes.push(error),
    request: {
      id: 1,
      call,
      claim: noClaim({ actor: 'app', token: 'token', request: null }),
      found: undefined,
      sanitized: false,
      command: () => ({ type: 'EditList', account, list: 1, fields: { name } }),
      problemOf: (refusal) => problems[refusal](),
    },
  });
  return { renaming, outcomes };
};

const decide = (jobs: readonly Job<List>[]) => {
  const state = { status: 'present', account, fields: { name: 'Before', description: '' }, members: new Set<number>() } as const;
  const ports = { log: {} as EventLog, models: {} as ReadModels, tags: String, owners: undefined };
  return decideInTurn(ports, lists, 'list-1', { loaded: { state, revision: 3, position: 7 }, known: noPinpoints }, jobs);
};

describe('the requests of a batch', () => {
  it('get revisions one after the other, and are not answered yet', async () => {
    const { renaming, outcomes } = openJobs();
    const later = performance.now() + 60_000;
    const { decided, state } = await decide([renaming('One', later), renaming('One', later), renaming('Two', later)]);
    expect(decided).toMatchObject([{ revision: 4 }, { revision: 4, fact: undefined }, { revision: 5 }]);
    expect(state).toMatchObject({ fields: { name: 'Two' } });
    expect(outcomes).toEqual([]);
  });

  it('are refused with 503 if their turn comes too late; the first one has its turn at once', async () => {
    const { renaming, outcomes } = openJobs();
    const late = performance.now() - 1;
    const { decided } = await decide([renaming('One', late), renaming('Two', late), renaming('Three', performance.now() + 60_000)]);
    expect(decided).toMatchObject([{ fact: { fields: { name: 'One' } } }, { fact: { fields: { name: 'Three' } } }]);
    expect(outcomes).toEqual([expect.objectContaining({ status: 503 })]);
  });
});
