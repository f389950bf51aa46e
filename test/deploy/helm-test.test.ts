import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { patienceMs, useDesk } from '../cli/waymark.ts';
import { chart } from './helm.ts';

const script = readFileSync(join(chart, 'files/helm-test.mjs'), 'utf8');

describe('helm test', () => {
  const desk = useDesk();

  /** Returns the state of the applications that the test made. */
  const applications = async ({ url, token }: { readonly url: string; readonly token: string }) => {
    const answer = await fetch(`${url}/operator/applications`, { headers: { Authorization: `Bearer ${token}` } });
    const { applications: all } = (await answer.json()) as { applications: { account: string; name: string; status: string }[] };
    return all.filter(({ account }) => account === 'helm-test').map(({ name, status }) => ({ name, status }));
  };
  const run = (environment: Readonly<Record<string, string>>) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env: environment });

  it(
    'writes, reads and audits a pinpoint, and leaves nothing of it',
    async () => {
      const { api, url, token } = await desk.serve();
      const file = join(desk.directory, 'operator-token');
      writeFileSync(file, `${token}\n`);
      const environment = { WAYMARK_API_URL: api, WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN_FILE: file };
      const { stdout } = await run(environment);
      expect(stdout.split('\n')).toEqual(
        [
          'An application: 201',
          'A token: 200',
          'Write: 201',
          'Read: 200',
          'Audit: 200',
          'Delete: 204',
          'Erase the history: 200',
          'Delete the application: 200',
          'Erase its name: 200',
        ].concat(''),
      );
      const gone = { name: '', status: 'deleted' };
      expect(await applications({ url, token })).toEqual([gone]);
      writeFileSync(file, ` ${token} , former\n`);
      await run(environment);

      await expect(run({ ...environment, WAYMARK_API_URL: 'http://127.0.0.1:1' })).rejects.toMatchObject({ code: 1 });
      expect(await applications({ url, token })).toEqual([gone, gone, gone]);
    },
    patienceMs,
  );
});
