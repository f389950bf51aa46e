import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { type Credentials, token } from './account.ts';
import { type Desk, outcome, patienceMs, type Served, spawnWaymark, useDesk } from './waymark.ts';

type Entry = {
  readonly revision: number | null;
  readonly action: string;
  readonly time: string;
  readonly actor: { readonly id: string; readonly name: string | null };
  readonly changeset: { readonly id: string; readonly comment: string; readonly by: string } | null;
  readonly changes: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;
};
type Activity = { readonly results: readonly (Entry & { readonly object: object })[] };
type Page = { readonly results: readonly Entry[]; readonly next: number | null };
type Send = (method: string, path: string, body?: unknown) => Promise<{ readonly id: number }>;

/** Returns a client of the account `acme`, all of whose changes are in one changeset. */
const editor = async (desk: Desk, { api }: Served): Promise<Send> => {
  const words = ['app', 'create', '--account', 'acme', '--name', 'CMS', '--scopes', 'read,write,audit'];
  const { access_token } = (await token(api, await desk.json<Credentials>(words))).body;
  const send = async (method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? {} : JSON.parse(await answer.text());
  };
  const changeset = await send('POST', '/audit/v1/changesets', { comment: 'New lights', by: 'Rasa' });
  return (method, path, body) => send(method, `/v3.0${path}`, body, { 'Correlation-Id': changeset.id });
};

const harbour = { name: 'Harbour', latitude: 54.32, longitude: 10.14, description: '<p>A quiet old port.</p>', tags: ['sea'] };
const account = ['--account', 'acme'];

describe('waymark history, diff, blame and activity', () => {
  const desk = useDesk({ WAYMARK_PUBLIC_URL: 'https://maps.example/' });
  let server: Served;
  let send: Send;
  let id: string;
  const get = <Value>(...words: readonly string[]): Promise<Value> => desk.json<Value>([...words, ...account]);
  const print = (...words: readonly string[]) => desk.run(...words, ...account);

  beforeAll(async () => {
    server = await desk.serve();
    send = await editor(desk, server);
    const made = await send('POST', '/pinpoints', harbour);
    id = `${made.id}`;
    await send('PUT', `/pinpoints/${id}`, { ...harbour, name: 'Port', latitude: 54.33 });
    await send('PUT', `/pinpoints/${id}`, { ...harbour, name: 'Port', latitude: 54.33, description: '<p>A quiet new port.</p>' });
  }, patienceMs);

  it(
    'show the changes of an object, newest first, and say when there are more',
    async () => {
      const page = await get<Page>('history', 'pinpoint', id);
      expect(page.results.map(({ revision, action }) => [revision, action])).toEqual([
        [2, 'edited'],
        [1, 'edited'],
        [0, 'created'],
      ]);
      expect(page.results[1]).toMatchObject({
        actor: { name: 'CMS' },
        changeset: { comment: 'New lights', by: 'Rasa' },
        changes: { name: { old: 'Harbour', new: 'Port' }, latitude: { old: 54.32, new: 54.33 } },
      });
      expect(page.next).toBeNull();
      expect(await get<Page>('history', 'pinpoint', id, '--limit', '2')).toEqual({
        results: page.results.slice(0, 2),
        next: expect.any(Number),
      });

      const whole = await print('history', 'pinpoint', id);
      expect(whole.stdout).toMatch(
        /^TIME +REVISION +ACTION +ACTOR +CHANGESET\n\S{24} +2 +edited +CMS +New lights \(Rasa\)\n {4}description: /,
      );
      expect(whole.stdout).toMatch(/ 1 +edited .*\n {4}name: Harbour → Port\n {4}latitude: 54\.32 → 54\.33\n/);
      expect(whole.stdout).not.toContain('--all');
      const first = await print('history', 'pinpoint', id, '--limit', '1');
      expect(first.stdout).toMatch(/\n\nThere are earlier changes: .*--all\.\n$/);
    },
    patienceMs,
  );

  it(
    'show a longer history than a page at once with --all',
    async () => {
      const { id: list } = await send('POST', '/lists', { name: 'List 0' });
      for (let nth = 1; nth <= 520; nth += 1) await send('PUT', `/lists/${list}`, { name: `List ${nth}` });
      const { results, next } = await get<Page>('history', 'list', `${list}`, '--all');
      expect([results.map(({ revision }) => revision), next]).toEqual([Array.from({ length: 521 }, (_, nth) => 520 - nth), null]);
      const { stdout } = await print('history', 'list', `${list}`, '--all');
      expect([...stdout.matchAll(/ edited /g)]).toHaveLength(520);
      expect((await get<Page>('history', 'list', `${list}`, '--limit', '510')).results).toEqual(results.slice(0, 510));
    },
    patienceMs,
  );

  it(
    'compare two revisions, with the members of a list',
    async () => {
      expect(await get('diff', 'pinpoint', id, '0', '1')).toMatchObject({
        from: 0,
        to: 1,
        fields: { name: { old: 'Harbour', new: 'Port' } },
      });
      const { stdout } = await print('diff', 'pinpoint', id, '0', '2');
      expect(stdout).toMatch(/^FIELD +OLD +NEW +DISTANCE\nname +Harbour +Port\nlocation +54\.32, 10\.14 +54\.33, 10\.14 +1,112 m\n/);
      expect(stdout).toContain('\ndescription\nA quiet [-old-]{+new+} port.');
      expect((await print('diff', 'pinpoint', id, '1', '1')).stdout).toBe('The revisions do not differ.\n');

      const list = `${(await send('POST', '/lists', { name: 'Ports' })).id}`;
      await send('POST', `/lists/${list}/pinpoints`, [{ id: Number(id) }]);
      expect(await get('diff', 'list', list, '0', '1')).toMatchObject({ members: { added: [Number(id)], removed: [] }, next: null });
      expect((await print('diff', 'list', list, '1', '0')).stdout).toBe(`members removed\n${id}\n`);
    },
    patienceMs,
  );

  it(
    'show which change set each field, also before an erasure',
    async () => {
      expect(await get('blame', 'pinpoint', id)).toMatchObject({
        revision: 2,
        fields: { name: { value: 'Port', before: 'Harbour', set: { revision: 1, actor: { name: 'CMS' } } } },
      });
      expect((await print('blame', 'pinpoint', id)).stdout).toMatch(/\nname +Port +Harbour +1 +\S{24} +CMS +New lights \(Rasa\)\n/);

      const list = `${(await send('POST', '/lists', { name: 'Secret' })).id}`;
      await send('PUT', `/lists/${list}`, { name: 'Public' });
      await get('forget', 'list', list);
      expect((await print('blame', 'list', list)).stdout).toMatch(/\nname +Public +before the erasure of \S{24}\n/);
      expect((await print('history', 'list', list)).stdout).toContain('    The content was erased.\n');
      expect(await print('diff', 'list', list, '0', '1')).toEqual({ code: 4, stdout: '', stderr: 'waymark: The revision was erased.\n' });
    },
    patienceMs,
  );

  it(
    'show what happened in an account, newest first, as far as the options select it',
    async () => {
      const moved = await get<Activity>('activity', '--moved', '1000', '--field', 'latitude', '--action', 'edited');
      expect(moved.results).toMatchObject([{ object: { kind: 'pinpoints', id: Number(id) }, revision: 1, changeset: { by: 'Rasa' } }]);
      const [edit] = moved.results;
      const selecting = async (...words: readonly string[]) =>
        (await get<Activity>('activity', '--resource', `pinpoints/${id}`, ...words)).results.map(({ revision }) => revision);
      expect(await selecting()).toEqual([2, 1, 0]);
      expect(await selecting('--changeset', edit?.changeset?.id ?? '', '--limit', '2')).toEqual([2, 1]);
      expect(await selecting('--correlation', edit?.changeset?.id ?? '')).toEqual([2, 1, 0]);
      expect(await selecting('--from', edit?.time ?? '', '--application', edit?.actor.id ?? '')).toEqual(expect.arrayContaining([2, 1]));
      expect(await selecting('--to', '2020-01-01T00:00:00Z')).toEqual([]);
      expect(await selecting('--request-id', 'ticket-4711')).toEqual([]);

      const { stdout } = await print('activity', '--resource', `pinpoints/${id}`, '--limit', '2');
      expect(stdout).toMatch(/^TIME +OBJECT +REVISION +ACTION +ACTOR +CHANGESET\n\S{24} +pinpoints\/\d+ +2 +edited +CMS +New lights/);
      expect(stdout).toMatch(/ 1 +edited .*\n {4}name: Harbour → Port\n(.*\n)+\nThere is earlier activity: .*\n$/);
      expect(await print('activity', '--resource', 'things', '--moved', 'far')).toEqual({
        code: 4,
        stdout: '',
        stderr: 'waymark: resource: Enter a resource, such as pinpoints or pinpoints/12. moved: Enter a number of metres.\n',
      });
      expect(await desk.run('activity', '--account', 'other')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('pinpoints') });
    },
    patienceMs,
  );

  it(
    'show the history of a deleted object and of an application, and the time of the deletion',
    async () => {
      const list = `${(await send('POST', '/lists', { name: 'Ports' })).id}`;
      await send('DELETE', `/lists/${list}`);
      expect((await get<Page>('history', 'list', list)).results.map(({ action }) => action)).toEqual(['deleted', 'created']);
      const blame = await print('blame', 'list', list);
      expect(blame).toMatchObject({ code: 4, stderr: expect.stringMatching(/^waymark: Revision 1 deleted the object, at \S{24}\.\n$/) });
      const applications = await desk.json<{ name: string; client_id: string }[]>(['app', 'list']);
      const made = await get<Page>('history', 'application', applications.find(({ name }) => name === 'CMS')?.client_id ?? '');
      expect(made.results).toMatchObject([{ revision: 0, action: 'created' }]);
      expect(JSON.stringify(made)).not.toContain('hash');
    },
    patienceMs,
  );

  it(
    'send nothing to the terminal that controls it',
    async () => {
      const name = 'red\u202egreen\u2066';
      const made = await send('POST', '/pinpoints', { ...harbour, name });
      for (const words of [['history'], ['blame'], ['history', '--json'], ['blame', '--json']]) {
        const [command = '', ...options] = words;
        const { stdout } = await print(command, 'pinpoint', `${made.id}`, ...options);
        expect(stdout).toContain('green');
        expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_C}]/u);
      }
      expect((await get<Page>('history', 'pinpoint', `${made.id}`)).results[0]?.changes['name']).toEqual({ old: null, new: name });
    },
    patienceMs,
  );

  it(
    'refuse what is not there, and wrong arguments, each with its exit code',
    async () => {
      const missing = { code: 4, stdout: '', stderr: expect.stringContaining('has no such object') };
      expect(await print('history', 'pinpoint', '999999')).toMatchObject(missing);
      expect(await desk.run('history', 'pinpoint', id, '--account', 'other')).toMatchObject(missing);
      expect(await print('diff', 'pinpoint', id, '0', '99')).toMatchObject(missing);
      expect(await print('history', 'harbour', id)).toMatchObject({ code: 4, stderr: expect.stringContaining('kind: pinpoint, list') });
      for (const words of [
        ['history', 'pinpoint', 'x'],
        ['diff', 'pinpoint', id, '0', '-'],
        ['history', 'pinpoint', id, '--limit', '0'],
      ]) {
        expect(await print(...words)).toMatchObject({ code: 2, stdout: '' });
      }
    },
    patienceMs,
  );

  it(
    'work without a running server, with the links of the installation',
    async () => {
      const whileItRuns = await get<{ readonly results: readonly { readonly as_of: string }[] }>('history', 'pinpoint', id);
      expect(whileItRuns.results[0]?.as_of).toMatch(/^https:\/\/maps\.example\/audit\/v1\/as-of\//);
      await server.stop();
      expect(await get('history', 'pinpoint', id)).toEqual(whileItRuns);
    },
    patienceMs,
  );
});

describe('waymark history, if the server has no history for operators', () => {
  const server = createServer((_, response) => response.writeHead(404).end('{"detail":"Not found."}'));
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([[['history']], [['blame']], [['diff', '0', '1']]])(
    'says so: %j',
    async ([command = '', ...revisions]) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const environment = { WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN: 'x'.repeat(32) };
      const ran = await outcome(spawnWaymark(tmpdir(), environment, [command, 'pinpoint', '1', ...revisions, ...account]));
      expect(ran).toEqual({ code: 4, stdout: '', stderr: 'waymark: This server does not offer the history to the command line.\n' });
    },
    patienceMs,
  );
});
