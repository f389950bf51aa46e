import { setTimeout as pause } from 'node:timers/promises';
import type { Applications } from '@waymark/access/applications.ts';
import { type Admission, tooManyInProgress } from '@waymark/http/admission.ts';
import type { OpenCall } from '@waymark/http/app.ts';
import { isFailedGuess } from '@waymark/http/authentication-failures.ts';
import { keepForClient } from '@waymark/http/server/peers.ts';
import { type ClientRequest, readClientRequest } from './client-request.ts';
import { authenticated, type Client, isKnown } from './clients.ts';
import { clientIdCharactersCounted, formAtOnceMs } from './limits.ts';

type Options = { readonly applications: Applications; readonly admission: Admission };
type Admitted = { readonly client: Client; readonly form: ClientRequest['form'] };

/** The key of a client at an address. */
export const clientKey = (clientId: string, address: string): string => `${clientId.slice(0, clientIdCharactersCounted)} ${address}`;

/** Authenticates the client of a request. Credentials that match what the process remembers are admitted above every limit; all others are
 * limited by address, and by client id and address.
 * @throws HttpError 400, 401, 413, 429; LogUnavailable */
export const clientOf = async (options: Options, call: OpenCall, address: string): Promise<Admitted> => {
  const { admission } = options;
  const isCounted = admission.enter(address);
  try {
    // Credentials in the form are not known before it is read: above the limit it has to come at once.
    const clientRequest = await limitedForm(options, address, isCounted ? readClientRequest(call) : atOnce(readClientRequest(call)));
    const isKnownClient = isKnown(options.applications, clientRequest);
    if (!isKnownClient && !isCounted) throw tooManyInProgress();
    const client = isKnownClient
      ? await authenticated(options.applications, clientRequest)
      : await limitedGuess(options, address, clientRequest);
    keepForClient(call.request.socket);
    return { client, form: clientRequest.form };
  } finally {
    if (isCounted) admission.leave(address);
  }
};

/** A form without usable credentials counts as a guess, too. */
const limitedForm = async ({ admission }: Options, address: string, form: Promise<ClientRequest>): Promise<ClientRequest> => {
  try {
    return await form;
  } catch (error) {
    if (!isFailedGuess(error)) throw error;
    return admission.addressFailures.attempt(address, () => form);
  }
};

const limitedGuess = ({ admission, applications }: Options, address: string, clientRequest: ClientRequest): Promise<Client> =>
  admission.addressFailures.attempt(address, () =>
    admission.clientFailures.attempt(clientKey(clientRequest.clientId, address), () => authenticated(applications, clientRequest)),
  );

/** @throws HttpError 429 where the form has not come in time; what comes of it later is handled by the race */
const atOnce = async (form: Promise<ClientRequest>): Promise<ClientRequest> => {
  const stop = new AbortController();
  const late = pause(formAtOnceMs, undefined, { signal: stop.signal }).then(() => Promise.reject(tooManyInProgress()));
  try {
    return await Promise.race([form, late]);
  } finally {
    stop.abort();
  }
};
