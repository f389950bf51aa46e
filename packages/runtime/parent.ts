/** What a process of a cluster tells the process that started it. Sent: never rename a field or a word. */
export type ToParent = {
  /** `stopping`: send no new requests here. `ready`: requests are answered again. */
  readonly waymark: 'stopping' | 'ready';
};

/** What the process that started a process of a cluster tells it. Sent: never rename a field or a word. */
export type FromParent = {
  /** `supervised`, first of all: it reads and answers what it is told. `removed`: whatever can be sent elsewhere is.
   * `unreachable`: nothing sends requests any more. */
  readonly waymark: 'supervised' | 'removed' | 'unreachable';
};

/** The process that started this one, as far as it supervises it. */
export type Parent = {
  /** Asks to be sent no new requests. Resolves once that is so: false where nothing can send any, so that there is nothing to wait for. */
  readonly stopping: () => Promise<boolean>;
  readonly ready: () => void;
};

/** A parent that does not answer holds up the shutdown no longer than this. */
const parentWithinMs = 30_000;

/** Listens to the process that started this one; one that never says that it supervises is asked nothing. */
export const openParent = (): Parent => {
  let isSupervised = false;
  let answered: (isReachable: boolean) => void = () => undefined;
  process.on('message', ({ waymark }: FromParent) => {
    if (waymark === 'supervised') isSupervised = true;
    else answered(waymark === 'removed');
  });
  const tell = (message: ToParent): boolean => {
    if (!isSupervised || !process.connected || process.send === undefined) return false;
    // The channel may end at any moment: that is told by its own event.
    process.send(message, undefined, undefined, () => undefined);
    return true;
  };
  const stopping = (): Promise<boolean> =>
    new Promise((resolve) => {
      answered = resolve;
      if (!tell({ waymark: 'stopping' })) return resolve(true);
      process.once('disconnect', () => resolve(false));
      setTimeout(resolve, parentWithinMs, true).unref();
    });
  return { stopping, ready: () => void tell({ waymark: 'ready' }) };
};
