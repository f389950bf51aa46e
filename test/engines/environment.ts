/** The part of the test environment that a process started by a test gets: the path of programs, and the directory of Node's compile cache. */
export const inherited = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
