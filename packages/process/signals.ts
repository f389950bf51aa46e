/** Whatever holds up a shutdown is cut off then. */
const exitWithinMs = 9_500;

/** Ends the process at SIGTERM or SIGINT, and when the process that has started it and minds it is gone: one of them begins the shutdown,
 * further ones change nothing about it.
 * @param exit what ends the process */
export const stopOnSignal = (close: () => Promise<void>, exit: (code: number) => void): void => {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => exit(1), exitWithinMs).unref();
    void close().then(
      () => exit(0),
      () => exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', stop);
};
