import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createClientAddresses, proxyFaults } from './addresses.ts';
import { edgeKeyHeader } from './edge-key.ts';

/** Creates a request over a connection from this address. */
const from = (remoteAddress: string | undefined, forwarded?: string, edgeKey?: string): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  if (edgeKey !== undefined) request.headers[edgeKeyHeader] = edgeKey;
  return request;
};

const direct = createClientAddresses({ trusted: [] });
const withKeys = createClientAddresses({ trusted: ['10.0.0.0/8'], edgeKeys: ['new-key', 'old-key'] });
const behind = createClientAddresses({ trusted: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] });

describe('the address of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['64:ff9b:1::cb00:7107', '64:ff9b:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s is counted as %s', (peer, key) => {
    expect(direct.of(from(peer))).toBe(key);
  });

  it('is the peer, whatever it forwards, if the peer is not trusted', () => {
    expect(direct.of(from('203.0.113.7', '198.51.100.1'))).toBe('203.0.113.7');
    expect(behind.of(from('203.0.113.7', '198.51.100.1'))).toBe('203.0.113.7');
  });

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.9, 198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, 10.1.2.3', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['64:ff9b::198.51.100.1', '198.51.100.1'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['198.51.100.9, 198.51.100.1:4711, 10.1.2.3:80', '198.51.100.1'],
    ['[2001:db8:1:2::9]:4711, [fd00::1]', '2001:db8:1:2::/64'],
    ['[64:ff9b::198.51.100.1]', '198.51.100.1'],
    ['198.51.100.1:', '127.0.0.1'],
    ['[]:80', '127.0.0.1'],
    ['not an address', '127.0.0.1'],
    ['198.51.100.1, nonsense', '127.0.0.1'],
    ['198.51.100.1, nonsense, 10.1.2.3', '10.1.2.3'],
    ['', '127.0.0.1'],
    [undefined, '127.0.0.1'],
    [`${'198.51.100.9, '.repeat(100)}198.51.100.1`, '198.51.100.1'],
  ])('behind a trusted proxy that forwards %j is %s', (forwarded, key) => {
    expect(behind.of(from('127.0.0.1', forwarded))).toBe(key);
    expect(behind.of(from('::ffff:127.0.0.1', forwarded))).toBe(key);
  });

  it.each(['new-key', 'old-key'])('is the one that an edge with a key names: %s', (key) => {
    expect(withKeys.of(from('203.0.113.7', '198.51.100.1', key))).toBe('198.51.100.1');
    expect(withKeys.of(from('203.0.113.7', '198.51.100.1, 10.1.2.3', key))).toBe('198.51.100.1');
    expect(withKeys.of(from('203.0.113.7', undefined, key))).toBe('203.0.113.7');
  });

  it.each([undefined, '', 'other-key', 'new-ke', 'new-key,old-key'])('is the peer, whatever it forwards with another key: %j', (key) => {
    // With the right key first: the answer for these addresses is known then.
    expect(withKeys.of(from('203.0.113.7', '198.51.100.1', 'new-key'))).toBe('198.51.100.1');
    expect(withKeys.of(from('203.0.113.7', '198.51.100.1', key))).toBe('203.0.113.7');
    expect(direct.of(from('203.0.113.7', '198.51.100.1', key))).toBe('203.0.113.7');
  });

  it('is trusted before the edge only where a proxy is trusted, too', () => {
    expect(withKeys.of(from('203.0.113.7', '192.0.2.9, 198.51.100.1', 'new-key'))).toBe('198.51.100.1');
    expect(createClientAddresses({ trusted: [], edgeKeys: ['new-key'] }).of(from('10.1.2.3', '192.0.2.9, 10.4.5.6', 'new-key'))).toBe(
      '10.4.5.6',
    );
  });

  it('of a connection is the peer; a trusted proxy has none', () => {
    expect(behind.ofPeer({ remoteAddress: '203.0.113.7' })).toBe('203.0.113.7');
    expect(behind.ofPeer({ remoteAddress: '10.9.9.9' })).toBeUndefined();
    expect(behind.ofPeer({ remoteAddress: '::ffff:10.9.9.9' })).toBeUndefined();
    expect(behind.ofPeer({ remoteAddress: 'fd00::5' })).toBeUndefined();
    expect(direct.ofPeer({ remoteAddress: undefined })).toBe('unknown');
  });
});

describe('a proxy that is not trusted', () => {
  const reportedOf = (...requests: readonly IncomingMessage[]): readonly string[] => {
    const reported: string[] = [];
    const addresses = createClientAddresses({ trusted: ['10.0.0.1'], onUntrustedProxy: (peer) => reported.push(peer) });
    for (const request of requests) addresses.of(request);
    return reported;
  };

  it('is reported once', () => {
    expect(reportedOf(from('10.0.0.2', '203.0.113.7'), from('10.0.0.2', '203.0.113.8'), from('10.0.0.3', '203.0.113.7'))).toEqual([
      '10.0.0.2',
    ]);
  });

  it.each(['10.0.0.2', '172.16.0.1', '192.168.1.1', '127.0.0.1', '::1', 'fd00::1', 'fe80::1', '::ffff:10.0.0.2', '100.64.0.1'])(
    'has a private address: %s',
    (peer) => {
      expect(reportedOf(from(peer, '203.0.113.7'))).toEqual([peer]);
    },
  );

  it('is not reported if it has a public address, forwards nothing, or is trusted', () => {
    expect(reportedOf(from('203.0.113.7', '1.2.3.4'), from('10.0.0.2'), from('10.0.0.1', '1.2.3.4'), from('2001:db8::1', 'x'))).toEqual([]);
  });
});

it('trusted proxies that are not addresses are reported as errors', () => {
  expect(proxyFaults(['10.0.0.0/8', '::1'])).toEqual([]);
  expect(proxyFaults(['10.0.0.0/99'])).toEqual([expect.stringContaining('WAYMARK_TRUSTED_PROXIES')]);
});
