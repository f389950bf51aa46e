import { createApplications } from '@waymark/access/applications.ts';
import { applicationLog, registered } from '@waymark/access/testing/application-log.ts';
import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import { authenticated, isKnown } from './clients.ts';

const secret = (nth: number) => ({ id: `secret-${nth}`, hash: secretHash(`clear-${nth}`) });
const begun: ApplicationEvent = { ...registered, secret: secret(1) };
const added: ApplicationEvent = { type: 'SecretAdded', application: 'app-1', secret: secret(2) };
const dropped: ApplicationEvent = { type: 'SecretDropped', application: 'app-1', secretId: 'secret-1' };
const suspended: ApplicationEvent = { type: 'ApplicationSuspended', application: 'app-1' };
const deleted: ApplicationEvent = { type: 'ApplicationDeleted', application: 'app-1' };

const request = (clientSecret: string) => ({ clientId: 'app-1', clientSecret, form: new Map<string, string>() });
const asked = (history: readonly ApplicationEvent[], clientSecret: string) =>
  authenticated(createApplications(applicationLog(history).log), request(clientSecret));

describe('a client', () => {
  it('is authenticated by any of its secrets; the result has the id of the secret and the revision', async () => {
    for (const nth of [1, 2]) {
      expect(await asked([begun, added], `clear-${nth}`)).toMatchObject({
        id: 'app-1',
        application: { status: 'active', account: 'account-1' },
        revision: 1,
        secretId: `secret-${nth}`,
      });
    }
  });

  it.each<[string, readonly ApplicationEvent[], string, object]>([
    ['that does not exist', [], 'clear-1', { status: 401, failure: { reason: 'unknown-client' } }],
    ['that was deleted', [begun, deleted], 'clear-1', { status: 401, failure: { reason: 'unknown-client' } }],
    ['with another secret', [begun], 'clear-2', { status: 401, failure: { reason: 'wrong-secret', client: 'app-1' } }],
    ['with a secret that was dropped', [begun, added, dropped], 'clear-1', { status: 401, failure: { reason: 'wrong-secret' } }],
    ['with no secret', [begun], '', { status: 401, failure: { reason: 'wrong-secret' } }],
    ['with the hash of a secret', [begun], secret(1).hash, { status: 401, failure: { reason: 'wrong-secret' } }],
    ['that is suspended', [begun, suspended], 'clear-1', { status: 400, body: { error: 'unauthorized_client' } }],
    ['that is suspended, with another secret', [begun, suspended], 'clear-2', { status: 401, failure: { reason: 'wrong-secret' } }],
  ])('%s is refused', async (_, history, clear, problem) => {
    await expect(asked(history, clear)).rejects.toMatchObject(problem);
  });

  it('is checked in the log each time, even if it is cached', async () => {
    const { log, events } = applicationLog([begun, added]);
    const applications = createApplications(log);
    await authenticated(applications, request('clear-1'));
    events.push(dropped);
    await expect(authenticated(applications, request('clear-1'))).rejects.toMatchObject({ status: 401 });
  });

  it('is known if its secret matches the cached application', async () => {
    const { log, events } = applicationLog([begun]);
    const applications = createApplications(log);
    expect(isKnown(applications, request('clear-1'))).toBe(false);
    await applications.refresh('app-1');
    expect(isKnown(applications, request('clear-1'))).toBe(true);
    expect(isKnown(applications, request('clear-2'))).toBe(false);
    events.push(deleted);
    await applications.refresh('app-1');
    expect(isKnown(applications, request('clear-1'))).toBe(false);
  });
});
