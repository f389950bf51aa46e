import { bodyOf, type Page, type Session } from '../api/session.ts';
import { type Random, randomFrom } from '../crash/random.ts';
import { useServer } from '../model/server.ts';
import { expectReady, expectSound } from './health.ts';
import { answerWithinMs, faultOf } from './judge.ts';
import { answersIn, exchange, type RawAnswer } from './raw-connection.ts';
import { rawBytes } from './raw-requests.ts';
import { batchMs, requests, seed, seeded } from './settings.ts';
import { atOnce } from './volley.ts';

const server = useServer();

/** The counts that determine how many lists there must be. */
type Tally = { connections: number; made: number; unanswered: number; readonly statuses: Set<number> };

const port = (): number => Number(new URL(server().urls().api).port);

/** Returns whether a response is final. 100 Continue is not. */
const isFinal = ({ status }: RawAnswer): boolean => status >= 200;

const judge = (answer: RawAnswer, tookMs: number): string | undefined => {
  const type = /\r\ncontent-type: ([^\r\n]+)/i.exec(answer.head)?.[1];
  const body: unknown = answer.body === '' ? undefined : JSON.parse(Buffer.from(answer.body, 'latin1').toString());
  const call = { method: 'GET', path: '/' };
  const headers = type === undefined ? {} : { 'content-type': type };
  return faultOf(call, { status: answer.status, headers, bytes: Buffer.from(answer.body), text: answer.body, body }, tookMs);
};

const once = async (token: string, random: Random, leaves: boolean, tally: Tally): Promise<void> => {
  const { bytes, writesMax } = rawBytes(token, random);
  const { text, tookMs } = await exchange(port(), bytes, random, leaves);
  tally.connections += 1;
  if (leaves) {
    tally.unanswered += writesMax;
    return;
  }
  try {
    const answers = answersIn(text).filter(isFinal);
    const faults = answers.flatMap((answer) => judge(answer, tookMs) ?? []);
    expect([faults, tookMs < answerWithinMs]).toEqual([[], true]);
    const made = answers.filter(({ status }) => status === 201).length;
    tally.made += made;
    tally.unanswered += Math.max(0, writesMax - answers.length);
    for (const { status } of answers) tally.statuses.add(status);
  } catch (error) {
    throw new Error(`${JSON.stringify(bytes.toString('latin1').slice(0, 3_000))} after ${tookMs} ms: ${(error as Error).message}`, {
      cause: error,
    });
  }
};

const barrage = async (me: Session, leaves: boolean): Promise<Tally> => {
  const tally: Tally = { connections: 0, made: 0, unanswered: 0, statuses: new Set() };
  let begun = 0;
  const work = async (_: unknown, sender: number): Promise<void> => {
    const random = randomFrom(seed + sender + (leaves ? 1_000 : 0));
    while (begun < requests) {
      begun += 1;
      await once(me.token, random, leaves, tally);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return tally;
};

const listsOf = async (me: Session): Promise<number> => {
  let count = 0;
  for (let url: string | null = '/lists?limit=500'; url !== null; ) {
    const page: Page = bodyOf<Page>(await me.get(url), 200);
    for (const list of page.results)
      expect(list).toEqual({ id: expect.any(Number), name: expect.any(String), description: expect.any(String) });
    count += page.results.length;
    url = page.next;
  }
  return count;
};

describe('bytes that are invalid or almost valid HTTP', () => {
  it.each([
    ['wait for the responses', false],
    ['close before the responses arrive', true],
  ])(
    `do no harm over ${requests} connections that %s`,
    (_, leaves) =>
      seeded(async () => {
        const me = await server().session(await server().application(`raw ${leaves}`));
        const { connections, made, unanswered, statuses } = await barrage(me, leaves);
        expect(connections).toBe(requests);
        await expectReady(server());
        const lists = await listsOf(me);
        expect(lists).toBeGreaterThanOrEqual(made);
        expect(lists).toBeLessThanOrEqual(made + unanswered);
        if (leaves) return;
        expect(made).toBeGreaterThan(0);
        expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 431]));
      })(),
    batchMs,
  );

  it(
    'leave the log and the read models consistent',
    seeded(() => expectSound(server())),
    batchMs,
  );
});
