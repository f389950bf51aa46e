const { PATH, NODE_COMPILE_CACHE, WAYMARK_HTTP_THREADS } = process.env;

/** The part of the test environment that a process started by a test gets: the path of programs, the directory of Node's compile cache, and the
 * number of HTTP threads that this run of the tests wants. */
export const inherited = { PATH, NODE_COMPILE_CACHE, WAYMARK_HTTP_THREADS };
