// Long because each interaction between two runs of a request has a test of its own.

import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestStream } from '@waymark/domain/streams.ts';
import { AppendUndecided, type EventLog } from '@waymark/event-log/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import type { Body } from '@waymark/http/request/body.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { createRequestBody } from '@waymark/http/request/request-body.ts';
import { attemptsMax } from '../limits.ts';
import { createOrigins } from '../origin.ts';
import type { Decided } from './claim-events.ts';
import { type Claim, createIdempotency, type IdempotentRequest, type NoOp } from './idempotency.ts';

describe('a request with an idempotency key', () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof openSqliteEventLog>>;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-claims-'));
    log = await openSqliteEventLog({ file: join(directory, 'log.db') });
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  const request = Object.assign(new IncomingMessage(new Socket()), { headers: { 'idempotency-key': 'key' } });
  const call: Call = {
    request,
    body: createRequestBody(request, createOperatorBudgets(), () => ''),
    url: '/v3.0/lists/1/pinpoints?a=query',
    access: { account: 'a', application: 'app', token: 'token', scopes: ['write'] },
    requestId: 'request',
    parameters: { id: '1' },
  };
  const originOf = createOrigins(() => undefined);
  const body: Body = { bytes: Buffer.from('[]'), json: [] };
  const keyed: IdempotentRequest = { call, path: '/v3.0/lists/1/pinpoints', body, mayBeNoOp: true };
  const done: Answer = { status: 200, body: 'done' };
  /** Sends the request as another process would: a single process refuses a run while another one is in progress. */
  const send = (run: (claim: Claim) => Promise<Answer>, sent: IdempotentRequest = keyed): Promise<Answer> =>
    createIdempotency(log, 'secret', originOf)(sent, run);
  /** Stores a decision as the execution does. */
  const take = async ({ key }: Claim, { object, revision, notAdded }: Decided): Promise<NoOp | undefined> => {
    if (key === undefined) throw new Error('No key.');
    if (notAdded !== null) return key.storeNoOp(object, revision, notAdded);
    await key.take(object, revision);
    return undefined;
  };

  const changing: Decided = { object: 1, revision: 4, notAdded: null };
  const nothingToDo: Decided = { object: 1, revision: 5, notAdded: [{ pinpoint: 7, reason: 'not_found' }] };
  const left = { position: expect.any(Number), revision: 5, notAdded: nothingToDo.notAdded };

  /** Returns a run that stores these decisions one after the other. */
  const storing =
    (...said: readonly Decided[]) =>
    async (claim: Claim): Promise<Answer> => {
      for (const decided of said) await take(claim, decided);
      return done;
    };
  /** Returns the knowledge that a repeat has of the earlier runs. */
  const found = async (): Promise<object> => {
    let seen = {};
    await send(async ({ event, key }) => {
      seen = { event, object: key?.object, since: key?.since(), noOp: await key?.noOp() };
      return done;
    });
    return seen;
  };

  /** The stream of the request in releases before v0.1.1, which hashed the path as the client sent it; this is the usual form. */
  const stream = requestStream(createHmac('sha256', 'secret').update('app\0/v3.0/lists/1/pinpoints\0key').digest('hex'));
  const claims = () => log.read(stream, 0);

  const hoursMs = 60 * 60 * 1_000;
  /** Appends a claim of the given age to the log. */
  const leave = async (content: object, { version = 2, ageMs = 0, expected = 'none' as const } = {}): Promise<void> => {
    const digest = createHash('sha256').update(body.bytes).digest('base64url');
    const event = newEventId();
    const origin = { actor: 'app', token: null, request: null };
    const text = JSON.stringify({ digest, event, object: 1, revision: 4, ...content });
    const { envelope, ...rest } = seal({
      id: newEventId(),
      type: 'RequestClaimed',
      version,
      content: text,
      account: '',
      origin,
      sanitized: false,
    });
    const time = new Date(Date.now() - ageMs).toISOString();
    await log.append(stream, [{ envelope: { ...envelope, time, release: '7.0.0' }, ...rest }], expected, { imported: true });
  };

  it('that changed nothing stores the ids that could not be added, and nothing else of its response', async () => {
    await send(storing(nothingToDo));
    expect(await found()).toMatchObject({ object: 1, since: 5, noOp: left });
    expect((await claims()).map(({ content }) => Object.keys(JSON.parse(content ?? '{}')).sort())).toEqual([
      ['digest', 'event', 'notAdded', 'object', 'revision'],
    ]);
  });

  it('has one origin for its claim and its event, and so has a repeat', async () => {
    const origins: unknown[] = [];
    const run = async (claim: Claim): Promise<Answer> => {
      origins.push(claim.origin);
      return storing(nothingToDo)(claim);
    };
    await send(run);
    await send(run);
    const recorded = (await claims()).map(({ envelope: { actor, token, request } }) => ({ actor, token, request }));
    expect(origins).toEqual(recorded);
    expect(recorded).toHaveLength(2);
  });

  it('that had nothing to change after a conflict stores a no-op in addition to its claim', async () => {
    await send(storing(changing, nothingToDo));
    expect(await found()).toMatchObject({ object: 1, noOp: left });
  });

  it('gets its stored no-op back, in the first run as in a repeat, and nothing for an event to append', async () => {
    for (const run of ['first', 'repeat']) {
      await send(async (claim) => {
        const told = [run, await take(claim, changing), await take(claim, nothingToDo)];
        expect(told).toEqual([run, undefined, left]);
        return done;
      });
    }
    expect(await claims()).toHaveLength(3);
  });

  it('gets the same back if its claim was stored but the acknowledgement was lost', async () => {
    let cuts = 1;
    const losing: EventLog = {
      ...log,
      append: async (...what) => {
        const outcome = await log.append(...what);
        cuts -= 1;
        if (cuts >= 0) throw new AppendUndecided(what[0]);
        return outcome;
      },
    };
    await createIdempotency(
      losing,
      'secret',
      originOf,
    )(keyed, async (claim) => {
      expect(await take(claim, nothingToDo)).toEqual(left);
      return done;
    });
    expect(await found()).toMatchObject({ object: 1, since: 5, noOp: left });
    expect(await claims()).toHaveLength(1);
  });

  it('claims its key once for its event, however often it decides, and stores a later no-op after that claim', async () => {
    let runs = 0;
    await send(async (claim) => {
      runs += 1;
      return storing(changing, { ...changing, revision: 5 }, { ...nothingToDo, revision: 6 })(claim);
    });
    expect(runs).toBe(1);
    const said = (await claims()).map(({ content }) => JSON.parse(content ?? '{}'));
    expect(said).toMatchObject([
      { revision: 4, notAdded: null },
      { revision: 6, notAdded: nothingToDo.notAdded },
    ]);
  });

  it('is answered 503 after a bounded number of runs if other processes keep claiming its key', async () => {
    const losing: EventLog = { ...log, append: async () => ({ outcome: 'conflict' }) };
    let runs = 0;
    const run = async (claim: Claim): Promise<Answer> => {
      runs += 1;
      return storing(changing)(claim);
    };
    await expect(createIdempotency(losing, 'secret', originOf)(keyed, run)).rejects.toMatchObject({ status: 503 });
    expect(runs).toBe(attemptsMax);
  });

  it('is refused only while another run of it is in progress in this process, whether that run succeeds or fails', async () => {
    const once = createIdempotency(log, 'secret', originOf);
    for (const end of [() => done, () => Promise.reject(new Error('cut off'))]) {
      let refused: unknown;
      const first = once(keyed, async () => {
        refused = await once(keyed, storing()).catch((error) => error);
        return end();
      });
      await first.catch(() => undefined);
      expect(refused).toMatchObject({ status: 409 });
    }
    expect(await once(keyed, storing(nothingToDo))).toBe(done);
  });

  it.each([
    ['is empty', ''],
    ['has a space', 'with space'],
    ['has a letter that is not ASCII', 'ümlaut'],
    ['is too long', 'k'.repeat(256)],
  ])('is refused if its key %s', async (_, given) => {
    const keyless = Object.assign(new IncomingMessage(new Socket()), { headers: { 'idempotency-key': given } });
    await expect(send(storing(changing), { ...keyed, call: { ...call, request: keyless } })).rejects.toMatchObject({ status: 400 });
  });

  it('that was interrupted, and whose repeat had nothing to change, is a no-op for another repeat', async () => {
    let event = '';
    const cutOff = async (claim: Claim): Promise<Answer> => {
      event = claim.event;
      await take(claim, changing);
      throw new Error('cut off');
    };
    await expect(send(cutOff)).rejects.toThrow('cut off');
    expect(await found()).toEqual({ event, object: 1, since: 4, noOp: undefined });
    await send(storing(changing, nothingToDo));
    expect(await found()).toEqual({ event, object: 1, since: 5, noOp: left });
  });

  it('finds the no-op that another process stored first', async () => {
    const seen: unknown[] = [];
    await send(async (claim) => {
      seen.push(claim.key?.object);
      if (seen.length === 1) await send(storing(nothingToDo));
      await take(claim, changing);
      seen.push(await claim.key?.noOp());
      return done;
    });
    expect(seen).toEqual([undefined, 1, left]);
  });

  it('has no event that another run could append until its key is claimed', async () => {
    await send(async (claim) => {
      expect(claim.key?.since()).toBeUndefined();
      await take(claim, changing);
      expect(claim.key?.since()).toBe(4);
      return done;
    });
  });

  it.each([
    ['a request that may be a no-op', true, 1],
    ['a request that cannot be one', false, 0],
  ])('reads a stored no-op only if there may be one: %s', async (_, mayBeNoOp, reads) => {
    await send(storing(changing));
    const read = jest.spyOn(log, 'read');
    await send(
      async ({ key }) => {
        read.mockClear();
        await key?.noOp();
        return done;
      },
      { ...keyed, mayBeNoOp },
    );
    expect(read).toHaveBeenCalledTimes(reads);
  });

  it('is recognised as the same in every form of its path', async () => {
    await send(storing(nothingToDo));
    for (const url of ['http://other.example/v3.0/lists/1/pinpoints', '/v3.0/lists/1/pinpoints/#part', '/v3.0/lists/%31/pinpoints/?a=b']) {
      let object: number | undefined;
      await send(
        async ({ key }) => {
          object = key?.object;
          return done;
        },
        { ...keyed, call: { ...call, url } },
      );
      expect([url, object]).toEqual([url, 1]);
    }
    expect(await claims()).toHaveLength(1);
  });

  it.each([
    ['an event to append', { answer: null }, undefined],
    [
      'the response of a no-op',
      {
        answer: {
          status: 200,
          body: JSON.stringify({
            errors: [
              { id: 9, code: 'not_found', detail: 'Not found.' },
              { id: 'x', code: 'invalid', detail: 'A positive integer id is required.' },
              { id: 8, code: 'limit', detail: 'This pinpoint is in as many lists as it may be.' },
            ],
            total: 1,
          }),
        },
      },
      [
        { pinpoint: 9, reason: 'not_found' },
        { pinpoint: 8, reason: 'limit' },
      ],
    ],
  ])('is recognised by a claim that release 0.1.0 has stored: %s', async (_, content, notAdded) => {
    await leave(content, { version: 1 });
    expect(await found()).toMatchObject({ object: 1, since: 4, noOp: notAdded && { revision: 4, notAdded } });
  });

  it('is answered 503 if a newer release has claimed its key', async () => {
    await leave({ unknown: true }, { version: 3 });
    const problem: unknown = await send(storing(changing)).catch((error) => error);
    expect(problem).toMatchObject({ status: 503, body: { detail: expect.stringContaining('7.0.0') } });
  });

  describe('that was claimed earlier', () => {
    const otherBody = { ...keyed, body: { bytes: Buffer.from('[{}]'), json: [{}] } };

    it('is refused with another body within 24 hours', async () => {
      await leave({ notAdded: null }, { ageMs: 24 * hoursMs - 60_000 });
      await expect(send(storing(changing), otherBody)).rejects.toMatchObject({ status: 422 });
    });

    it('starts over after 24 hours, with a new event, and claims its key behind the expired claim', async () => {
      await leave({ notAdded: [], event: 'over' }, { ageMs: 24 * hoursMs + 1_000 });
      await send(async (claim) => {
        expect([claim.key?.object, claim.key?.since(), claim.event === 'over']).toEqual([undefined, undefined, false]);
        await take(claim, changing);
        expect(await claim.key?.noOp()).toBeUndefined();
        return done;
      }, otherBody);
      expect((await claims()).map(({ revision, content }) => [revision, JSON.parse(content ?? '{}').notAdded])).toEqual([
        [0, []],
        [1, null],
      ]);
    });

    it('starts over only once if two processes start over at the same time', async () => {
      await leave({ notAdded: null }, { ageMs: 25 * hoursMs });
      const events: string[] = [];
      const both = () =>
        send(async (claim) => {
          await Promise.resolve();
          await take(claim, changing);
          events.push(claim.event);
          return done;
        });
      await Promise.all([both(), both()]);
      expect(new Set(events).size).toBe(1);
      expect(await claims()).toHaveLength(2);
    });
  });
});
