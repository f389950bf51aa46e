import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { createApplications } from '@waymark/access/applications.ts';
import { createMemoryFailureLimit } from '@waymark/access/failure-limits.ts';
import { applicationLog, registered } from '@waymark/access/testing/application-log.ts';
import { openWindowCounters } from '@waymark/access/window-counters.ts';
import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import { createAdmission } from '@waymark/http/admission.ts';
import type { OpenCall } from '@waymark/http/app.ts';
import { createKnownKeysTable, openKnownKeys } from '@waymark/http/counters/known-keys.ts';
import { addressRequestsMax } from '@waymark/http/limits.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import { createPeerLimit } from '@waymark/http/server/peers.ts';
import { clientKey, clientOf } from './client-admission.ts';
import { formAtOnceMs } from './limits.ts';
import { invalidRequest } from './oauth-errors.ts';

const address = '192.0.2.1';
const begun: ApplicationEvent = { ...registered, secret: { id: 'secret-1', hash: secretHash('clear') } };
const throttled = { status: 429 };
const wrong = { status: 401, failure: { reason: 'wrong-secret' } };

type Sent = { readonly client?: string; readonly secret?: string; readonly authorization?: string; readonly form?: Promise<Buffer> };

const callOf = ({ client = 'app-1', secret = 'clear', authorization, form }: Sent): OpenCall => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/x-www-form-urlencoded';
  request.headers.authorization = authorization ?? `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`;
  const read = () => form ?? Promise.resolve(Buffer.from('grant_type=client_credentials'));
  return { request, body: { read, release: () => undefined }, requestId: 'request-1', parameters: {} };
};

/** Creates a process that has not cached any application yet. It allows four failures per address, and two per client and address. */
const newProcess = (known = openKnownKeys()) => {
  const { log, events } = applicationLog([begun]);
  const applications = createApplications(log);
  const admission = createAdmission({
    addresses: { of: () => address, ofPeer: () => address, isFromEdge: () => false },
    addressFailures: createMemoryFailureLimit({ name: 'address', points: 4, seconds: 60 }, openWindowCounters()),
    clientFailures: createMemoryFailureLimit({ name: 'client', points: 2, seconds: 60 }, openWindowCounters()),
    note: () => undefined,
    known,
  });
  const ask = (sent: Sent = {}, from = address) => clientOf({ applications, admission }, callOf(sent), from);
  const enter = (times: number): boolean[] => Array.from({ length: times }, () => admission.enter(address));
  return { applications, admission, ask, enter, events };
};

describe('a client that requests a token', () => {
  it('is authenticated, and its form is returned without credentials', async () => {
    const { ask } = newProcess();
    const form = Promise.resolve(Buffer.from('grant_type=client_credentials&client_id=app-1'));
    expect(await ask({ form })).toMatchObject({
      client: { id: 'app-1', secretId: 'secret-1' },
      form: new Map([['grant_type', 'client_credentials']]),
    });
  });

  it('is refused after too many guesses of its secret from its address, and is still checked from other addresses', async () => {
    const { ask } = newProcess();
    for (let nth = 0; nth < 2; nth += 1) await expect(ask({ secret: `guess-${nth}` })).rejects.toMatchObject(wrong);
    await expect(ask({ secret: 'guess' })).rejects.toMatchObject(throttled);
    await expect(ask({ secret: 'guess' }, '192.0.2.2')).rejects.toMatchObject(wrong);
    await expect(ask({ client: 'app-2', secret: 'guess' })).rejects.toMatchObject(wrong);
  });

  it('is refused after too many guesses from its address, with any client id', async () => {
    const { ask } = newProcess();
    for (let nth = 0; nth < 4; nth += 1) await expect(ask({ client: `guess-${nth}`, secret: 'guess' })).rejects.toMatchObject(wrong);
    await expect(ask({ client: 'guess', secret: 'guess' })).rejects.toMatchObject(throttled);
    await expect(ask()).rejects.toMatchObject(throttled);
    expect(await ask({}, '192.0.2.2')).toMatchObject({ client: { id: 'app-1' } });
  });

  it('is admitted above every limit if the process has cached its secret, and only with that secret', async () => {
    const { ask, applications, enter } = newProcess();
    await applications.refresh('app-1');
    for (let nth = 0; nth < 4; nth += 1) await expect(ask({ client: `guess-${nth}`, secret: 'guess' })).rejects.toMatchObject(wrong);
    enter(addressRequestsMax);
    expect(await ask()).toMatchObject({ client: { id: 'app-1' } });
    await expect(ask({ secret: 'guess' })).rejects.toMatchObject(throttled);
  });

  it('is admitted above every limit if another thread has found its secret valid, until a thread finds it dropped', async () => {
    const table = createKnownKeysTable();
    const [knowing, here] = [newProcess(openKnownKeys(table)), newProcess(openKnownKeys(table))];
    await knowing.ask();
    for (let nth = 0; nth < 4; nth += 1) await expect(here.ask({ client: `guess-${nth}`, secret: 'guess' })).rejects.toMatchObject(wrong);
    here.enter(addressRequestsMax);
    expect(await here.ask()).toMatchObject({ client: { id: 'app-1' } });
    await expect(here.ask({ secret: 'guess' })).rejects.toMatchObject(throttled);
    here.events.push({ type: 'ApplicationDeleted', application: 'app-1' });
    await expect(here.ask()).rejects.toMatchObject({ status: 401 });
    await expect(here.ask()).rejects.toMatchObject(throttled);
  });

  it('is counted if its credentials are malformed; a request without credentials or with an invalid body is not counted', async () => {
    const { ask } = newProcess();
    const invalid = Promise.reject(invalidRequest('The body is not valid.'));
    for (let nth = 0; nth < 6; nth += 1) await expect(ask({ form: invalid })).rejects.toMatchObject({ status: 400 });
    for (let nth = 0; nth < 4; nth += 1) {
      await expect(ask({ authorization: 'Basic x' })).rejects.toMatchObject({ status: 401, failure: { reason: 'malformed' } });
    }
    await expect(ask({ authorization: 'Basic x' })).rejects.toMatchObject(throttled);
    await expect(ask({ form: invalid })).rejects.toMatchObject({ status: 400 });
  });

  it('keeps its connection once it is authenticated; a client with a guessed secret does not', async () => {
    const { ask, applications, admission } = newProcess();
    const isKept = async (sent: Sent): Promise<boolean> => {
      const call = callOf(sent);
      const { admit } = createPeerLimit({ ofPeer: () => address, isFromEdge: () => false, connectionsMax: 1 });
      admit(call.request.socket);
      await clientOf({ applications, admission }, call, address).catch(() => undefined);
      return !admit(new Socket());
    };
    expect([await isKept({ secret: 'guess' }), await isKept({}), await isKept({})]).toEqual([false, true, true]);
    expect(await ask()).toMatchObject({ client: { id: 'app-1' } });
  });
});

describe('the requests in progress of an address', () => {
  it('count a request until it is answered, whatever the result', async () => {
    const { ask, admission, enter } = newProcess();
    enter(addressRequestsMax - 1);
    let arrive = (_: Buffer): void => undefined;
    const form = new Promise<Buffer>((resolve) => {
      arrive = resolve;
    });
    const asking = ask({ form });
    expect(admission.enter(address)).toBe(false);
    arrive(Buffer.from('grant_type=client_credentials'));
    await asking;
    await expect(ask({ secret: 'guess' })).rejects.toMatchObject(wrong);
    expect(enter(2)).toEqual([true, false]);
  });

  it('let a request within the limit send its form slowly', async () => {
    const { ask } = newProcess();
    const form = pause(formAtOnceMs + 10).then(() => Buffer.from('grant_type=client_credentials'));
    expect(await ask({ form })).toMatchObject({ client: { id: 'app-1' } });
  });

  it('do not decrease after a request above the limit was answered', async () => {
    const { ask, enter, applications } = newProcess();
    await applications.refresh('app-1');
    enter(addressRequestsMax);
    await ask();
    await expect(ask({ secret: 'guess' })).rejects.toMatchObject(throttled);
    expect(enter(1)).toEqual([false]);
  });

  it('refuse a request of an unknown client above the limit before its secret is checked', async () => {
    const { ask, enter, applications } = newProcess();
    enter(addressRequestsMax);
    await expect(ask()).rejects.toMatchObject(throttled);
    expect(applications.known('app-1')).toBeUndefined();
  });

  it('refuse a request above the limit whose form does not arrive at once, and ignore the later result of the form', async () => {
    const { ask, enter, applications } = newProcess();
    await applications.refresh('app-1');
    enter(addressRequestsMax);
    let breakOff = (_: Error): void => undefined;
    const form = new Promise<Buffer>((_, reject) => {
      breakOff = reject;
    });
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    await expect(ask({ form })).rejects.toMatchObject(throttled);
    breakOff(new Error('The connection was closed.'));
    await turn();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('return the error of the form for a request above the limit', async () => {
    const { ask, enter } = newProcess();
    enter(addressRequestsMax);
    await expect(ask({ form: Promise.reject(invalidRequest('The body is not valid.')) })).rejects.toMatchObject({ status: 400 });
  });
});

describe('the key of a client at an address', () => {
  it('does not show what the client sent as its id, and has the whole address', () => {
    const key = clientKey('a secret in place of the id', address);
    expect(key).not.toContain('secret');
    expect(key.endsWith(` ${address}`)).toBe(true);
  });

  it('distinguishes all client ids, and has the same length for each', () => {
    const long = 'x'.repeat(10_000);
    const keys = ['app-1', 'app-2', long, `${long}x`].map((id) => clientKey(id, address));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys.map((key) => key.length)).size).toBe(1);
  });
});
