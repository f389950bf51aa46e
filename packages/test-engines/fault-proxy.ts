import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A proxy to an engine. Tests can cut it without touching the engine itself, which other tests use at the same time. */
export type FaultProxy = {
  /** The port on 127.0.0.1 that the proxy listens on for as long as it lives. */
  readonly port: number;
  /** Returns the number of connections that were accepted so far. */
  readonly connections: () => number;
  /** Closes every connection and accepts no more, as if the engine was killed. */
  readonly cut: () => Promise<void>;
  /** Accepts connections and forwards nothing in either direction, as if the engine hangs. */
  readonly freeze: () => void;
  /** Forwards what is sent but no response, and closes each connection after data was forwarded, as if responses were lost. */
  readonly loseAnswers: () => void;
  /** Ends the fault, and forwards what was held back. Returns once each connection that lost a response is closed at both ends. */
  readonly heal: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type Mode = 'well' | 'frozen' | 'answers-lost';
type Pair = { readonly client: Socket; readonly engine: Socket };

/** The time that forwarded data, or the end of a connection, has to arrive. */
const arrivalMs = 50;

export const createFaultProxy = async (engine: { readonly host: string; readonly port: number }): Promise<FaultProxy> => {
  const pairs = new Set<Pair>();
  const lossy = new Set<Pair>();
  let mode: Mode = 'well';
  let taken = 0;

  const join = (client: Socket): void => {
    taken += 1;
    const pair = { client, engine: connect(engine) };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      lossy.delete(pair);
      client.destroy();
      pair.engine.destroy();
    };
    for (const socket of [client, pair.engine]) socket.on('error', end).on('close', end);
    client.on('data', (data) => {
      pair.engine.write(data);
      if (mode !== 'answers-lost') return;
      lossy.add(pair);
      setTimeout(end, arrivalMs);
    });
    pair.engine.on('data', (data) => void (mode === 'answers-lost' || client.write(data)));
    if (mode === 'frozen') hold(pair);
  };

  const server = createServer(join);
  const port = await listening(server, 0);
  const cutAll = () => {
    for (const { client } of pairs) client.destroy();
  };
  return {
    port,
    connections: () => taken,
    cut: async () => {
      cutAll();
      await closed(server);
    },
    freeze: () => {
      mode = 'frozen';
      for (const pair of pairs) hold(pair);
    },
    loseAnswers: () => {
      mode = 'answers-lost';
    },
    heal: async () => {
      mode = 'well';
      for (const { client, engine: other } of pairs) for (const socket of [client, other]) socket.resume();
      if (!server.listening) await listening(server, port);
      if (lossy.size > 0) await wait(2 * arrivalMs);
    },
    close: async () => {
      cutAll();
      await closed(server);
    },
  };
};

const hold = ({ client, engine }: Pair): void => {
  client.pause();
  engine.pause();
};

const listening = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const closed = async (server: Server): Promise<void> => {
  if (server.listening) await new Promise((resolve) => server.close(resolve));
};
