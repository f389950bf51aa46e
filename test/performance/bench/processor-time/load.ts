import { call } from '../client.ts';
import type { Build } from './subject.ts';

const atOnce = 16;
const pinpoints = 1_000;

export type World = { readonly build: Build; readonly ids: readonly number[] };
/** Sends `requests` requests, several at the same time. */
export type Load = (subject: World, requests: number) => Promise<void>;

export const fields = (number: number): string =>
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

export const operations = ['GET one', 'page of 20', 'create', 'update'] as const;
export type Operation = (typeof operations)[number];

export const loads: Readonly<Record<Operation, Load>> = {
  'GET one': (subject, requests) =>
    each(requests, (nth) => call(`${subject.build.base}/v3.0/pinpoints/${idOf(subject, nth)}`, { token: subject.build.token })),
  'page of 20': (subject, requests) => each(requests, () => call(`${subject.build.base}/v3.0/pinpoints`, { token: subject.build.token })),
  create: (subject, requests) =>
    each(requests, (nth) =>
      call(`${subject.build.base}/v3.0/pinpoints`, { method: 'POST', token: subject.build.token, body: fields(nth) }),
    ),
  update: (subject, requests) => {
    edition += 1;
    const shift = edition * 1_000_000;
    return each(requests, (nth) =>
      call(`${subject.build.base}/v3.0/pinpoints/${idOf(subject, nth)}`, {
        method: 'PUT',
        token: subject.build.token,
        body: fields(shift + nth),
      }),
    );
  },
};
