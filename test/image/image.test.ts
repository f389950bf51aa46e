import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { describeWithImages, docker, dockerText, edgeImage, image, restricted } from './docker.ts';

const hangMs = 300_000;
/** Of the program and nginx, without the base and Node. */
const bytesMax = 250_000_000;
const services = ['commands', 'relay', 'projector', 'query-gateway', 'auth', 'auditor', 'notary', 'operator'];

jest.setTimeout(hangMs);

describeWithImages('The images', () => {
  const inspected = async (name: string, format: string): Promise<string> => dockerText('image', 'inspect', '--format', format, name);

  // Named in the same way where they are left out.
  it.each([
    ['waymark', image],
    ['waymark-edge', edgeImage],
  ])('%s is small, has labels, and does not run as root', async (_, name) => {
    const node = await dockerText(
      'run',
      '--rm',
      '--network',
      'none',
      '--entrypoint',
      '/usr/bin/stat',
      name,
      '-c',
      '%s',
      '/usr/local/bin/node',
    );
    const [size, base] = await Promise.all([name, 'debian:bookworm-slim'].map((one) => inspected(one, '{{.Size}}')));
    expect(Number(size) - Number(base) - Number(node)).toBeLessThanOrEqual(bytesMax);
    const labels = JSON.parse(await inspected(name, '{{json .Config.Labels}}'));
    expect(labels).toMatchObject({
      'org.opencontainers.image.title': 'Waymark',
      'org.opencontainers.image.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.base.name': 'debian:bookworm-slim',
    });
    expect(await inspected(name, '{{.Config.User}}')).toBe('10001:0');
  });

  it.each(services)('run %s by its name', async (service) => {
    const { code, stdout, stderr } = await docker('run', '--rm', '--network', 'none', ...restricted, image, service);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('WAYMARK_EVENTSTORE_URL: must be set');
  });
});

/** Containers and volumes that a test has started. */
const useContainers = () => {
  const containers: string[] = [];
  const volumes: string[] = [];
  afterAll(async () => {
    for (const name of containers) await docker('rm', '--force', '--volumes', name);
    for (const name of volumes) await docker('volume', 'rm', name);
  });
  return {
    run: async (...words: readonly string[]): Promise<string> => {
      const id = await dockerText('run', '--detach', '--publish', '127.0.0.1::8080', ...restricted, ...words);
      containers.push(id);
      return id;
    },
    volume: async (): Promise<string> => {
      const name = await dockerText('volume', 'create');
      volumes.push(name);
      return name;
    },
  };
};

const urlOf = async (container: string): Promise<string> => `http://${(await dockerText('port', container, '8080')).split('\n')[0]}`;

/** Resolves once a container answers requests. */
const answering = async (container: string): Promise<Client> => {
  for (const deadline = Date.now() + hangMs; ; await sleep(100)) {
    const client = openClient(await urlOf(container));
    if ((await client.send({ method: 'GET', path: '/v3.0/lists' }).catch(() => undefined)) !== undefined) return client;
    client.close();
    const state = await dockerText('inspect', '--format', '{{.State.Status}}', container);
    if (state !== 'running' || Date.now() > deadline) throw new Error((await docker('logs', container)).stderr);
  }
};

/** Stops a container as orchestrators do, and returns its exit code. */
const stopped = async (container: string): Promise<number> => {
  await dockerText('stop', '--time', '60', container);
  return Number(await dockerText('inspect', '--format', '{{.State.ExitCode}}', container));
};

describeWithImages('A standalone container, with a volume and nothing else to write to', () => {
  const containers = useContainers();
  let volume: string;
  let container: string;
  let application: Application;
  let id: number;

  const start = async (): Promise<Client> => {
    container = await containers.run('--volume', `${volume}:/var/lib/waymark`, image);
    return answering(container);
  };
  const waymark = async <Value>(...words: readonly string[]): Promise<Value> =>
    JSON.parse(await dockerText('exec', container, 'waymark', ...words, '--json'));
  const sessionOf = async (client: Client): Promise<Session> => {
    const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    return openSession(client.send, application, token);
  };

  it('serves a write and a read', async () => {
    volume = await containers.volume();
    const client = await start();
    expect(await waymark('app', 'list')).toEqual([]);
    application = await waymark<Application>('app', 'create', '--account', 'acme', '--name', 'container');
    const session = await sessionOf(client);
    ({ id } = await session.create('/pinpoints', aPinpoint({ name: 'Harbour' })));
    expect((await session.get(`/pinpoints/${id}`)).body).toMatchObject({ id, name: 'Harbour' });
    client.close();
  });

  it('shows its status by `docker exec … waymark status`', async () => {
    expect(await dockerText('exec', container, 'waymark', 'status')).toContain('ready');
    expect(await waymark('status')).toMatchObject({ ready: true });
  });

  it('has the demonstration map', async () => {
    await dockerText('exec', container, 'waymark', 'seed', '--demo');
  });

  it('ends on SIGTERM, and another one reads back what it stored', async () => {
    expect(await stopped(container)).toBe(0);
    const client = await start();
    const session = await sessionOf(client);
    expect((await session.get(`/pinpoints/${id}`)).body).toMatchObject({ id, name: 'Harbour' });
    expect(await stopped(container)).toBe(0);
    client.close();
  });
});

describeWithImages('A container of the edge, with a directory of its own and nothing else to write to', () => {
  const containers = useContainers();

  it('answers, and ends on SIGTERM after its drain', async () => {
    const targets = ['AUTH', 'QUERY', 'AUDITOR', 'PINPOINTS', 'LISTS', 'CATEGORIES', 'EVENTS', 'AUDIT'];
    const settings = [
      ...targets.map((target) => `WAYMARK_EDGE_${target}=127.0.0.1:1`),
      'WAYMARK_DRAIN_SECONDS=1',
      'WAYMARK_EDGE_WORKERS=1',
    ];
    const environment = settings.flatMap((setting) => ['--env', setting]);
    const container = await containers.run('--tmpfs', '/run/waymark-edge', ...environment, edgeImage);
    const client = await answering(container);
    expect(await client.send({ method: 'GET', path: '/v3.0/lists' })).toMatchObject({
      status: 503,
      text: '{"detail":"Temporarily unavailable."}',
    });
    expect(await stopped(container)).toBe(0);
    client.close();
  });
});
