import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inFlight, openClient } from '../../../api/client.ts';
import { aPinpoint } from '../../../api/samples.ts';
import { basic, type Session } from '../../../api/session.ts';
import { costlyBodies, longDescription } from '../../attacks/bodies.ts';
import { rawConnection } from '../../attacks/connections.ts';
import { largePicture } from '../../attacks/pictures.ts';
import { formType, getRequest, postHead } from '../../attacks/requests.ts';

/** The target of an attack. */
export type Target = {
  readonly url: string;
  /** A token of the attacker's own account. */
  readonly token: string;
  /** The path of the content that was prepared for the attack. */
  readonly path: string;
};

export type Attack = {
  /** The limits by address and application. They are off where they would only weaken the attack. */
  readonly rateLimits: 'on' | 'off';
  /** Creates the content to attack.
   * @returns its path */
  readonly prepare?: (attacker: Session) => Promise<string>;
  /** Attacks until the process ends. Calls `inProgress` once the attack is as strong as it gets. */
  readonly run: (target: Target, inProgress: () => void) => Promise<void>;
};

/** The address of all attacks. The measured client has a different one. */
const from = '127.0.0.3';
const mebibyte = 1024 * 1024;
const seconds = 1_000;

/** Runs `atOnce` senders, each of which sends repeatedly. The attack is in progress after the first response. */
const sendAgain = async (atOnce: number, inProgress: () => void, send: () => Promise<unknown>): Promise<void> => {
  const sender = async (): Promise<never> => {
    for (;;) {
      // A request that is refused or cut off is sent again after a pause. Without the pause, the attacker would do nothing but fail.
      await send().catch(() => pause(10));
      inProgress();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
};

/** Returns an attack that posts bodies to an endpoint, one after another over each of `atOnce` connections. */
const posting =
  (names: readonly (keyof typeof costlyBodies)[], atOnce: number): Attack['run'] =>
  async ({ url, token }, inProgress) => {
    const { send } = openClient(url);
    const bodies = names.map((name) => Buffer.from(costlyBodies[name]()));
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    let sent = 0;
    await sendAgain(atOnce, inProgress, () => {
      sent += 1;
      return send({ method: 'POST', path: '/v3.0/pinpoints', headers, body: bodies[sent % bodies.length], from });
    });
  };

type Holding = {
  readonly connections: number;
  readonly reads: boolean;
  /** Returns the bytes that the nth connection sends once it is open. */
  readonly first: (nth: number) => string;
  /** The bytes that a connection sends repeatedly later, and the interval. */
  readonly later?: { readonly bytes: string; readonly everyMs: number };
};

/** The number of connections that are opened together, and the time until closed connections are replaced. */
const openedTogether = 100;
const pollEveryMs = 50;

/** Keeps connections open, and opens another one for each that is closed. The attack is in progress once `connections` were opened, or as
 * many as possible. */
const holding = async ({ url }: Target, { connections, reads, first, later }: Holding, inProgress: () => void): Promise<void> => {
  const open = new Set<Socket>();
  let opened = 0;
  const openOne = async (): Promise<void> => {
    const nth = opened;
    opened += 1;
    const socket = await rawConnection(url, { reads, from });
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.write(first(nth));
    if (later === undefined) return;
    const timer = setInterval(() => socket.write(later.bytes), later.everyMs);
    socket.once('close', () => clearInterval(timer));
  };
  for (;;) {
    const missing = Math.min(openedTogether, connections - open.size);
    await Promise.allSettled(Array.from({ length: missing }, openOne));
    if (opened >= connections) inProgress();
    await pause(pollEveryMs);
  }
};

const holdingAs =
  (of: (target: Target) => Holding): Attack['run'] =>
  (target, inProgress) =>
    holding(target, of(target), inProgress);

const longTexts = 120;

/** Attacks with which one client tries to keep the server from answering all others. */
export const attacks = {
  'combining marks': { rateLimits: 'off', run: posting(['8 MB of combining marks', '99,999 combining marks'], 24) },
  'announced lengths': {
    rateLimits: 'off',
    run: holdingAs(({ token }) => ({
      connections: 64,
      reads: true,
      first: (nth) =>
        nth % 2 === 0
          ? postHead('/v3.0/pinpoints', { token, length: 8 * mebibyte }) + '{'.padEnd(180, ' ')
          : postHead('/v3.0/oauth2/token', { type: formType, length: 16 * 1024 }) + 'grant_type='.padEnd(180, 'x'),
    })),
  },
  'unread files': {
    rateLimits: 'off',
    prepare: async (attacker) => {
      const { media_url } = await attacker.create('/pinpoints', aPinpoint({ media_file: await largePicture() }));
      return new URL(String(media_url)).pathname;
    },
    run: holdingAs(({ path }) => ({ connections: 4, reads: false, first: () => getRequest(path).repeat(900) })),
  },
  'costly bodies': {
    rateLimits: 'off',
    run: posting(['empty objects', 'a million keys, nearly', 'numbers', 'brackets', 'a description of tags'], 24),
  },
  'unread pages': {
    rateLimits: 'off',
    prepare: async (attacker) => {
      const body = { ...aPinpoint(), description: longDescription };
      await inFlight(4, Array.from({ length: longTexts }), () => attacker.create('/pinpoints', body));
      return '/v3.0/pinpoints?limit=500';
    },
    run: holdingAs(({ path, token }) => ({ connections: 40, reads: false, first: () => getRequest(path, token).repeat(40) })),
  },
  'slow senders': {
    rateLimits: 'on',
    run: holdingAs(() => ({
      connections: 4_094,
      reads: true,
      first: (nth) =>
        nth % 2 === 0
          ? postHead('/v3.0/oauth2/token', { type: formType, length: 16 * 1024 })
          : 'GET /v3.0/lists HTTP/1.1\r\nHost: x\r\nA: ',
      later: { bytes: 'x', everyMs: 20 * seconds },
    })),
  },
  'idle connections': { rateLimits: 'on', run: holdingAs(() => ({ connections: 10_005, reads: true, first: () => '' })) },
  'guessed secrets': {
    rateLimits: 'on',
    run: async ({ url }, inProgress) => {
      const { send } = openClient(url);
      await sendAgain(32, inProgress, () => {
        const client_id = randomBytes(16).toString('hex');
        const headers = { 'Content-Type': formType, Authorization: basic({ client_id, client_secret: client_id }) };
        return send({ method: 'POST', path: '/v3.0/oauth2/token', headers, body: 'grant_type=client_credentials', from });
      });
    },
  },
  'guessed tokens': {
    rateLimits: 'on',
    run: async ({ url }, inProgress) => {
      const { send } = openClient(url);
      await sendAgain(32, inProgress, () => {
        const headers = { Authorization: `Bearer ${randomBytes(32).toString('base64url')}` };
        return send({ method: 'GET', path: '/v3.0/lists', headers, from });
      });
    },
  },
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof attacks;
