import { orderReasons } from '@waymark/domain/orders/commands.ts';
import type { ObjectErased } from '@waymark/operations/api/answers.ts';
import type { BodyOf } from '@waymark/operations/api/calls.ts';
import { type Command, Option } from 'commander';
import { withInstallation } from '../installation.ts';
import { grouped, type OutputOptions, show } from '../terminal/output.ts';
import { type ByOption, idOfNumbered, opaqueId, withBy, withJson } from './options.ts';

/** Adds the commands that order something about one object. */
export const addOrders = (program: Command): void => {
  addForget(program);
  addHold(program);
  addRelease(program);
};

type Order = BodyOf<'POST /operator/forget'>;
/** The server refuses any other kind. */
type Kind = Order['kind'];
type OrderOptions = OutputOptions & ByOption & Omit<Order, 'kind' | 'id'>;

const addForget = (program: Command): void => {
  withOrder(program.command('forget'))
    .description(
      'permanently erase the history of an object; its current state, or its deletion, is kept. Run it again to finish an interrupted erasure',
    )
    .action(async (kind: Kind, id: string, { by, json, ...order }: OrderOptions) => {
      const body = { kind, id: idOf(kind, id), ...order };
      const done = await withInstallation((operator) => operator.as(by).request('POST /operator/forget', { body }));
      show({ json: done, text: erasureText(done) }, { json });
    });
};

const addHold = (program: Command): void => {
  withOrder(program.command('hold'))
    .description('put an object on hold: `waymark forget` is refused until the hold is released')
    .action(async (kind: Kind, id: string, { by, json, ...order }: OrderOptions) => {
      const body = { kind, id: idOf(kind, id), ...order };
      const done = await withInstallation((operator) => operator.as(by).request('POST /operator/hold', { body }));
      show({ json: done, text: `${done.stream} is on hold.` }, { json });
    });
};

const addRelease = (program: Command): void => {
  withOrder(program.command('release'))
    .description('end the hold on an object')
    .action(async (kind: Kind, id: string, { by, json, ...order }: OrderOptions) => {
      const body = { kind, id: idOf(kind, id), ...order };
      const done = await withInstallation((operator) => operator.as(by).request('POST /operator/release', { body }));
      show({ json: done, text: `${done.stream} is no longer on hold.` }, { json });
    });
};

const withOrder = (command: Command): Command =>
  withBy(withJson(command))
    .argument('<kind>', 'pinpoint, list, category, event, application or changeset')
    .argument('<id>', 'its id')
    .requiredOption('--account <name>', 'account that the object belongs to')
    .addOption(new Option('--reason <CODE>', 'reason for the order').choices(orderReasons))
    .option('--case <ID>', 'opaque id of the case: at most 64 characters without @ and blanks', opaqueId);

const idOf = (kind: Kind, text: string): Order['id'] => (kind === 'application' || kind === 'changeset' ? text : idOfNumbered(kind, text));

const erasureText = ({ stream, revision, events, log, files, copies }: ObjectErased): string =>
  [
    `Erased ${grouped(events)} events of ${stream}, all before revision ${revision}, and ${grouped(files)} files.`,
    ...(log === 'truncated' ? leftInCluster(copies) : leftInFiles(copies)),
    'Earlier backups and exports are not changed, nor is what a restore has replaced (replaced-… in the data directory).',
  ].join('\n');

const leftInCluster = (copies: boolean): readonly string[] => [
  'They can no longer be read. The next scavenge of the event store removes their bytes, once their chunk is complete.',
  ...(copies
    ? []
    : [
        'Kafka still has copies, because the relay is behind or Kafka is unavailable. Kafka removes them within hours; to remove them now, run this again.',
      ]),
];

const leftInFiles = (copies: boolean): readonly string[] => [
  copies
    ? 'The files of the log, of the read models and of the history no longer contain them.'
    : 'The file of the log no longer contains them. The read models or the history still may: they are behind, or a long read blocks them. Run this again.',
];
