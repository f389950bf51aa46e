import { pino } from 'pino';
import { superviseReplicas } from './replicas.ts';
import type { Upstreams } from './upstreams.ts';

const upstreams: Upstreams = {
  auth: ['a:1'],
  queryGateway: ['q:1', 'q:2'],
  auditor: ['h:1'],
  commands: { pinpoint: ['c:1', 'c:2'], list: ['c:1', 'c:2'], category: ['c:1', 'c:2'], happening: ['c:1'], audit: ['c:1', 'c:2'] },
};
const addresses = new Map([
  ['auth', 'a:1'],
  ['query-gateway', 'q:1'],
  ['query-gateway-2', 'q:2'],
  ['commands', 'c:1'],
  ['commands-2', 'c:2'],
]);

/** Records the configurations of the edge, and fails if two changes overlap. */
const supervised = () => {
  const routed: Upstreams[] = [];
  const closing = new AbortController();
  let during = 0;
  const route = async (to: Upstreams): Promise<void> => {
    during += 1;
    if (during > 1) throw new Error('two changes at once');
    await new Promise((resolve) => setImmediate(resolve));
    during -= 1;
    routed.push(to);
  };
  const logger = pino({ level: 'silent' });
  return { routed, closing, ...superviseReplicas({ upstreams, addresses, route, stopped: closing.signal, logger }) };
};

describe('The replicas behind the edge', () => {
  it('one that stops is removed before it is notified, and is added again when it is ready', async () => {
    const { routed, stopping, ready } = supervised();
    expect(await stopping('query-gateway')).toBe(true);
    expect(routed).toEqual([{ ...upstreams, queryGateway: ['q:2'] }]);
    ready('query-gateway');
    await stopping('relay');
    await stopping('auth');
    expect(routed.at(-1)).toEqual(upstreams);
  });

  it('the last one of a service stays, even if it is the last for one resource only', async () => {
    const { routed, stopping } = supervised();
    await stopping('auth');
    await stopping('commands');
    expect(routed).toEqual([]);
    await stopping('commands-2');
    expect(routed).toHaveLength(1);
  });

  it('if two stop at the same time, one stays', async () => {
    const { routed, stopping } = supervised();
    await Promise.all([stopping('query-gateway'), stopping('query-gateway-2')]);
    expect(routed).toEqual([{ ...upstreams, queryGateway: ['q:2'] }]);
  });

  it('a replica that becomes ready for the first time changes nothing', async () => {
    const { routed, ready, stopping } = supervised();
    ready('commands');
    await stopping('relay');
    await stopping('query-gateway-2');
    expect(routed).toHaveLength(1);
  });

  it('once all stop, nothing is changed, because no more requests arrive', async () => {
    const { routed, closing, stopping } = supervised();
    closing.abort();
    expect(await stopping('query-gateway')).toBe(false);
    expect(routed).toEqual([]);
  });
});
