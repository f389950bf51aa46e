/** A message from a process of a cluster to the process that started it. Sent: never rename a field or a word. */
export type ToParent = {
  /** `stopping`: send no new requests here. `ready`: this process answers requests again. */
  readonly waymark: 'stopping' | 'ready';
};

/** A message to a process of a cluster from the process that started it. Sent: never rename a field or a word. */
export type FromParent = {
  /** `supervised` is the first message: the parent reads and answers messages. `removed`: every request that can be sent elsewhere is sent
   * elsewhere. `unreachable`: no process sends requests any more. */
  readonly waymark: 'supervised' | 'removed' | 'unreachable';
};

/** The process that started this one, if it supervises it. */
export type Parent = {
  /** Asks to be sent no new requests. Resolves when that is done: with false if no process can send any, so that there is nothing to wait
   * for. */
  readonly stopping: () => Promise<boolean>;
  readonly ready: () => void;
};

/** Maximum time that a parent that does not answer can delay the shutdown. */
const parentWithinMs = 30_000;

/** Listens to the process that started this one. A parent that never sends `supervised` is not asked anything. */
export const openParent = (): Parent => {
  let isSupervised = false;
  let answered: (isReachable: boolean) => void = () => undefined;
  process.on('message', ({ waymark }: FromParent) => {
    if (waymark === 'supervised') isSupervised = true;
    else answered(waymark === 'removed');
  });
  const sendToParent = (message: ToParent): boolean => {
    if (!isSupervised || !process.connected || process.send === undefined) return false;
    // The channel may end at any moment. Its own event reports that.
    process.send(message, undefined, undefined, () => undefined);
    return true;
  };
  const stopping = (): Promise<boolean> =>
    new Promise((resolve) => {
      answered = resolve;
      if (!sendToParent({ waymark: 'stopping' })) return resolve(true);
      process.once('disconnect', () => resolve(false));
      setTimeout(resolve, parentWithinMs, true).unref();
    });
  return { stopping, ready: () => void sendToParent({ waymark: 'ready' }) };
};
