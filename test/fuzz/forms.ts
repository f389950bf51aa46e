import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../api/client.ts';
import { type Application, basic } from '../api/session.ts';
import type { Random } from '../crash/random.ts';
import { contentType, oddHeaders } from './headers.ts';
import { oddText } from './odd.ts';

/** The credentials and tokens of a client, and another client's application. */
export type Client = { readonly application: Application; readonly otherApplication: Application; readonly tokens: string[] };

type Pair = readonly [name: string, value: string];

const scopes: readonly string[] = ['read', 'write', 'read write', 'write  read', 'audit', '', 'READ', 'read,write', 'x'.repeat(500)];
const grants: readonly string[] = [
  'password',
  'refresh_token',
  'authorization_code',
  '',
  'client_credentials ',
  '__proto__',
  'CLIENT_CREDENTIALS',
];

/** Returns one of the client's own tokens in most cases. */
const aToken = ({ tokens }: Client, random: Random): string => (random.chance(0.8) ? (random.pick(tokens) ?? 'x') : oddText(random));

const rightForm = (endpoint: string, client: Client, random: Random): Pair[] => {
  if (endpoint !== 'token') return [['token', aToken(client, random)]];
  return random.chance(0.3)
    ? [
        ['grant_type', 'client_credentials'],
        ['scope', random.pick(scopes) ?? ''],
      ]
    : [['grant_type', 'client_credentials']];
};

/** Returns a form with a field too many, missing, repeated or replaced. */
const withWrongField = (form: Pair[], random: Random): Pair[] => {
  const at = random.below(form.length);
  const pair = form[at] ?? ['a', 'b'];
  const changes: readonly (() => Pair[])[] = [
    () => form.toSpliced(at, 1),
    () => [...form, pair],
    () => [...form, [oddText(random), oddText(random)]],
    () => form.with(at, [pair[0], oddText(random)]),
    () => form.with(at, [pair[0], random.pick(grants) ?? '']),
    () => form.with(at, [pair[0].toUpperCase(), pair[1]]),
    () => [...form, ['client_secret', 'x']],
    () => [...form, ['client_id', 'x']],
    () => [...form, ['token_type_hint', oddText(random)]],
    () => [...form, ...Array.from({ length: 300 }, (_, nth): Pair => [`field${nth}`, 'x'])],
    () => [...form, ['long', 'x'.repeat(20_000)]],
  ];
  return random.pick(changes)?.() ?? form;
};

const encoded = (form: readonly Pair[], random: Random): string | Buffer => {
  const text = form.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  if (random.chance(0.9)) return text;
  const at = random.below(text.length + 1);
  const odd = [
    text.slice(0, at),
    `${text}&%`,
    `${text}&=`,
    `&&${text}`,
    `${text}&%00=%ff`,
    text.replaceAll('=', '=='),
    JSON.stringify(Object.fromEntries(form)),
    '',
  ];
  return random.chance(0.2) ? Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x00, 0xc3])]) : (random.pick(odd) ?? text);
};

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Adds credentials to the header or to the body. In most cases they are correct. */
const withCredentials = (
  { application, otherApplication }: Client,
  form: Pair[],
  random: Random,
): { form: Pair[]; headers: OutgoingHttpHeaders } => {
  const { client_id, client_secret } = application;
  if (random.chance(0.6)) return { form, headers: { Authorization: basic(application) } };
  if (random.chance(0.5)) return { form: [...form, ['client_id', client_id], ['client_secret', client_secret]], headers: {} };
  const odd: readonly string[] = [
    'Basic',
    'Basic !!!',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    `Basic ${Buffer.from(':').toString('base64')}`,
    `Basic ${Buffer.from([0xff, 0x3a, 0x00]).toString('base64')}`,
    basic({ client_id, client_secret: otherApplication.client_secret }),
    basic({ client_id: oddText(random), client_secret }),
    basic({ client_id: 'x'.repeat(5_000), client_secret: 'y' }),
    `Bearer ${client_secret}`,
    'Digest username="x"',
  ];
  return { form, headers: random.chance(0.2) ? {} : { Authorization: random.pick(odd) } };
};

/** Builds a request to one of the token endpoints. */
export const formRequest = (endpoint: string, client: Client, random: Random): Call => {
  const right = rightForm(endpoint, client, random);
  const { form, headers } = withCredentials(client, right, random);
  const sent = random.chance(0.5) ? form : withWrongField(form, random);
  return {
    method: 'POST',
    path: `/v3.0/oauth2/${endpoint}${random.chance(0.05) ? '/' : ''}${random.chance(0.03) ? '?token=x&grant_type=y' : ''}`,
    headers: { ...headers, ...contentType('application/x-www-form-urlencoded', random), ...oddHeaders(random) },
    body: encoded(sent, random),
  };
};
