import { inFlight, openClient } from '../api/client.ts';
import { bodyOf, type ClientCredentials } from '../api/session.ts';
import type { Cluster } from '../cluster/setup/cluster.ts';
import { verificationFindings } from '../cluster/setup/rest.ts';
import { expectSound } from '../crash/installation.ts';
import type { Server } from '../crash/server.ts';
import type { Send } from '../outside/recorded.ts';
import { newReader, type Read } from './reads.ts';

/** Earlier responses, and the application that they were sent to. */
export type Earlier = { readonly reader: ClientCredentials; readonly reads: readonly Read[] };

/** Sends the requests of earlier responses again, as the application with a new token. */
export const readAgain = async (send: Send, { reader, reads }: Earlier): Promise<readonly Read[]> => {
  const read = await newReader(send, reader);
  return inFlight(1, reads, ({ path }) => read(path));
};

/** A server is sound and returns the same responses, byte for byte, also after a rebuild. */
export const expectUnchanged = async (server: Server, earlier: Earlier): Promise<void> => {
  const expectNow = async (): Promise<void> => {
    await expectSound(server);
    expect(await readAgain(server.client.send, earlier)).toEqual(earlier.reads);
  };
  await expectNow();
  bodyOf(await server.operator('POST', '/rebuild'), 200);
  await expectNow();
};

/** The same for a cluster. */
export const expectClusterUnchanged = async (cluster: Cluster, earlier: Earlier): Promise<void> => {
  const client = openClient(cluster.url);
  const expectNow = async (): Promise<void> => {
    expect(await verificationFindings(cluster)).toEqual([]);
    expect(await readAgain(client.send, earlier)).toEqual(earlier.reads);
  };
  try {
    await expectNow();
    bodyOf(await cluster.operator('POST', '/rebuild'), 200);
    await expectNow();
  } finally {
    client.close();
  }
};
