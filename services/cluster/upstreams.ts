import { byCommandRole, type CommandRole } from '@waymark/http/api/command-roles.ts';

/** The targets of the edge: the addresses (host:port) of the replicas of each service. */
export type Upstreams = {
  readonly auth: readonly string[];
  readonly queryGateway: readonly string[];
  readonly auditor: readonly string[];
  readonly commands: Readonly<Record<CommandRole, readonly string[]>>;
};

/** Returns the upstreams without some addresses. */
export const without = (upstreams: Upstreams, removed: ReadonlySet<string>): Upstreams => {
  const left = (addresses: readonly string[]): readonly string[] => addresses.filter((address) => !removed.has(address));
  const { auth, queryGateway, auditor, commands } = upstreams;
  return {
    auth: left(auth),
    queryGateway: left(queryGateway),
    auditor: left(auditor),
    commands: byCommandRole((role) => left(commands[role])),
  };
};

/** Returns the smallest number of replicas among the services that an address belongs to. */
export const replicasIn = ({ auth, queryGateway, auditor, commands }: Upstreams, address: string): number => {
  const its = [auth, queryGateway, auditor, ...Object.values(commands)].filter((addresses) => addresses.includes(address));
  return Math.min(...its.map(({ length }) => length));
};
