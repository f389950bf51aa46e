import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { figuresOf, missingOf, warningsOf } from './processes.ts';

/** Starts an operator port that returns this report. */
const peerWith = async (figures: object) => {
  const server = createServer((_, response) => response.end(JSON.stringify(figures)));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

describe('the reports of processes', () => {
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
});
