import type { Applications } from '@waymark/access/applications.ts';
import { type Admission, tooManyInProgress } from '@waymark/http/admission.ts';
import type { OpenCall } from '@waymark/http/app.ts';
import { isFailedGuess } from '@waymark/http/authentication-failures.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import { keepForClient } from '@waymark/http/server/peers.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import { type ClientRequest, readClientRequest } from './client-request.ts';
import { authenticated, type Client, isKnown } from './clients.ts';
import { formAtOnceMs } from './limits.ts';

type Options = { readonly applications: Applications; readonly admission: Admission };
type Admitted = { readonly client: Client; readonly form: ClientRequest['form'] };

/** Returns the key that counts a client at an address. Redis keeps it, and a client may send a secret or a token in place of its id. */
export const clientKey = (clientId: string, address: string): string => `${secretHash(clientId)} ${address}`;

/** Authenticates the client of a request. Credentials that match the cached application, or that another thread has found valid, are
 * admitted above every limit. All others are limited by address, and by client id and address.
 * @throws HttpError 400, 401, 413, 429; LogUnavailable */
export const clientOf = async (options: Options, call: OpenCall, address: string): Promise<Admitted> => {
  const { admission } = options;
  const isCounted = admission.enter(address);
  try {
    // Credentials in the form are not known before it is read. Above the limit the form therefore has to arrive at once.
    const clientRequest = await limitedForm(options, address, isCounted ? readClientRequest(call) : atOnce(readClientRequest(call)));
    const isKnownClient = isKnown(options.applications, clientRequest) || admission.known.has(secretKey(clientRequest));
    if (!isKnownClient && !isCounted) throw tooManyInProgress();
    const client = await (isKnownClient ? remembered(options, clientRequest) : limitedGuess(options, address, clientRequest));
    keepForClient(call.request.socket);
    return { client, form: clientRequest.form };
  } finally {
    if (isCounted) admission.leave(address);
  }
};

/** Counts a form without usable credentials as a guess too. */
const limitedForm = async ({ admission }: Options, address: string, form: Promise<ClientRequest>): Promise<ClientRequest> => {
  try {
    return await form;
  } catch (error) {
    if (!isFailedGuess(error)) throw error;
    return admission.addressFailures.attempt(address, () => form);
  }
};

const limitedGuess = (options: Options, address: string, clientRequest: ClientRequest): Promise<Client> =>
  options.admission.addressFailures.attempt(address, () =>
    options.admission.clientFailures.attempt(clientKey(clientRequest.clientId, address), () => remembered(options, clientRequest)),
  );

/** Authenticates a client, and lets all threads know whether its secret is valid. */
const remembered = async ({ admission: { known }, applications }: Options, clientRequest: ClientRequest): Promise<Client> => {
  try {
    const client = await authenticated(applications, clientRequest);
    known.add(secretKey(clientRequest));
    return client;
  } catch (error) {
    if (isFailedGuess(error)) known.remove(secretKey(clientRequest));
    throw error;
  }
};

const secretKey = ({ clientId, clientSecret }: ClientRequest): string => `secret:${clientId}:${clientSecret}`;

/** Waits a short time for the form.
 * @throws HttpError 429 if the form has not arrived in time */
const atOnce = (form: Promise<ClientRequest>): Promise<ClientRequest> =>
  withDeadline(formAtOnceMs, form, () => {
    throw tooManyInProgress();
  });
