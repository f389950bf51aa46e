import type { Question } from './messages.ts';

/** The questions to the writer's thread that wait for their answers. */
export type Rpc = {
  readonly ask: (question: Unnumbered<Question>) => Promise<unknown>;
  readonly answer: (call: number, value: unknown) => void;
  readonly refuse: (call: number, error: Error) => void;
  /** Rejects all questions that wait, and all later ones. */
  readonly abandon: (error: Error) => void;
};

type Unnumbered<Some> = Some extends Question ? Omit<Some, 'call'> : never;

export const createRpc = (send: (question: Question) => void): Rpc => {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let call = 0;
  let abandoned: Error | undefined;
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        if (abandoned) return reject(abandoned);
        call += 1;
        send({ ...question, call });
        waiting.set(call, { resolve, reject });
      }),
    answer: (call, value) => {
      waiting.get(call)?.resolve(value);
      waiting.delete(call);
    },
    refuse: (call, error) => {
      waiting.get(call)?.reject(error);
      waiting.delete(call);
    },
    abandon: (error) => {
      abandoned = error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
};
