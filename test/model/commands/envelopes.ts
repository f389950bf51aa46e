import type { OutgoingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { detailed, type Expected } from './expectation.ts';

/** The form in which a body is sent. */
const envelopes = ['JSON', 'with a charset', 'without a type', 'as text', 'cut off', 'not UTF-8', 'empty', 'null'] as const;
export type Envelope = (typeof envelopes)[number];

export const anyEnvelope: fc.Arbitrary<Envelope> = fc.oneof(
  { weight: 60, arbitrary: fc.constant<Envelope>('JSON') },
  { weight: 2, arbitrary: fc.constantFrom<Envelope[]>(...envelopes) },
);

/** The request's headers and body, the JSON that the body contains, and the expected refusal where it contains none. */
export type Sent = {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
  readonly json: unknown;
  readonly problem: Expected | undefined;
};

const json = { 'Content-Type': 'application/json' };
const noJson: Expected = { status: 400, body: { detail: expect.stringMatching(/^JSON parse error - ./) } };

export const enveloped = (envelope: Envelope, text: string): Sent => {
  const plain = { headers: json, body: text, json: undefined, problem: undefined };
  switch (envelope) {
    case 'JSON':
      return { ...plain, json: JSON.parse(text) };
    case 'with a charset':
      return { ...plain, headers: { 'Content-Type': 'application/json; charset=UTF-8' }, json: JSON.parse(text) };
    case 'without a type':
      return { ...plain, headers: {}, problem: detailed(415) };
    case 'as text':
      return { ...plain, headers: { 'Content-Type': 'text/plain' }, problem: detailed(415) };
    case 'cut off':
      return { ...plain, body: text.slice(0, -1), problem: noJson };
    case 'not UTF-8':
      return { ...plain, body: Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]), problem: noJson };
    case 'empty':
      return { ...plain, body: '', json: {} };
    case 'null':
      return { ...plain, body: 'null', json: null };
  }
};
