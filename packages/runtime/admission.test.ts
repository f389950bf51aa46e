import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { addressesOf } from './admission.ts';

const [newKey, oldKey] = ['n'.repeat(32), 'o'.repeat(32)];
const settings = {
  WAYMARK_TRUSTED_PROXIES: '192.0.2.1',
  WAYMARK_EDGE_KEY: `${newKey},${oldKey}`,
  WAYMARK_ADDRESS_CONNECTIONS: 10,
  WAYMARK_CLIENT_FAILURES: 10,
  WAYMARK_ADDRESS_FAILURES: 10,
};

const requestWith = (key: string): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '10.1.2.3' });
  const request = new IncomingMessage(socket);
  Object.assign(request.headers, { 'x-forwarded-for': '198.51.100.1', 'x-waymark-edge-key': key });
  return request;
};

describe('The addresses of clients, from the settings of a process', () => {
  const lines: string[] = [];
  const addresses = addressesOf(settings, pino({}, { write: (line: string) => void lines.push(line) }));

  it.each([newKey, oldKey])('are those that an edge with a key names: %s', (key) => {
    expect(addresses.of(requestWith(key))).toBe('198.51.100.1');
    expect(lines).toEqual([]);
  });

  it('are those of the peers with another key, and a warning names both settings but not the key', () => {
    const wrong = 'w'.repeat(32);
    expect(addresses.of(requestWith(wrong))).toBe('10.1.2.3');
    expect(addresses.of(requestWith(`${newKey},${oldKey}`))).toBe('10.1.2.3');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/WAYMARK_TRUSTED_PROXIES.*WAYMARK_EDGE_KEY/);
    expect(lines.join()).not.toContain(wrong);
  });
});
