import { type Scope, scopes } from '@waymark/domain/application/events.ts';
import type { Credentials } from '@waymark/operations/api/answers.ts';
import { type Command, InvalidArgumentError } from 'commander';
import type { Operator } from '../client/operator.ts';
import { applicationsOf, dropSecret } from '../client/own-application.ts';
import { withInstallation, withInstallationOrNew } from '../installation.ts';
import { fields, type OutputOptions, show, table } from '../terminal/output.ts';
import { type ByOption, withBy, withJson } from './options.ts';

export const addApp = (program: Command): void => {
  const app = program.command('app').description('manage applications, whose credentials programs use to get tokens');
  addCreate(app);
  addList(app);
  addRotate(app);
  addDropSecret(app);
  addChange(app, 'suspend', 'refuse its tokens until it is resumed', (operator, id) =>
    operator.request('POST /operator/applications/:id/suspend', { parameters: { id } }),
  );
  addChange(app, 'resume', 'end a suspension', (operator, id) =>
    operator.request('POST /operator/applications/:id/resume', { parameters: { id } }),
  );
  addScopes(app);
  addForgetFirst(app);
  addChange(app, 'delete', 'delete it and its tokens permanently; the content that it wrote stays', (operator, id) =>
    operator.request('DELETE /operator/applications/:id', { parameters: { id } }),
  );
};

type CreateOptions = OutputOptions & ByOption & { readonly account: string; readonly name: string; readonly scopes: readonly Scope[] };

const addCreate = (app: Command): void => {
  withBy(withJson(app.command('create')))
    .description('create an application, and its account if it is new; the secret is shown only this once')
    .requiredOption('--account <account>', 'account whose content it works on')
    .requiredOption('--name <name>', 'display name of the application')
    .option('--scopes <scopes>', `scopes that its tokens may have: ${scopes.join(', ')}`, scopesFrom, ['read', 'write'])
    .action(async ({ account, name, scopes: wanted, by, json }: CreateOptions) => {
      const made = await withInstallationOrNew((operator) =>
        operator.as(by).request('POST /operator/applications', { body: { account, name, scopes: wanted } }),
      );
      show({ json: made, text: shownOnce(made) }, { json });
    });
};

const scopesFrom = (text: string): readonly Scope[] => {
  const wanted = text.split(/[\s,]+/).filter((scope) => scope !== '');
  if (!wanted.every(isScope) || wanted.length === 0) throw new InvalidArgumentError(`Scopes are ${scopes.join(', ')}.`);
  return wanted;
};

const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);

const shownOnce = ({ client_id, client_secret, secret_id }: Credentials): string =>
  `${fields([
    ['client id', client_id],
    ['client secret', client_secret],
    ['secret id', secret_id],
  ])}\nThe secret is not kept and will not be shown again.`;

const addList = (app: Command): void => {
  withJson(app.command('list'))
    .description('list all applications that are not deleted')
    .option('--all', 'include deleted ones')
    .action(async ({ all, json }: OutputOptions & { readonly all?: boolean }) => {
      const found = await withInstallation(applicationsOf);
      const shown = found.filter(({ status }) => all || status !== 'deleted');
      const rows = shown.map((one) => [one.client_id, one.name, one.account, one.status, one.scopes.join(' '), one.secret_ids.join(' ')]);
      show({ json: shown, text: table(['CLIENT ID', 'NAME', 'ACCOUNT', 'STATUS', 'SCOPES', 'SECRETS'], rows) }, { json });
    });
};

const clientId = '<client-id>';

const addRotate = (app: Command): void => {
  withBy(withJson(app.command('rotate')))
    .description('add a second secret, which is shown only this once; drop the first when every client uses the new one')
    .argument(clientId)
    .action(async (id: string, { by, ...options }: OutputOptions & ByOption) => {
      const made = await withInstallation((operator) =>
        operator.as(by).request('POST /operator/applications/:id/rotate', { parameters: { id } }),
      );
      show({ json: made, text: shownOnce(made) }, options);
    });
};

const addDropSecret = (app: Command): void => {
  withBy(withJson(app.command('drop-secret')))
    .description('drop one of its secrets, and the tokens that were issued for it')
    .argument(clientId)
    .argument('<secret-id>', 'the secret id, as `waymark app list` shows it')
    .action(async (client_id: string, secret_id: string, { by, ...options }: OutputOptions & ByOption) => {
      await withInstallation((operator) => dropSecret(operator.as(by), { client_id, secret_id }));
      show({ json: { client_id, secret_id }, text: `Dropped secret ${secret_id} of ${client_id}.` }, options);
    });
};

const moreScopes = (text: string, before: readonly Scope[] = []): readonly Scope[] => [...before, ...scopesFrom(text)];

const addScopes = (app: Command): void => {
  withBy(withJson(app.command('scopes')))
    .description('replace its scopes; its tokens are limited to them within a second, and a new scope needs a new token')
    .argument(clientId)
    .argument('<scopes...>', `all scopes that it may have from now on: ${scopes.join(', ')}`, moreScopes)
    .action(async (id: string, all: readonly Scope[], { by, ...options }: OutputOptions & ByOption) => {
      const body = { scopes: [...new Set(all)] };
      const done = await withInstallation((operator) =>
        operator.as(by).request('POST /operator/applications/:id/scopes', { parameters: { id }, body }),
      );
      show({ json: done, text: `The scopes of ${id} are now ${done.scopes.join(', ')}.` }, options);
    });
};

const addForgetFirst = (app: Command): void => {
  withBy(withJson(app.command('forget-first')))
    .description('remove the file with the secret from the first start; the application and the secret stay valid')
    .action(async ({ by, ...options }: OutputOptions & ByOption) => {
      const done = await withInstallation((operator) => operator.as(by).request('DELETE /operator/first-application'));
      show({ json: done, text: `Removed ${done.file}.` }, options);
    });
};

const addChange = (app: Command, name: string, description: string, change: (operator: Operator, id: string) => Promise<unknown>): void => {
  withBy(withJson(app.command(name)))
    .description(description)
    .argument(clientId)
    .action(async (client_id: string, { by, ...options }: OutputOptions & ByOption) => {
      await withInstallation((operator) => change(operator.as(by), client_id));
      show({ json: { client_id }, text: `Done: ${name} ${client_id}.` }, options);
    });
};
