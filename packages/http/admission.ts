import type { Attempt, NoteFailure } from './authentication-failures.ts';
import { type KnownKeys, openKnownKeys } from './counters/known-keys.ts';
import { type OpenAmounts, oneLess, oneMore, openAmounts } from './counters/open-amounts.ts';
import { HttpError, throttled } from './errors.ts';
import { addressRequestsMax, retryAfterSeconds } from './limits.ts';
import type { FailureLimit } from './rate-limit.ts';
import type { ClientAddresses } from './server/addresses.ts';

/** The limits on requests whose credentials the process does not know: by address, and by client id and address. */
export type Admission = {
  readonly addresses: ClientAddresses;
  /** The bearer headers and the secrets that a thread of the process has found valid. The limits do not apply to them. */
  readonly known: KnownKeys;
  /** Counts a request of an address as in progress until `leave`. Returns false, without counting it, if the address has reached its limit. */
  readonly enter: (address: string) => boolean;
  readonly leave: (address: string) => void;
  /** Limits failed guesses by address. */
  readonly addressFailures: FailureLimit;
  /** Limits failed guesses by client id and address. */
  readonly clientFailures: FailureLimit;
  /** Records the error of a request that was not authenticated or was throttled. */
  readonly noteError: (attempt: Attempt, error: unknown) => void;
};

/** What all threads of a process count and know together; by default, what the caller alone does. */
export type SharedAdmission = { readonly amounts?: OpenAmounts; readonly known?: KnownKeys };

export type AdmissionOptions = Pick<Admission, 'addresses' | 'addressFailures' | 'clientFailures'> &
  SharedAdmission & { readonly note: NoteFailure };

export const createAdmission = (options: AdmissionOptions): Admission => {
  const { note, addresses, addressFailures, clientFailures, amounts = openAmounts(), known = openKnownKeys() } = options;
  return {
    addresses,
    known,
    enter: (address) => amounts.change(keyOf(address), oneMore(addressRequestsMax)),
    leave: (address) => void amounts.change(keyOf(address), oneLess),
    addressFailures,
    clientFailures,
    noteError: ({ request, ...attempt }, error) => {
      if (!(error instanceof HttpError)) return;
      const address = addresses.of(request);
      if (error.failure) note({ ...attempt, address, reason: error.failure.reason, client: error.failure.client });
      else if (error.status === 429) note({ ...attempt, address, reason: 'throttled' });
    },
  };
};

const keyOf = (address: string): string => `requests:${address}`;

/** Runs the work of a request that has no known credential.
 * @throws HttpError 429 if its address has too many such requests in progress; otherwise what the work throws */
export const withAdmission = async <Result>(admission: Admission, address: string, work: () => Promise<Result>): Promise<Result> => {
  if (!admission.enter(address)) throw tooManyInProgress();
  try {
    return await work();
  } finally {
    admission.leave(address);
  }
};

export const tooManyInProgress = (): HttpError => throttled(retryAfterSeconds);
