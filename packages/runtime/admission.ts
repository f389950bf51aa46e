import { type Admission, createAdmission, type SharedAdmission } from '@waymark/http/admission.ts';
import type { NoteFailure } from '@waymark/http/authentication-failures.ts';
import type { OpenAmounts } from '@waymark/http/counters/open-amounts.ts';
import type { FailureLimit, Quota } from '@waymark/http/rate-limit.ts';
import { type ClientAddresses, createClientAddresses } from '@waymark/http/server/addresses.ts';
import { createPeerLimit, type PeerLimit } from '@waymark/http/server/peers.ts';
import type { Logger } from 'pino';
import type { AddressSettings } from './common-settings.ts';
import { splitList } from './settings.ts';

const windowSeconds = 60;

/** Creates the functions that find the addresses that requests to the process come from. */
export const addressesOf = (settings: AddressSettings, logger: Logger): ClientAddresses =>
  createClientAddresses({
    trusted: splitList(settings.WAYMARK_TRUSTED_PROXIES),
    edgeKeys: splitList(settings.WAYMARK_EDGE_KEY),
    onUntrustedProxy: (peer) =>
      logger.warn(
        { peer },
        'A private address that is not trusted sends X-Forwarded-For: all its clients count as one. If it is a proxy, name it in WAYMARK_TRUSTED_PROXIES; if it is an edge, give it the key of WAYMARK_EDGE_KEY',
      ),
  });

/** Creates the limit on the connections of each peer.
 * @param amounts counts the connections of all threads of the process */
export const peersOf = (settings: AddressSettings, { ofPeer, isFromEdge }: ClientAddresses, amounts: OpenAmounts): PeerLimit =>
  createPeerLimit({ ofPeer, isFromEdge, connectionsMax: settings.WAYMARK_ADDRESS_CONNECTIONS, amounts });

export type AdmissionParts = SharedAdmission & {
  readonly settings: AddressSettings;
  readonly addresses: ClientAddresses;
  readonly note: NoteFailure;
  readonly failures: (quota: Quota) => FailureLimit;
};

/** Creates the limits on requests without a known credential. */
export const admissionOf = ({ settings, failures, ...parts }: AdmissionParts): Admission =>
  createAdmission({
    ...parts,
    addressFailures: failures({ name: 'address-failures', points: settings.WAYMARK_ADDRESS_FAILURES, seconds: windowSeconds }),
    clientFailures: failures({ name: 'failures', points: settings.WAYMARK_CLIENT_FAILURES, seconds: windowSeconds }),
  });
