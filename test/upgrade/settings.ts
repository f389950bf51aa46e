/** The same in the cluster that wrote an archive and in those that open it: responses hold the public URL. */
export const clusterSettings = { WAYMARK_PUBLIC_URL: 'http://waymark.test', WAYMARK_READ_WAIT_MS: '60000' };
