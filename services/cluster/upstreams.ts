/** The resources whose writes a command service handles. */
export const resources = ['pinpoint', 'list', 'category', 'happening'] as const;

/** The targets of the edge: the addresses (host:port) of the replicas of each service. */
export type Upstreams = {
  readonly auth: readonly string[];
  readonly queryGateway: readonly string[];
  readonly commands: { readonly [Resource in (typeof resources)[number]]: readonly string[] };
};

/** Returns the upstreams without some addresses. */
export const without = (upstreams: Upstreams, removed: ReadonlySet<string>): Upstreams => {
  const left = (addresses: readonly string[]): readonly string[] => addresses.filter((address) => !removed.has(address));
  const { auth, queryGateway, commands } = upstreams;
  return {
    auth: left(auth),
    queryGateway: left(queryGateway),
    commands: {
      pinpoint: left(commands.pinpoint),
      list: left(commands.list),
      category: left(commands.category),
      happening: left(commands.happening),
    },
  };
};

/** Returns the smallest number of replicas among the services that an address belongs to. */
export const replicasIn = ({ auth, queryGateway, commands }: Upstreams, address: string): number => {
  const its = [auth, queryGateway, ...Object.values(commands)].filter((addresses) => addresses.includes(address));
  return Math.min(...its.map(({ length }) => length));
};
