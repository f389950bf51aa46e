import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byCommandRole, type CommandRole, commandRoles } from '@waymark/http/api/command-roles.ts';
import { dividedMemoryMb } from '@waymark/runtime/memory.ts';
import { stopMs } from '@waymark/runtime/stop-times.ts';
import type { ChildPlan } from './child.ts';
import { freePorts } from './ports.ts';
import { type Service, serviceEntries } from './service-entries.ts';
import type { ClusterSettings } from './settings.ts';
import { notaryDirectoryOf, type SharedSecrets } from './shared-secrets.ts';
import type { Upstreams } from './upstreams.ts';

/** All processes of a cluster on one machine, and their addresses. */
export type Layout = {
  readonly children: readonly ChildPlan[];
  readonly upstreams: Upstreams;
  /** The addresses of the processes that answer the API, by process name. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The base URL of the operator API. */
  readonly operatorUrl: string;
};

/** Time after the limit of a process before the process is killed. */
const killAfterMs = 2_000;

/** Returns how long a process may take to stop. */
export const stopWithinMs = (settings: ClusterSettings, service: Service): number => {
  const { WAYMARK_DRAIN_SECONDS: drain, WAYMARK_STOP_SECONDS, WAYMARK_GRACE_SECONDS } = settings;
  const own = stopMs(service === 'projector' ? { WAYMARK_STOP_SECONDS, WAYMARK_GRACE_SECONDS } : { WAYMARK_STOP_SECONDS });
  return drain * 1_000 + own + killAfterMs;
};

type Wanted = { readonly service: Service; readonly name: string; readonly environment: NodeJS.ProcessEnv; readonly answersApi: boolean };

/** Plans all processes of the cluster.
 * @param publicUrl the URL under which clients reach the API */
export const layout = async (settings: ClusterSettings, secrets: SharedSecrets, publicUrl: string): Promise<Layout> => {
  const wanted = wantedProcesses(settings);
  const apiPorts = await freePorts('127.0.0.1', wanted.length);
  const opsPorts = await operatorPorts(settings, wanted.length + 1);
  // The operator is started last, and gets the first of the operator ports.
  const [operatorPort = 0, ...otherOpsPorts] = opsPorts;
  const addresses = new Map(
    wanted.flatMap(({ name, answersApi }, nth) => (answersApi ? [[name, `127.0.0.1:${apiPorts[nth]}`] as const] : [])),
  );
  const common = {
    ...commonEnvironment(settings, secrets, publicUrl),
    WAYMARK_MEMORY_MB: `${dividedMemoryMb(settings, wanted.length + 1)}`,
  };
  const children = wanted.map(({ service, name, environment, answersApi }, nth) =>
    child(name, service, stopWithinMs(settings, service), {
      ...common,
      ...environment,
      ...(answersApi ? { WAYMARK_HOST: '127.0.0.1', WAYMARK_PORT: `${apiPorts[nth]}` } : {}),
      WAYMARK_OPS_HOST: '127.0.0.1',
      WAYMARK_OPS_PORT: `${otherOpsPorts[nth]}`,
    }),
  );
  const operator = child('operator', 'operator', stopWithinMs(settings, 'operator'), {
    ...common,
    ...ownEnvironment(placeNames),
    WAYMARK_OPS_TOKEN: secrets.operatorToken,
    WAYMARK_OPS_HOST: settings.WAYMARK_OPS_HOST,
    WAYMARK_OPS_PORT: `${operatorPort}`,
    WAYMARK_SERVICES: wanted.map(({ name }, nth) => `${name}=http://127.0.0.1:${otherOpsPorts[nth]}`).join(','),
  });
  return {
    children: [...children, operator],
    upstreams: upstreamsOf(wanted, addresses),
    addresses,
    operatorUrl: `http://${settings.WAYMARK_OPS_HOST}:${operatorPort}`,
  };
};

const operatorPorts = async (
  { WAYMARK_OPS_PORT: first, WAYMARK_OPS_HOST: host }: ClusterSettings,
  count: number,
): Promise<readonly number[]> => (first === 0 ? freePorts(host, count) : Array.from({ length: count }, (_, nth) => first + nth));

const wantedProcesses = (settings: ClusterSettings): readonly Wanted[] => {
  const commands =
    settings.WAYMARK_COMMANDS === 'one'
      ? [{ name: 'commands', environment: { WAYMARK_RESOURCES: commandRoles.join(',') } }]
      : commandRoles.map((role) => ({ name: `commands-${role}`, environment: { WAYMARK_RESOURCES: role } }));
  const services: readonly Wanted[] = [
    ...commands.map((one) => ({ service: 'commands' as const, answersApi: true, ...one })),
    { service: 'relay', name: 'relay', environment: {}, answersApi: false },
    { service: 'projector', name: 'projector', environment: {}, answersApi: false },
    { service: 'query-gateway', name: 'query-gateway', environment: {}, answersApi: true },
    { service: 'notary', name: 'notary', environment: notaryEnvironment(settings), answersApi: false },
    { service: 'auditor', name: 'auditor', environment: {}, answersApi: true },
    { service: 'auth', name: 'auth', environment: {}, answersApi: true },
  ];
  const replicas = replicasOf(settings.WAYMARK_REPLICAS);
  return services.flatMap((one) =>
    Array.from({ length: replicas.get(one.service) ?? 1 }, (_, nth) => ({ ...one, name: nth === 0 ? one.name : `${one.name}-${nth + 1}` })),
  );
};

/** Only the notary has its key. */
const notaryKeyNames: readonly string[] = ['WAYMARK_NOTARY_KEY', 'WAYMARK_NOTARY_KEY_FILE'];
/** The operator service has the place, too, because it compares the log with the published checkpoints. */
const placeNames: readonly string[] = ['WAYMARK_CHECKPOINTS_TO', 'WAYMARK_CHECKPOINTS_TO_FILE'];
const notaryNames: readonly string[] = [...notaryKeyNames, ...placeNames];

/** Returns the given variables of this process, as far as they are set. */
const ownEnvironment = (names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined));

const notaryEnvironment = ({ WAYMARK_DATA_DIR }: ClusterSettings): NodeJS.ProcessEnv => ({
  ...ownEnvironment(notaryNames),
  WAYMARK_NOTARY_DIR: notaryDirectoryOf(resolve(WAYMARK_DATA_DIR), process.env),
});

const replicasOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split(',')
      .filter((part) => part !== '')
      .map((part): [string, number] => {
        const [service = '', count] = part.split('=');
        return [service, Number(count)];
      }),
  );

const sharedFiles: ReadonlySet<string> = new Set(
  ['OPS_TOKEN', 'STATUS_TOKEN', 'EDGE_KEY', 'CURSOR_KEY', 'IDEMPOTENCY_KEY', 'SIGNING_KEY', 'REQUEST_ID_KEY'].map(
    (name) => `WAYMARK_${name}_FILE`,
  ),
);

const commonEnvironment = (settings: ClusterSettings, secrets: SharedSecrets, publicUrl: string): NodeJS.ProcessEnv => {
  // Each secret is passed once, as a value, even if it came from a file.
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !sharedFiles.has(name) && name !== 'WAYMARK_OPS_TOKEN' && !notaryNames.includes(name)),
  );
  return {
    ...environment,
    WAYMARK_STATUS_TOKEN: secrets.statusToken,
    WAYMARK_EDGE_KEY: secrets.edgeKey,
    WAYMARK_CURSOR_KEY: secrets.cursorKey,
    WAYMARK_IDEMPOTENCY_KEY: secrets.idempotencyKey,
    WAYMARK_SIGNING_KEY: secrets.signingKey,
    WAYMARK_REQUEST_ID_KEY: secrets.requestIdKey,
    WAYMARK_PUBLIC_URL: publicUrl,
    // The services know the edge by its key, and the edge knows the proxies before it.
    WAYMARK_TRUSTED_PROXIES: '',
    WAYMARK_DRAIN_SECONDS: `${settings.WAYMARK_DRAIN_SECONDS}`,
  };
};

const child = (name: string, service: Service, withinMs: number, environment: NodeJS.ProcessEnv): ChildPlan => ({
  name,
  command: [process.execPath, fileURLToPath(serviceEntries[service])],
  environment,
  stopSignal: 'SIGTERM',
  stopWithinMs: withinMs,
  isSupervised: true,
});

const upstreamsOf = (wanted: readonly Wanted[], addresses: ReadonlyMap<string, string>): Upstreams => {
  const of = (fits: (one: Wanted) => boolean): readonly string[] => wanted.filter(fits).map(({ name }) => addresses.get(name) ?? '');
  const commandsOf = (role: CommandRole) => of(({ environment }) => environment['WAYMARK_RESOURCES']?.split(',').includes(role) ?? false);
  return {
    auth: of(({ service }) => service === 'auth'),
    queryGateway: of(({ service }) => service === 'query-gateway'),
    auditor: of(({ service }) => service === 'auditor'),
    commands: byCommandRole(commandsOf),
  };
};
