import type { IncomingMessage } from 'node:http';
import { listed } from '@waymark/process/settings.ts';
import proxyAddress from 'proxy-addr';

/** The address that a request comes from. */
export type AddressOf = (request: IncomingMessage) => string;

/** The peer's, or what trusted proxies say in `X-Forwarded-For`. `trusted`: addresses and subnets.
 * @throws TypeError where one is malformed */
export const addressBehind = (trusted: readonly string[]): AddressOf => {
  const trusts = proxyAddress.compile([...trusted]);
  return (request) => proxyAddress(request, trusts);
};

/** What is wrong with the setting that names trusted proxies. */
export const proxyFaults = (proxies: string): readonly string[] => {
  try {
    addressBehind(listed(proxies));
    return [];
  } catch (error) {
    return [`WAYMARK_TRUSTED_PROXIES: ${(error as Error).message}`];
  }
};
