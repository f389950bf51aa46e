import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEventLog } from '@waymark/event-log/sqlite.ts';
import type { Body } from '@waymark/http/body.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { type Claim, onceWith } from './claims.ts';

describe('a request with an idempotency key', () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof sqliteEventLog>>;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-claims-'));
    log = await sqliteEventLog({ file: join(directory, 'log.db') });
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  const request = Object.assign(new IncomingMessage(new Socket()), { headers: { 'idempotency-key': 'key' } });
  const call: Call = {
    request,
    url: '/lists/1/pinpoints',
    access: { account: 'a', application: 'app', token: 'token', scopes: ['write'] },
    requestId: 'request',
    idText: '1',
  };
  const body: Body = { bytes: Buffer.from('[]'), json: [] };
  const already: Answer = { status: 200, body: '{"errors":[],"total":1}' };
  /** As another process does: one alone would tell that the first run goes on. */
  const send = (run: (claim: Claim) => Promise<Answer>): Promise<Answer> => onceWith(log, 'secret')(call, body, run);
  const never = (): Promise<Answer> => Promise.reject(new Error('It was run again.'));
  const changing = { object: 1, revision: 4, answer: null };
  const nothingToDo = { object: 1, revision: 5, answer: already };
  /** One that finds nothing to do, at once or after what it had decided first. */
  const comesToNothing =
    (...before: readonly Parameters<Claim['take']>[0][]) =>
    async (claim: Claim): Promise<Answer> => {
      for (const decided of [...before, nothingToDo]) await claim.take(decided);
      return already;
    };

  it('that changed nothing is answered the same ever after', async () => {
    expect(await send(comesToNothing())).toEqual(already);
    expect(await send(never)).toEqual(already);
  });

  it('that had nothing left to change after a conflict is not done by a repeat', async () => {
    expect(await send(comesToNothing(changing))).toEqual(already);
    expect(await send(never)).toEqual(already);
  });

  it('that was cut off, and whose repeat had nothing left to change, is not done by another repeat', async () => {
    let event = '';
    const cutOff = async (claim: Claim): Promise<Answer> => {
      event = claim.event;
      await claim.take(changing);
      throw new Error('cut off');
    };
    await expect(send(cutOff)).rejects.toThrow('cut off');
    const repeat = (claim: Claim): Promise<Answer> => {
      expect(claim).toMatchObject({ event, object: 1, since: 4 });
      return comesToNothing(changing)(claim);
    };
    expect(await send(repeat)).toEqual(already);
    expect(await send(never)).toEqual(already);
  });

  it('whose answer another process was faster to leave gets that one', async () => {
    const slow = async (claim: Claim): Promise<Answer> => {
      await send(comesToNothing());
      await claim.take(changing);
      return { status: 200, body: 'done twice' };
    };
    expect(await send(slow)).toEqual(already);
  });
});
