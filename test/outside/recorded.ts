import type { Answer, Call, Client } from '../api/client.ts';
import { until } from '../crash/until.ts';

/** Long enough for what a server does after it has answered that it is done. */
const pollEveryMs = 200;

/** The exit code of a command, and its output on stdout. */
export type Printed = { readonly words: readonly string[]; readonly code: number | null; readonly stdout: string };
/** A request to the API, and its response. */
export type Answered = { readonly call: Call; readonly answer: Answer };

/** An installation as its clients and operators see it. */
export type Installation = {
  readonly client: Client;
  /** Runs `waymark …`. */
  readonly waymark: (words: readonly string[]) => Promise<Omit<Printed, 'words'>>;
};

/** Runs a command with `--json`, and returns the value that it printed. */
export type Run = <Value>(...words: string[]) => Promise<Value>;
export type Send = (call: Call) => Promise<Answer>;

/** Sends commands and requests to an installation, and keeps its output and responses. */
export type Recording = {
  readonly run: Run;
  readonly send: Send;
  /** Sends a request until its response is final, and keeps only that response. */
  readonly sendUntil: (call: Call, isFinal: (answer: Answer) => boolean) => Promise<Answer>;
  readonly printed: readonly Printed[];
  readonly answered: readonly Answered[];
};

export const newRecording = ({ client, waymark }: Installation): Recording => {
  const printed: Printed[] = [];
  const answered: Answered[] = [];
  const keep = (call: Call, answer: Answer): Answer => {
    answered.push({ call, answer });
    return answer;
  };
  return {
    printed,
    answered,
    run: async (...words) => {
      const done = await waymark([...words, '--json']);
      printed.push({ ...done, words });
      return done.stdout === '' ? undefined : JSON.parse(done.stdout);
    },
    send: async (call) => keep(call, await client.send(call)),
    sendUntil: async (call, isFinal) => {
      let answer = await client.send(call);
      await until(async () => {
        if (!isFinal(answer)) answer = await client.send(call);
        return isFinal(answer);
      }, pollEveryMs);
      return keep(call, answer);
    },
  };
};
