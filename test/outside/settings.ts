import type { TObject, TSchema } from '@sinclair/typebox';
import { auditorSettings } from '@waymark/auditor/settings.ts';
import { authSettings } from '@waymark/auth/settings.ts';
import { clusterSettings } from '@waymark/cluster/settings.ts';
import { commandsSettings } from '@waymark/commands/settings.ts';
import { operatorSettings } from '@waymark/operator/settings.ts';
import { projectorSettings } from '@waymark/projector/settings.ts';
import { gatewaySettings } from '@waymark/query-gateway/settings.ts';
import { relaySettings } from '@waymark/relay/settings.ts';
import { secretSettings, settingsSchema } from '@waymark/standalone/settings.ts';

type Spec = { readonly schema: TObject; readonly secrets: readonly string[] };

const processes: Readonly<Record<string, Spec>> = {
  standalone: { schema: settingsSchema, secrets: secretSettings },
  cluster: clusterSettings,
  commands: commandsSettings,
  'query-gateway': gatewaySettings,
  auditor: auditorSettings,
  auth: authSettings,
  relay: relaySettings,
  projector: projectorSettings,
  operator: operatorSettings,
};

/** Returns the settings that each process reads from its environment, with the values that it accepts. Descriptions are left out. */
export const settingsOfAll = () =>
  Object.fromEntries(Object.entries(processes).map(([name, spec]) => [name, Object.fromEntries(namesOf(spec))]));

const namesOf = ({ schema, secrets }: Spec) =>
  Object.entries(schema.properties).flatMap(([name, property]) => [
    [name, { ...undescribed(property), required: schema.required?.includes(name) ?? false }] as const,
    ...(secrets.includes(name) ? [[`${name}_FILE`, { type: 'string' }] as const] : []),
  ]);

const undescribed = ({ description: _, ...property }: TSchema) => property;
