import type { KubernetesObject } from './helm.ts';

type Peer = {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly namespaceSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
};
type Rule = { readonly from?: readonly Peer[]; readonly to?: readonly Peer[]; readonly ports?: readonly { readonly port: number }[] };
export type Allowed = { readonly ingress: readonly Rule[]; readonly egress: readonly Rule[] };

/** Peers outside the installation, for values of the chart: `nameOf` finds their names again. */
export const outside = (name: string): readonly Peer[] => [{ namespaceSelector: { matchLabels: { outside: name } } }];

/** Returns the allow rules of each component. */
export const policiesOf = (objects: readonly KubernetesObject[]): Readonly<Record<string, Allowed>> =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata: { name }, spec }) => [name.slice('maps-waymark-'.length), spec as Allowed]),
  );

const nameOf = ({ podSelector, namespaceSelector }: Peer): string =>
  namespaceSelector?.matchLabels?.['outside'] ?? podSelector?.matchLabels['app.kubernetes.io/component'] ?? 'DNS';

/** Returns the connections that the rules of the one end allow, as `from → to:port`. */
const allowedBy = (end: 'ingress' | 'egress', policies: Readonly<Record<string, Allowed>>): readonly string[] =>
  Object.entries(policies).flatMap(([own, allowed]) =>
    allowed[end].flatMap(({ from = [], to = [], ports = [] }) =>
      [...from, ...to].map(nameOf).flatMap((other) => {
        const way = end === 'egress' ? `${own} → ${other}` : `${other} → ${own}`;
        return [...new Set(ports.map(({ port }) => `${way}:${port}`))];
      }),
    ),
  );

export type Connections = {
  /** All that the rules allow. */
  readonly all: readonly string[];
  /** Those between two components that the rules of one end allow, and not those of the other end. */
  readonly oneSided: readonly string[];
};

export const connectionsOf = (policies: Readonly<Record<string, Allowed>>): Connections => {
  const [incoming, outgoing] = [allowedBy('ingress', policies), allowedBy('egress', policies)];
  const isInside = (connection: string): boolean => {
    const [from = '', to = ''] = connection.split(/ → |:/);
    return from in policies && to in policies;
  };
  const all = [...new Set([...incoming, ...outgoing])].sort();
  return { all, oneSided: all.filter((one) => isInside(one) && !(incoming.includes(one) && outgoing.includes(one))) };
};

/** Returns the connections as a table: one row for each end that opens them. */
export const connectionsTable = ({ all }: Connections): string => {
  const rows = Map.groupBy(all, (connection) => connection.split(' → ')[0] ?? '');
  const lines = [...rows].map(([from, to]) => `| ${from} | ${to.map((one) => one.split(' → ')[1]).join(', ')} |`);
  return ['| From | To |', '|---|---|', ...lines].join('\n');
};
