import type { IncomingMessage } from 'node:http';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import { conflict } from '@waymark/http/errors.ts';
import type { RequestBody } from '@waymark/http/request/request-body.ts';
import { personOf, withPersonLogged } from './person.ts';

const unread = { parameters: { id: 'app-1' }, body: {} as RequestBody };
const callTo = (url: string): OpenCall => ({ request: { url } as IncomingMessage, requestId: 'request-1', ...unread });
const [path, refusal] = ['/operator/applications/:id/suspend', expect.objectContaining({ status: 400 })];

describe('the person for whom an operator makes a call', () => {
  it('is the id in the query, if there is one', () => {
    expect(personOf(callTo('/operator/renew?by=clerk-3'))).toBe('clerk-3');
    expect(personOf(callTo(`/operator/renew?by=${encodeURIComponent('Ä&?/7')}`))).toBe('Ä&?/7');
    for (const url of ['/operator/renew', '/operator/renew?', '/operator/renew?x=%zz']) expect(personOf(callTo(url))).toBeNull();
  });

  it.each(['', 'someone@example.org', 'two words', 'a'.repeat(65), 'a%00', '%F0%9F%98%80', 'a&by=b'])('is refused: %j', (by) => {
    expect(() => personOf(callTo(`/operator/renew?by=${by}`))).toThrow(refusal);
  });
});

describe('a call that names a person', () => {
  const handle = jest.fn<Promise<{ status: number }>, [OpenCall]>();
  const info = jest.fn();
  const routed = (method: OpenRoute['method']) => withPersonLogged({ info }, { method, path, handle });
  const line = { request: 'request-1', operation: `POST ${path}`, parameters: { id: 'app-1' }, by: 'clerk-3' };
  beforeEach(() => {
    jest.resetAllMocks();
    handle.mockResolvedValue({ status: 200 });
  });

  it('is logged with its outcome', async () => {
    expect(await routed('POST').handle(callTo('/x?by=clerk-3'))).toEqual({ status: 200 });
    handle.mockRejectedValue(conflict('No.'));
    await expect(routed('POST').handle(callTo('/x?by=clerk-3'))).rejects.toMatchObject({ status: 409 });
    expect(info.mock.calls).toEqual([200, 409].map((status) => [{ ...line, status }, 'operator call']));
  });

  it('is not made if the id is not valid', async () => {
    await expect(routed('POST').handle(callTo('/x?by=a@b'))).rejects.toMatchObject({ status: 400 });
    expect(handle).not.toHaveBeenCalled();
  });

  it('is not logged if it only reads', async () => {
    await routed('GET').handle(callTo('/x?by=clerk-3'));
    await routed('POST').handle(callTo('/x'));
    expect([handle.mock.calls.length, info.mock.calls.length]).toEqual([2, 0]);
  });
});
