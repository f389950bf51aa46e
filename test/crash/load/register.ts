import { bodyOf, type Session, type Thing } from '../../api/session.ts';
import { identify, pinpointBody } from './objects.ts';

/** A write of a value. `finished` is undefined until the write is acknowledged. */
type Attempt = { readonly version: number; readonly begun: number; finished: number | undefined };

/** A pinpoint that many writers overwrite at the same time. */
export type ContendedPinpoint = {
  readonly id: number;
  /** Writes a value that no writer has written before. */
  readonly write: (session: Session) => Promise<void>;
  /** Reads the value once all writes have ended. The value that was read is the baseline for later checks.
   * @throws if neither the last acknowledged write nor a write concurrent with it can have left the value */
  readonly settle: (session: Session) => Promise<void>;
};

export const createRegister = async (session: Session, key: string): Promise<ContendedPinpoint> => {
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
      const { version } = identify('pinpoints', await session.read(`/pinpoints/${id}`));
      const allowed = attempts.filter((attempt) => !isOverwritten(attempt, attempts)).map((attempt) => attempt.version);
      if (!allowed.includes(version)) throw new Error(`${key} is at version ${version}; expected one of ${allowed.join(', ')}.`);
      attempts = [{ version, begun: clock, finished: clock }];
    },
  };
};

/** Returns whether the write was acknowledged before another acknowledged write began. */
const isOverwritten = ({ finished }: Attempt, attempts: readonly Attempt[]): boolean =>
  finished !== undefined && attempts.some((later) => later.finished !== undefined && later.begun > finished);
