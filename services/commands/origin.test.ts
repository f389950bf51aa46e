import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Call } from '@waymark/http/call.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { createRequestBody } from '@waymark/http/request/request-body.ts';
import { createRequestIdHash } from '@waymark/http/request-id-hash.ts';
import { createOrigins } from './origin.ts';

const uuid = '0190a1c2-7b1e-7c3d-8a44-2f1e5d6c7b8a';
const originOf = createOrigins(createRequestIdHash(['first', 'second']));

const callWith = (requestId: string, correlation?: string): Call => {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    headers: correlation === undefined ? {} : { 'correlation-id': correlation },
  });
  return {
    request,
    body: createRequestBody(request, createOperatorBudgets(), () => ''),
    url: '/v3.0/lists',
    access: { account: 'a', application: 'app', token: 'token', scopes: ['write'] },
    requestId,
    parameters: {},
  };
};

describe('the origin of an event', () => {
  it('names the application, the token, the request and the correlation of the request', () => {
    expect(originOf(callWith(uuid, uuid))).toEqual({ actor: 'app', token: 'token', request: uuid, correlation: uuid });
  });

  it('has UUIDs in lower case', () => {
    const upper = uuid.toUpperCase();
    expect(originOf(callWith(upper, upper))).toMatchObject({ request: uuid, correlation: uuid });
  });

  it('leaves the correlation to the event where the request has none', () => {
    expect(originOf(callWith(uuid))).toEqual({ actor: 'app', token: 'token', request: uuid });
  });

  it.each(['', 'anna@example.org', `${uuid}0`, ` ${uuid}`, `{${uuid}}`, uuid.replaceAll('-', ''), `${uuid}, ${uuid}`])(
    'is refused where the correlation is not one UUID: %j',
    (given) => {
      expect(() => originOf(callWith(uuid, given))).toThrow(expect.objectContaining({ status: 400 }));
    },
  );

  it('never has a request id that is not a UUID, but its hash under the first key', () => {
    const { request } = originOf(callWith('anna@example.org'));
    expect(request).toMatch(/^hash:[\w-]{43}$/);
    expect(request).toBe(createRequestIdHash(['first'])('anna@example.org'));
    expect(request).not.toBe(createRequestIdHash(['second'])('anna@example.org'));
    expect(request).not.toBe(originOf(callWith('Anna@example.org')).request);
  });
});
