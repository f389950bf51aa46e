import { token } from './account.ts';
import { type Desk, patienceMs, useDesk } from './waymark.ts';

type Credentials = { readonly client_id: string; readonly client_secret: string; readonly secret_id: string };
type Listed = { readonly client_id: string; readonly name: string; readonly status: string; readonly secret_ids: readonly string[] };

const create = (desk: Desk, name: string, ...more: string[]): Promise<Credentials> =>
  desk.json(['app', 'create', '--account', 'acme', '--name', name, ...more]);

describe('waymark app, while no server runs', () => {
  const desk = useDesk();

  it(
    'creates, lists and deletes applications',
    async () => {
      const made = await create(desk, 'CMS', '--scopes', 'read write');
      expect(made).toMatchObject({ client_id: expect.any(String), client_secret: expect.any(String), scopes: ['write', 'read'] });
      const [listed, ...others] = await desk.json<Listed[]>(['app', 'list']);
      expect(others).toEqual([]);
      expect(listed).toMatchObject({ client_id: made.client_id, name: 'CMS', status: 'active', secret_ids: [made.secret_id] });
      expect(JSON.stringify(listed)).not.toContain(made.client_secret);
      await desk.json(['app', 'delete', made.client_id]);
      expect(await desk.json(['app', 'list'])).toEqual([]);
      expect(await desk.json(['app', 'list', '--all'])).toMatchObject([{ client_id: made.client_id, status: 'deleted' }]);
    },
    patienceMs,
  );
});

describe('waymark app, while a server runs', () => {
  const desk = useDesk();

  it(
    'creates applications that get tokens at once',
    async () => {
      const { api, stop } = await desk.serve();
      const made = await create(desk, 'reader', '--scopes', 'read');
      expect(await token(api, made)).toMatchObject({ status: 200, body: { scope: 'read' } });

      const second = await desk.json<Credentials>(['app', 'rotate', made.client_id]);
      expect((await token(api, second)).status).toBe(200);
      expect((await desk.run('app', 'rotate', made.client_id)).code).toBe(4);
      await desk.json(['app', 'drop-secret', made.client_id, made.secret_id]);
      expect((await token(api, made)).status).toBe(401);

      await desk.json(['app', 'suspend', made.client_id]);
      expect((await token(api, second)).status).toBe(400);
      await desk.json(['app', 'resume', made.client_id]);
      expect((await token(api, second)).status).toBe(200);

      await desk.json(['app', 'delete', made.client_id]);
      expect((await token(api, second)).status).toBe(401);
      expect(await stop()).toBe(0);
    },
    patienceMs,
  );

  it(
    'changes the scopes of applications',
    async () => {
      const { api, stop } = await desk.serve();
      const made = await create(desk, 'editor');
      const { client_id } = made;
      const changed = await desk.json(['app', 'scopes', client_id, 'audit', 'read', '--by', 'clerk-3']);
      expect(changed).toEqual({ client_id, scopes: ['read', 'audit'] });
      expect(await token(api, made)).toMatchObject({ status: 200, body: { scope: 'read audit' } });
      expect((await desk.run('app', 'scopes', client_id, 'write,read')).stdout).toBe(`The scopes of ${client_id} are now write, read.\n`);
      expect((await desk.json<Listed[]>(['app', 'list'])).find((one) => one.client_id === client_id)).toMatchObject({
        scopes: ['write', 'read'],
      });
      const refused = { code: 2, stdout: '', stderr: expect.stringContaining('Scopes are ') };
      expect(await desk.run('app', 'scopes', client_id, 'fly')).toMatchObject(refused);
      expect(await desk.run('app', 'scopes', client_id, 'read', 'fly')).toMatchObject(refused);
      expect(await desk.run('app', 'scopes', client_id)).toMatchObject({ code: 2, stdout: '' });
      expect((await desk.run('app', 'scopes', 'nobody', 'read')).code).toBe(4);
      await desk.json(['app', 'delete', client_id]);
      expect((await desk.run('app', 'scopes', client_id, 'read')).code).toBe(4);
      expect(await stop()).toBe(0);
    },
    patienceMs,
  );

  it(
    'shows a secret once as text, and a table of applications without secrets',
    async () => {
      const made = await desk.run('app', 'create', '--account', 'acme', '--name', 'CMS');
      expect(made.stdout).toMatch(/^client id {6}\S{32}\nclient secret {2}\S{43}\n/);
      const { stdout } = await desk.run('app', 'list');
      const [headings, ...rows] = stdout.trimEnd().split('\n');
      expect(headings).toMatch(/^CLIENT ID +NAME +ACCOUNT +STATUS +SCOPES +SECRETS$/);
      expect(rows.some((row) => /\S{32} +CMS +.* active +write read /.test(row))).toBe(true);
    },
    patienceMs,
  );

  it(
    'refuses unknown applications and wrong arguments, each with its exit code',
    async () => {
      expect(await desk.run('app', 'suspend', 'nobody')).toEqual({ code: 4, stdout: '', stderr: 'waymark: Not found.\n' });
      expect((await desk.run('app', 'drop-secret', 'nobody', 'none')).code).toBe(4);
      expect(await desk.run('app', 'create', '--account', 'acme')).toMatchObject({ code: 2, stdout: '' });
      expect(await desk.run('app', 'create', '--account', 'a', '--name', 'b', '--scopes', 'fly')).toMatchObject({ code: 2, stdout: '' });
      expect((await desk.run('app', 'create', '--account', ' ', '--name', 'b')).code).toBe(4);
    },
    patienceMs,
  );
});
