import { type CommandRole, commandRoles } from '@waymark/http/api/command-roles.ts';
import type { Routes } from '@waymark/http/call.ts';
import { createLookups } from './execution/lookups.ts';
import { createOwners } from './execution/owners.ts';
import { categoryRoutes } from './resources/category.ts';
import { changesetRoutes } from './resources/changeset.ts';
import { happeningRoutes } from './resources/happening.ts';
import { listRoutes } from './resources/list.ts';
import { pinpointRoutes } from './resources/pinpoint.ts';
import { undoRoutes } from './resources/undo.ts';
import { undoJobRoutes } from './resources/undo-jobs.ts';
import { type Commands, type CommandsOptions, createCommands } from './service.ts';
import { runUndoJobs, type UndoJobs, type UndoJobsOptions } from './undo/jobs/undo-jobs.ts';

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
  audit: (commands) => ({ ...changesetRoutes(commands), ...undoRoutes(commands), ...undoJobRoutes(commands) }),
};

export type RunningJobsOptions = Omit<UndoJobsOptions, 'lookups' | 'owners'> & Pick<CommandsOptions, 'onOwnerMismatch'>;

/** Runs the undo jobs of the installation: in one thread of each process that has the role `audit`. */
export const runJobs = (options: RunningJobsOptions): UndoJobs => {
  const owners = options.onOwnerMismatch && createOwners(options.log, options.onOwnerMismatch);
  return runUndoJobs({ ...options, owners, lookups: createLookups(options, owners) });
};
