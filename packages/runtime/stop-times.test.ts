import { answersMs, stopMs } from './stop-times.ts';

describe('How long a process may take to stop', () => {
  it('is 9 s, below the 10 s of docker stop', () => {
    expect(stopMs({ WAYMARK_STOP_SECONDS: 0 })).toBe(9_000);
  });

  it('includes the grace period in which a projector feeds', () => {
    expect(stopMs({ WAYMARK_STOP_SECONDS: 0, WAYMARK_GRACE_SECONDS: 600 })).toBe(609_000);
  });

  it('is set by WAYMARK_STOP_SECONDS, also for a projector', () => {
    expect(stopMs({ WAYMARK_STOP_SECONDS: 30, WAYMARK_GRACE_SECONDS: 600 })).toBe(30_000);
  });

  it('leaves time to close what the responses in flight have used', () => {
    expect(answersMs({ WAYMARK_STOP_SECONDS: 9 })).toBeLessThan(stopMs({ WAYMARK_STOP_SECONDS: 9 }));
  });
});
