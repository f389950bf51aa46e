import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Operator, operatorAt } from '../client/operator.ts';
import { differingMembersMax } from '../limits.ts';
import { historyPages, readDifference } from './reading.ts';

type Body = { readonly before?: number; readonly beyond?: number; readonly limit: number };

/** An object with this many entries at positions 1, 2, …, or with this many new members with ids 1, 2, …. */
const count = 30_000;
const pageOf = ({ before = count + 1, limit }: Body) => {
  const results = Array.from({ length: Math.min(limit, before - 1) }, (_, nth) => ({ revision: before - 2 - nth }));
  return { results, next: before - 1 > limit ? before - limit : null };
};
const membersOf = ({ beyond = 0, limit }: Body) => {
  const added = Array.from({ length: Math.min(limit, count - beyond) }, (_, nth) => beyond + 1 + nth);
  return { from: 0, to: 1, fields: {}, members: { added, removed: [] }, next: beyond + limit < count ? beyond + limit : null };
};

let server: Server;
let operator: Operator;
let bodies: Body[];
beforeAll(async () => {
  server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body as Body);
      response.end(JSON.stringify(request.url === '/operator/history' ? pageOf(body as Body) : membersOf(body as Body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  operator = operatorAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
beforeEach(() => {
  bodies = [];
});
afterAll(async () => {
  operator.close();
  await new Promise((resolve) => server.close(resolve));
});

const object = { account: 'acme', kind: 'list', id: 1 } as const;

const revisionsOf = async (entriesMax: number) => {
  const revisions: (number | null)[] = [];
  for await (const { results } of historyPages(operator, object, entriesMax)) revisions.push(...results.map(({ revision }) => revision));
  return revisions;
};

describe('the pages of a history', () => {
  it('have the number of entries that is asked for, or all', async () => {
    expect(await revisionsOf(1)).toEqual([count - 1]);
    expect(await revisionsOf(1_200)).toEqual(Array.from({ length: 1_200 }, (_, nth) => count - 1 - nth));
    expect(bodies.map(({ limit }) => limit)).toEqual([1, 500, 500, 200]);
    expect(await revisionsOf(Number.POSITIVE_INFINITY)).toHaveLength(count);
  });
});

describe('the difference of a list', () => {
  it('has the members of all pages up to a limit, and the place where they continue', async () => {
    const { members, next } = await readDifference(operator, object, 0, 1);
    expect(members).toEqual({ added: Array.from({ length: differingMembersMax }, (_, nth) => nth + 1), removed: [] });
    expect(next).toBe(differingMembersMax);
    expect(bodies).toHaveLength(differingMembersMax / 500);
  });
});
