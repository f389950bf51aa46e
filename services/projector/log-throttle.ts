import { tellEveryMs } from './limits.ts';

/** Lets something that may fail again and again be told once in a while. */
export const createLogThrottle = (tell: (error: unknown) => void): ((error: unknown) => void) => {
  let nextMs = 0;
  return (error) => {
    const now = performance.now();
    if (now < nextMs) return;
    nextMs = now + tellEveryMs;
    tell(error);
  };
};
