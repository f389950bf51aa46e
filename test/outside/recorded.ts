import type { Answer, Call, Client } from '../api/client.ts';

/** A command's exit code, and what it printed on stdout. */
export type Printed = { readonly words: readonly string[]; readonly code: number | null; readonly stdout: string };
/** A request to the API, and its response. */
export type Answered = { readonly call: Call; readonly answer: Answer };

/** An installation, as those see it who use and operate it. */
export type Installation = {
  readonly client: Client;
  /** Runs `waymark …`. */
  readonly waymark: (words: readonly string[]) => Promise<Omit<Printed, 'words'>>;
};

/** Runs a command with `--json`, and gives the value that it printed. */
export type Run = <Value>(...words: string[]) => Promise<Value>;
export type Send = (call: Call) => Promise<Answer>;

/** What is done with an installation, and all that it printed and answered so far. */
export type Life = {
  readonly run: Run;
  readonly send: Send;
  readonly printed: readonly Printed[];
  readonly answered: readonly Answered[];
};

export const newLife = ({ client, waymark }: Installation): Life => {
  const printed: Printed[] = [];
  const answered: Answered[] = [];
  return {
    printed,
    answered,
    run: async (...words) => {
      const done = await waymark([...words, '--json']);
      printed.push({ ...done, words });
      return done.stdout === '' ? undefined : JSON.parse(done.stdout);
    },
    send: async (call) => {
      const answer = await client.send(call);
      answered.push({ call, answer });
      return answer;
    },
  };
};
