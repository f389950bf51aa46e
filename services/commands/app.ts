import { type CommandRole, commandRoles } from '@waymark/http/api/command-roles.ts';
import type { Routes } from '@waymark/http/call.ts';
import { categoryRoutes } from './resources/category.ts';
import { changesetRoutes } from './resources/changeset.ts';
import { happeningRoutes } from './resources/happening.ts';
import { listRoutes } from './resources/list.ts';
import { pinpointRoutes } from './resources/pinpoint.ts';
import { type Commands, type CommandsOptions, createCommands } from './service.ts';

/** Returns the routes that write: POST, PUT and DELETE of all roles, or of the named ones. */
export const commandRoutes = (options: CommandsOptions, roles: readonly CommandRole[] = commandRoles): Routes => {
  const commands = createCommands(options);
  return Object.assign({}, ...roles.map((role) => routesOf[role](commands)));
};

const routesOf: Readonly<Record<CommandRole, (commands: Commands) => Routes>> = {
  pinpoint: pinpointRoutes,
  list: listRoutes,
  category: categoryRoutes,
  happening: happeningRoutes,
  audit: changesetRoutes,
};
