import { call } from '../client.ts';
import type { Build } from './subject.ts';

const atOnce = 16;
const pinpoints = 1_000;

export type World = { readonly build: Build; readonly ids: readonly number[] };
/** Sends `requests` requests, several at the same time. */
export type Load = (world: World, requests: number) => Promise<void>;

const fields = (number: number): string =>
  JSON.stringify({
    name: `Pinpoint ${number}`,
    latitude: 54 + (number % 100) / 100,
    longitude: 10 + (number % 90) / 100,
    address: `Quay ${number}`,
    description: `<p>Number ${number}, at the <b>harbour</b>.</p>`,
    tags: ['harbour', 'quay'],
  });

const each = async (requests: number, send: (nth: number) => Promise<unknown>): Promise<void> => {
  let sent = 0;
  const sender = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      await send(sent);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
};

const idOf = ({ ids }: World, nth: number): number => ids[(nth * 7_919) % ids.length] ?? 0;

export const prepared = async (build: Build): Promise<World> => {
  const { base, token } = build;
  const ids: number[] = [];
  await each(pinpoints, async (nth) => {
    const { id } = (await call(`${base}/v3.0/pinpoints`, { method: 'POST', token, body: fields(nth) })) as { readonly id: number };
    ids.push(id);
  });
  return { build, ids };
};

let edition = 0;

export const loads: Readonly<Record<'GET one' | 'page of 20' | 'create' | 'update', Load>> = {
  'GET one': (world, requests) =>
    each(requests, (nth) => call(`${world.build.base}/v3.0/pinpoints/${idOf(world, nth)}`, { token: world.build.token })),
  'page of 20': (world, requests) => each(requests, () => call(`${world.build.base}/v3.0/pinpoints`, { token: world.build.token })),
  create: (world, requests) =>
    each(requests, (nth) => call(`${world.build.base}/v3.0/pinpoints`, { method: 'POST', token: world.build.token, body: fields(nth) })),
  update: (world, requests) => {
    edition += 1;
    const shift = edition * 1_000_000;
    return each(requests, (nth) =>
      call(`${world.build.base}/v3.0/pinpoints/${idOf(world, nth)}`, {
        method: 'PUT',
        token: world.build.token,
        body: fields(shift + nth),
      }),
    );
  },
};
