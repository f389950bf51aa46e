import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { parse, stringify } from 'yaml';
import { inherited } from '../../engines/environment.ts';
import { buildCommands, documented } from '../commands.ts';
import { describeOnInstallation } from '../installation/installation.ts';
import { helmOnNode, kubectl } from '../node.ts';
import { useOwnEventStore } from '../own-event-store.ts';
import { describeWithRegistry, type Registry, startRegistry } from '../registry.ts';
import { createVolume } from '../volumes.ts';

jest.setTimeout(900_000);

const root = join(import.meta.dirname, '../../..');
const namespace = 'maps';
const port = 30_083;
const api = `http://127.0.0.1:${port}`;
const shell = promisify(execFile);

/** What the document's values cannot know: the addresses of this node's engines, and a small node. */
const here = (eventStore: string) => ({
  publicUrl: api,
  service: { type: 'NodePort', nodePort: port },
  defaults: { resources: { requests: { cpu: '10m' } } },
  eventStore: { url: eventStore },
  kafka: { brokers: urlOf('kafka') },
  mongodb: { url: urlOf('mongodb') },
  redis: { url: urlOf('redis') },
});

describeOnInstallation('On Kubernetes', () => {
  describeWithRegistry('the ten commands of docs/deploy.md', () => {
    const eventStore = useOwnEventStore();
    let registry: Registry;
    /** The checkout, with a file of values, and programs that act on the node. */
    let place: string;

    const program = (name: string, line: string): void => {
      const file = join(place, '.bin', name);
      writeFileSync(file, `#!/bin/sh\nexec ${line} "$@"\n`);
      chmodSync(file, 0o755);
    };

    beforeAll(async () => {
      registry = await startRegistry();
      place = mkdtempSync(join(tmpdir(), 'waymark-commands-'));
      for (const name of readdirSync(root)) if (!name.startsWith('.git')) symlinkSync(join(root, name), join(place, name));
      mkdirSync(join(place, '.bin'));
      program('kubectl', `${process.env['WAYMARK_NODE_CONTROL']} ctl`);
      program('helm', `${process.env['WAYMARK_HELM']}`);
      const values = parse(documented('values').join('\n')) as object;
      writeFileSync(join(place, 'values.yaml'), stringify({ ...values, ...here(eventStore) }, { version: '1.1' }));
      await createVolume('commands', { namespace, name: 'data-maps-waymark-notary-0' });
    });
    afterAll(async () => {
      await helmOnNode(['uninstall', 'maps', '--namespace', namespace, '--ignore-not-found']);
      await kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
      await kubectl(['delete', 'pv', 'commands', '--ignore-not-found', '--wait=false']);
      await registry?.stop();
      rmSync(place, { recursive: true });
    });

    it('lead from an empty namespace to a first pinpoint, as they stand there', async () => {
      const commands = documented('commands');
      expect(commands).toHaveLength(10);
      const { NODE_STATE, KUBECONFIG = join(`${NODE_STATE}`, 'pki/admin.kubeconfig') } = process.env;
      const { stdout } = await shell('sh', ['-euc', commands.slice(buildCommands).join('\n')], {
        cwd: place,
        env: {
          ...inherited,
          PATH: `${join(place, '.bin')}:${inherited.PATH}`,
          HOME: place,
          NODE_STATE,
          KUBECONFIG,
          REGISTRY: `${registry.address}/maps`,
          API: api,
          MEDIA: urlOf('media'),
        },
      });
      expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ name: 'Harbour', latitude: 54.32, longitude: 10.14 });
    });
  });
});
