/** A call to another thread, with the number that its answer names. */
export type Numbered<Call> = Call & { readonly call: number };

/** The answer to a call: its value, or the error that it threw. An error keeps its message on its way, but not its class. */
export type CallAnswer =
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly error: Error };

/** The calls to another thread that wait for their answers. */
export type Calls<Call> = {
  readonly ask: (call: Call) => Promise<unknown>;
  readonly settle: (answer: CallAnswer) => void;
  /** Rejects all calls that wait, and all later ones. */
  readonly abandon: (error: Error) => void;
};

export const createCalls = <Call extends object>(send: (call: Numbered<Call>) => void): Calls<Call> => {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  let abandoned: Error | undefined;
  return {
    ask: (call) =>
      new Promise((resolve, reject) => {
        if (abandoned) return reject(abandoned);
        last += 1;
        send({ ...call, call: last });
        waiting.set(last, { resolve, reject });
      }),
    settle: (answer) => {
      const caller = waiting.get(answer.call);
      waiting.delete(answer.call);
      if (answer.kind === 'answer') caller?.resolve(answer.value);
      else caller?.reject(answer.error);
    },
    abandon: (error) => {
      abandoned = error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
};

/** Runs a call, and posts its answer. */
export const answerCall = async (call: number, run: () => unknown, post: (answer: CallAnswer) => void): Promise<void> => {
  try {
    post({ kind: 'answer', call, value: await run() });
  } catch (error) {
    post({ kind: 'refusal', call, error: error as Error });
  }
};
