import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { figuresOf, missingOf, verifierKeysOf, warningsOf } from './processes.ts';

/** Starts an operator port that returns this report. */
const peerWith = async (figures: object) => {
  const server = createServer((_, response) => response.end(JSON.stringify(figures)));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

describe('the reports of processes', () => {
  it('are those of each address that a name leads to', async () => {
    const pod = await peerWith({ ready: true, missing: [] });
    const { port } = new URL(pod.url);
    const resolve = async () => [
      { address: '127.0.0.2', family: 4 },
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    try {
      const all = await figuresOf([{ name: 'auth', url: `http://auth-status:${port}` }], 'token', resolve);
      expect(all.map(({ name, operator, ready }) => [name, operator, ready])).toEqual([
        ['auth', `http://127.0.0.1:${port}`, true],
        ['auth-2', `http://127.0.0.2:${port}`, false],
      ]);
    } finally {
      pod.close();
    }
  });

  it('say that a process does not answer where its name leads nowhere, or is not resolved in time', async () => {
    const peers = [{ name: 'relay', url: 'http://relay.invalid:8081' }];
    const nowhere = { name: 'relay', operator: 'http://relay.invalid:8081', ready: false, missing: ['It does not answer.'] };
    expect(await figuresOf(peers, 'token', () => Promise.reject(new Error('ENOTFOUND')))).toEqual([nowhere]);
    expect(await figuresOf(peers, 'token', () => new Promise(() => undefined))).toEqual([nowhere]);
  });

  it('are passed on with the names of the processes, including the warnings of ready ones', async () => {
    const warned = await peerWith({ ready: true, missing: [], warnings: ['Another program writes to the topic.'] });
    const older = await peerWith({ ready: true, missing: [] });
    try {
      const all = await figuresOf(
        [
          { name: 'projector', url: warned.url },
          { name: 'relay', url: older.url },
        ],
        'token',
      );
      expect([missingOf(all), warningsOf(all)]).toEqual([[], ['projector: Another program writes to the topic.']]);
    } finally {
      warned.close();
      older.close();
    }
  });

  it('name the public keys of the notary', async () => {
    const notary = await peerWith({ ready: true, missing: [], verifierKeys: ['newest', 'former'] });
    try {
      const peers = [
        { name: 'notary', url: notary.url },
        { name: 'relay', url: 'http://127.0.0.1:1' },
      ];
      expect(verifierKeysOf(await figuresOf(peers, 'token'))).toEqual(['newest', 'former']);
    } finally {
      notary.close();
    }
  });
});
