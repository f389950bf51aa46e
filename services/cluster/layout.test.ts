import { readSettings } from '@waymark/runtime/settings.ts';
import { layout } from './layout.ts';
import { clusterSettings } from './settings.ts';

const environment = {
  WAYMARK_OPS_PORT: '0',
  WAYMARK_EVENTSTORE_URL: 'esdb://127.0.0.1:1',
  WAYMARK_KAFKA_BROKERS: '127.0.0.1:1',
  WAYMARK_MONGODB_URL: 'mongodb://127.0.0.1:1',
  WAYMARK_REDIS_URL: 'redis://127.0.0.1:1',
  WAYMARK_MEDIA_URL: 'gridfs+mongodb://127.0.0.1:1/media',
};

const secrets = {
  operatorToken: 'o',
  statusToken: 't',
  edgeKey: 'e',
  cursorKey: 'c',
  idempotencyKey: 'i',
  signingKey: 's',
  requestIdKey: 'r',
};

describe('the memory of a cluster on one machine', () => {
  it.each([
    ['', 8],
    ['query-gateway=3', 10],
  ])('is divided among its processes: %j', async (replicas, processes) => {
    const settings = readSettings(clusterSettings, { ...environment, WAYMARK_MEMORY_MB: '1260', WAYMARK_REPLICAS: replicas });
    const { children } = await layout(settings, secrets, 'http://x');
    expect(children).toHaveLength(processes);
    const given = children.map((child) => child.environment['WAYMARK_MEMORY_MB']);
    expect(given).toEqual(children.map(() => `${Math.floor(1_260 / processes)}`));
  });
});

it('The keys of a cluster reach each of its processes as values, and not in addition as files', async () => {
  process.env['WAYMARK_SIGNING_KEY_FILE'] = '/nowhere';
  try {
    const { children } = await layout(readSettings(clusterSettings, environment), secrets, 'http://x');
    for (const { environment: given } of children) {
      expect(['SIGNING', 'CURSOR', 'IDEMPOTENCY', 'REQUEST_ID'].map((name) => given[`WAYMARK_${name}_KEY`])).toEqual(['s', 'c', 'i', 'r']);
      expect(given['WAYMARK_SIGNING_KEY_FILE']).toBeUndefined();
    }
  } finally {
    delete process.env['WAYMARK_SIGNING_KEY_FILE'];
  }
});

it('The key of the notary reaches the notary alone, and the place of checkpoints the notary and the operator service', async () => {
  Object.assign(process.env, { WAYMARK_NOTARY_KEY: 'k', WAYMARK_CHECKPOINTS_TO: 'https://user:secret@host' });
  try {
    const { children } = await layout(readSettings(clusterSettings, environment), secrets, 'http://x');
    const having = (name: string) => children.filter(({ environment: given }) => name in given).map((one) => one.name);
    expect(having('WAYMARK_NOTARY_KEY')).toEqual(['notary']);
    expect(having('WAYMARK_CHECKPOINTS_TO')).toEqual(['notary', 'operator']);
  } finally {
    delete process.env['WAYMARK_NOTARY_KEY'];
    delete process.env['WAYMARK_CHECKPOINTS_TO'];
  }
});

it('The operator token reaches the operator service alone, and the status token and the key of the edge reach every process', async () => {
  process.env['WAYMARK_OPS_TOKEN'] = 'o';
  try {
    const { children } = await layout(readSettings(clusterSettings, environment), secrets, 'http://x');
    expect(children.filter(({ environment: given }) => 'WAYMARK_OPS_TOKEN' in given).map(({ name }) => name)).toEqual(['operator']);
    for (const { environment: given } of children)
      expect(given).toMatchObject({ WAYMARK_STATUS_TOKEN: 't', WAYMARK_EDGE_KEY: 'e', WAYMARK_TRUSTED_PROXIES: '' });
  } finally {
    delete process.env['WAYMARK_OPS_TOKEN'];
  }
});

describe('the command services of a cluster on one machine', () => {
  it.each([
    ['one', 1],
    ['each', 5],
  ])('answer the writes of every role: %s', async (commands, processes) => {
    const { upstreams } = await layout(readSettings(clusterSettings, { ...environment, WAYMARK_COMMANDS: commands }), secrets, 'http://x');
    const counts = Object.fromEntries(Object.entries(upstreams.commands).map(([role, addresses]) => [role, addresses.length]));
    expect(counts).toEqual({ pinpoint: 1, list: 1, category: 1, happening: 1, audit: 1 });
    expect(new Set(Object.values(upstreams.commands).flat()).size).toBe(processes);
  });
});
