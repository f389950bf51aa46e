import type { ApplicationEntry, Credentials } from '@waymark/operations/api/answers.ts';
import type { Operator } from './operator.ts';
import { asOwnApplication } from './own-application.ts';

const identity = { account: 'acme', name: 'waymark load', scopes: ['read', 'write'] } as const;

const entry = (client_id: string, status: ApplicationEntry['status'] = 'active'): ApplicationEntry => ({
  ...{ client_id, status, account: 'acme', name: 'waymark load' },
  scopes: ['read', 'write'],
  secret_ids: [],
});

/** Returns an operator API that has these applications, and gives new ones the id `c`. */
const operatorWith = (applications: readonly ApplicationEntry[]) => {
  const calls: string[] = [];
  const credentials = (client_id: string): Credentials => ({ client_id, client_secret: 'secret', secret_id: '1' });
  const request = async (route: string, { parameters = {} }: { readonly parameters?: { readonly id?: string } } = {}) => {
    calls.push(route);
    return route === 'GET /operator/applications' ? { applications } : credentials(parameters.id ?? 'c');
  };
  return { calls, operator: { request } as Partial<Operator> as Operator };
};

describe('the application of a command', () => {
  it('stays the same, although another one with its name comes first in the list', async () => {
    const applications: ApplicationEntry[] = [];
    const { operator } = operatorWith(applications);
    const own = asOwnApplication(operator, identity);
    expect(await own.id()).toBe('c');
    applications.push(entry('a'), entry('c'));
    expect(await own.credentials()).toMatchObject({ client_id: 'c' });
    expect(await own.credentials()).toMatchObject({ client_id: 'c' });
  });

  it('is the one with the given id', async () => {
    const { operator } = operatorWith([entry('a'), entry('b')]);
    expect(await asOwnApplication(operator, { ...identity, id: 'b' }).id()).toBe('b');
  });

  it('is not replaced by another one if the one with the given id is deleted', async () => {
    const { operator } = operatorWith([entry('a'), entry('b', 'deleted')]);
    await expect(asOwnApplication(operator, { ...identity, id: 'b' }).id()).rejects.toMatchObject({ ending: 'refused' });
  });

  it.each(['id', 'credentials'] as const)(
    'gets one secret for its id and its first credentials, whichever is asked for first: %s',
    async (first) => {
      const { operator, calls } = operatorWith([entry('a')]);
      const own = asOwnApplication(operator, identity);
      await own[first]();
      await own[first === 'id' ? 'credentials' : 'id']();
      expect(calls).toEqual(['GET /operator/applications', 'POST /operator/applications/:id/rotate']);
    },
  );
});
