import { bodyOf, type Session, type Thing } from '../../api/session.ts';
import { pinpointBody, seenIn } from './things.ts';

/** A write of a value: unfinished until it was acknowledged. */
type Attempt = { readonly version: number; readonly begun: number; finished: number | undefined };

/** One pinpoint that many write at the same time. */
export type Register = {
  readonly id: number;
  /** Writes a value that nobody has written yet. */
  readonly write: (session: Session) => Promise<void>;
  /** Reads it where nothing is written any more; from then on what was read counts.
   * @throws where it is no value that the last acknowledged write, or one of its time, may have left */
  readonly settle: (session: Session) => Promise<void>;
};

export const createRegister = async (session: Session, key: string): Promise<Register> => {
  let clock = 1;
  let attempts: Attempt[] = [{ version: clock, begun: 0, finished: clock }];
  const { id } = await session.create('/pinpoints', pinpointBody(key, clock));
  const tick = (): number => {
    clock += 1;
    return clock;
  };
  return {
    id,
    write: async (session) => {
      const attempt: Attempt = { version: tick(), begun: clock, finished: undefined };
      attempts.push(attempt);
      bodyOf<Thing>(await session.put(`/pinpoints/${id}`, pinpointBody(key, attempt.version)), 200);
      attempt.finished = tick();
    },
    settle: async (session) => {
      const { version } = seenIn('pinpoints', await session.read(`/pinpoints/${id}`));
      const allowed = attempts.filter((attempt) => !isOverwritten(attempt, attempts)).map((attempt) => attempt.version);
      if (!allowed.includes(version)) throw new Error(`${key} is at version ${version}, and must be at one of ${allowed.join(', ')}.`);
      attempts = [{ version, begun: clock, finished: clock }];
    },
  };
};

/** Whether it was acknowledged before another write began that was acknowledged, too. */
const isOverwritten = ({ finished }: Attempt, attempts: readonly Attempt[]): boolean =>
  finished !== undefined && attempts.some((later) => later.finished !== undefined && later.begun > finished);
