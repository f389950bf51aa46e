import type { IncomingMessage } from 'node:http';
import { badRequest, HttpError, invalidFields, preconditionFailed } from './errors.ts';
import { refusedSignIn, refusedWrite } from './refused-requests.ts';
import { networkOf } from './server/addresses.ts';

const access = { account: 'account-1', application: 'app-1', token: 'token-1', scopes: [] };
const options = { addressOf: () => '203.0.113.77', hashRequestId: (id: string) => (id.length === 36 ? undefined : 'hash:1') };
const requestOf = (method: string, headers = {}) => ({ method, headers }) as IncomingMessage;
const write = {
  ...{ request: requestOf('PUT'), requestId: 'an id', route: '/pinpoints/:id', access, parameters: { id: '12' } },
  problem: preconditionFailed(),
};

describe('the record of a refused write', () => {
  it('names the object, and who sent it from where', () => {
    expect(refusedWrite(write, 412, options)).toEqual({
      ...{ account: 'account-1', application: 'app-1', method: 'PUT', route: '/v3.0/pinpoints/:id', object: 12, status: 412 },
      ...{ error: null, fields: [], request: 'hash:1', correlation: null, address: '203.0.113.0/24' },
    });
  });

  it('has names of fields, and no messages', () => {
    const problem = invalidFields({ name: ['May not be blank.'], dates: [{ start: ['Too late.'] }] });
    expect(refusedWrite({ ...write, problem }, 400, options)).toMatchObject({ fields: ['name', 'dates'] });
    expect(refusedWrite({ ...write, problem: badRequest('x') }, 400, options)).toMatchObject({ fields: [] });
  });

  it('has no text of the path that is no id', () => {
    for (const id of ['Rasa', '0', '012', '99999999999999999', '-1']) {
      expect(refusedWrite({ ...write, parameters: { id } }, 404, options)).toMatchObject({ object: null, route: '/v3.0/pinpoints/:id' });
    }
  });

  it('names the kind of object in the path, if there is one', () => {
    const undo = { ...write, route: '/audit/v1/:kind/:id/undo' };
    const routeFor = (kind: string) => refusedWrite({ ...undo, parameters: { kind, id: '12' } }, 409, options);
    expect(routeFor('events')).toMatchObject({ route: '/audit/v1/events/:id/undo', object: 12 });
    expect(routeFor('Rasa')).toMatchObject({ route: '/audit/v1/:kind/:id/undo' });
  });

  it('has the correlation if it is one UUID', () => {
    const uuid = '0190B7F2-0000-4000-8000-000000000001';
    for (const [given, kept] of [
      [uuid, uuid.toLowerCase()],
      ['Rasa', null],
      [`${uuid}, ${uuid}`, null],
    ]) {
      const request = requestOf('POST', { 'correlation-id': given });
      expect(refusedWrite({ ...write, request }, 400, options)).toMatchObject({ correlation: kept });
    }
  });

  it.each([200, 204, 301, 500, 503])('is not made for the status %d', (status) => {
    expect(refusedWrite(write, status, options)).toBeUndefined();
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'PATCH'])('is not made for %s', (method) => {
    expect(refusedWrite({ ...write, request: requestOf(method) }, 405, options)).toBeUndefined();
  });

  it('names the application whose token was refused', () => {
    const problem = new HttpError(403, {}, {}, { reason: 'suspended', client: 'app-2', account: 'account-2' });
    const refused = { ...write, access: undefined, problem };
    expect(refusedWrite(refused, 403, options)).toMatchObject({ account: 'account-2', application: 'app-2' });
  });

  it('is not made without a known application, or for an unknown path', () => {
    expect(refusedWrite({ ...write, access: undefined }, 401, options)).toBeUndefined();
    expect(refusedWrite({ ...write, parameters: undefined }, 404, options)).toBeUndefined();
  });
});

describe('the record of a refused sign-in', () => {
  const signIn = {
    account: 'account-1',
    application: 'app-1',
    route: '/v3.0/oauth2/token',
    request: requestOf('POST'),
    requestId: 'an id',
  };

  it('has the error code', () => {
    const problem = new HttpError(400, { error: 'invalid_scope', error_description: 'Rasa may not.' });
    expect(refusedSignIn({ ...signIn, problem }, options)).toMatchObject({ status: 400, error: 'invalid_scope', fields: [] });
  });

  it('is not made if the server is the cause', () => {
    expect(refusedSignIn({ ...signIn, problem: new HttpError(503, {}) }, options)).toBeUndefined();
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:12:34::/64', '2001:db8:12::/48'],
    ['0:0:0:0::/64', '::/48'],
    ['unknown', undefined],
    ['', undefined],
  ])('%s is %s', (address, network) => expect(networkOf(address)).toBe(network));
});
