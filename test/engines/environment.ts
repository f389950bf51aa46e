/** What a process that a test starts gets of the test's own environment: where programs are, and where Node keeps what it compiled. */
export const inherited = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
