import { byResourceKind, resourceKinds } from '@waymark/domain/streams.ts';

/** The writes that a command service may answer: those of a resource, or `audit` for those under `/audit/v1`. */
export const commandRoles = [...resourceKinds, 'audit'] as const;
export type CommandRole = (typeof commandRoles)[number];

/** Returns a record with a value for each role. */
export const byCommandRole = <Value>(of: (role: CommandRole) => Value): Readonly<Record<CommandRole, Value>> => ({
  ...byResourceKind(of),
  audit: of('audit'),
});
