/** The interval of a message that may occur again and again. */
const logEveryMs = 10_000;

/** Rate-limits the log message of a failure that may occur again and again. */
export const createLogThrottle = (log: (error: unknown) => void): ((error: unknown) => void) => {
  let nextMs = 0;
  return (error) => {
    const now = performance.now();
    if (now < nextMs) return;
    nextMs = now + logEveryMs;
    log(error);
  };
};
