import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

/** The address that a request comes from. */
export type AddressOf = (request: IncomingMessage) => string;

/** The peer's, or what trusted proxies say in `X-Forwarded-For`. `trusted`: addresses and subnets.
 * @throws TypeError where one is malformed */
export const addressBehind = (trusted: readonly string[]): AddressOf => {
  const trusts = proxyAddress.compile([...trusted]);
  return (request) => proxyAddress(request, trusts);
};
