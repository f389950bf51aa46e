import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { bodyTurnBytesMax } from '../limits.ts';
import { createBudgets } from './budgets.ts';
import { createRequestBody, fileBody, formBody } from './request-body.ts';

const memoryBytes = 1024 * 1024 * 1024;

describe('a large body that arrives at once', () => {
  it('is read in parts, each in its own turn of the event loop', async () => {
    const request = new IncomingMessage(new Socket());
    request.headers = { 'transfer-encoding': 'chunked' };
    const chunk = Buffer.alloc(bodyTurnBytesMax / 2, 'x');
    const read = createRequestBody(request, createBudgets(memoryBytes), () => 'caller').read(fileBody);
    let bytes = 0;
    request.on('data', ({ length }: Buffer) => {
      bytes += length;
    });
    await turn();
    for (let nth = 0; nth < 8; nth += 1) request.push(chunk);
    request.push(null);
    const readInTurns = [bytes];
    while (bytes < 4 * bodyTurnBytesMax) {
      const before = bytes;
      await turn();
      readInTurns.push(bytes - before);
    }
    expect(Math.max(...readInTurns)).toBe(bodyTurnBytesMax);
    expect((await read).equals(Buffer.alloc(4 * bodyTurnBytesMax, 'x'))).toBe(true);
  });
});

describe('a body that is still arriving when its request is answered', () => {
  it.each([0, 100])('is read no further, and holds no bytes of the budget: %d bytes before the response', async (before) => {
    const request = new IncomingMessage(new Socket());
    request.headers = { 'content-length': '16384' };
    const budgets = createBudgets(memoryBytes);
    const body = createRequestBody(request, budgets, () => 'caller');
    const read = body.read(formBody);
    request.push(Buffer.alloc(before, 'x'));
    await turn();
    const refused = expect(read).rejects.toMatchObject({ status: 408 });
    body.release();
    request.push(Buffer.alloc(16384 - before, 'x'));
    request.push(null);
    await turn();
    expect(budgets.forms.takenBytes()).toBe(0);
    await refused;
  });
});
