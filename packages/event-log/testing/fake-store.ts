import { once } from 'node:events';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';

type Message = { readonly serializeBinary: () => Uint8Array };

/** A call to an event store, which the test answers. */
export type FakeCall = {
  readonly onMessage: (listener: (bytes: Uint8Array) => void) => void;
  readonly write: (...messages: readonly Message[]) => void;
  /** Ends the call with a gRPC status; 0 means no error. */
  readonly end: (status?: number, message?: string) => void;
};
export type Answer = (call: FakeCall) => void;
export type Answers = { readonly features?: Answer; readonly batchAppend?: Answer; readonly read?: Answer };

/** An event store that the test controls. It does on purpose what a real one does rarely. It never answers calls for which the test gave no
 * answer. */
export type FakeStore = {
  readonly url: string;
  readonly answer: (answers: Answers) => void;
  readonly close: () => Promise<void>;
};

export const fakeStore = async (first: Answers = {}): Promise<FakeStore> => {
  let answers: Answers = { features: withBatchAppend, ...first };
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const name = String(headers[':path']).split('/').at(-1);
    const answer = { GetSupportedMethods: answers.features, BatchAppend: answers.batchAppend, Read: answers.read }[name ?? ''];
    answer?.(callOn(stream));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`,
    answer: (next) => {
      answers = { ...answers, ...next };
    },
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const withBatchAppend: Answer = (call) => {
  const method = new SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName('batchappend');
  call.write(new SupportedMethods().setMethodsList([method]).setEventStoreServerVersion('23.10.0'));
  call.end();
};

const headerBytes = 5;

const callOn = (stream: ServerHttp2Stream): FakeCall => {
  const begin = (): void => {
    if (!stream.headersSent) stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  };
  return {
    onMessage: (listener) => {
      let held = Buffer.alloc(0);
      stream.on('data', (chunk: Buffer) => {
        held = Buffer.concat([held, chunk]);
        while (held.length >= headerBytes && held.length >= headerBytes + held.readUInt32BE(1)) {
          const end = headerBytes + held.readUInt32BE(1);
          listener(held.subarray(headerBytes, end));
          held = held.subarray(end);
        }
      });
    },
    write: (...messages) => {
      if (stream.closed) return;
      begin();
      for (const message of messages) {
        const body = message.serializeBinary();
        const header = Buffer.alloc(headerBytes);
        header.writeUInt32BE(body.length, 1);
        stream.write(Buffer.concat([header, body]));
      }
    },
    end: (status = 0, message = '') => {
      if (stream.closed) return;
      begin();
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status, 'grpc-message': encodeURI(message) }));
      stream.end();
    },
  };
};
